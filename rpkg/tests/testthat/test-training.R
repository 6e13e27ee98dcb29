test_that("lists are paired by place and by name", {
  expect_identical(zip_lists(), list())
  expect_identical(zip_lists(list(1, 2), list("a", "b")), list(list(1, "a"), list(2, "b")))
  expect_identical(
    zip_lists(list(a = 1, b = NULL), list(b = "two", a = "one")),
    list(list(1, "one"), list(NULL, "two"))
  )
  expect_error(zip_lists(list(1), list(1, 2)), "the same length\nx They have 1, 2.")
  expect_error(zip_lists(list(a = 1), list(b = 2)), "different names: a and b")
})

test_that("steps are numbers, with a progress bar or without", {
  expect_identical(training_steps(3), 1:3)
  expect_identical(training_steps(0), integer(0))
  skip_if_not_installed("cli")
  total <- 0
  for (i in training_steps(4, progress = TRUE)) total <- total + i
  expect_identical(total, 10)
})

test_that("gradients keep the names of their sources", {
  skip_without_core()
  w <- tf$Variable(2)
  b <- tf$Variable(1)
  with(tf$GradientTape() %as% tape, {
    y <- w * 3 + b
  })
  gradients <- tape$gradient(y, list(w = w, b = b))
  expect_named(gradients, c("w", "b"))
  expect_equal(as.numeric(gradients$w), 3)
})

test_that("a model trains, eagerly and traced, to the same numbers", {
  skip_without_core()
  x <- as_tensor(cbind(c(0, 1, 2, 3)), "float32")
  y <- x * 2 + 1
  train <- function(wrap) {
    w <- tf$Variable(matrix(0), dtype = "float32")
    b <- tf$Variable(0, dtype = "float32")
    optimizer <- tf$keras$optimizers$SGD(learning_rate = 0.1)
    step <- wrap(function() {
      with(tf$GradientTape() %as% tape, {
        loss <- mean((tf$matmul(x, w) + b - y)^2)
      })
      gradients <- tape$gradient(loss, list(w = w, b = b))
      optimizer$apply_gradients(zip_lists(gradients, list(w = w, b = b)))
      loss
    })
    losses <- vapply(training_steps(60), function(i) as.numeric(step()), 0)
    c(losses[c(1, 60)], as.numeric(w), as.numeric(b))
  }
  eager <- train(identity)
  expect_identical(train(tf_function), eager)
  expect_lt(eager[[2]], 0.02)
  expect_equal(eager[3:4], c(2, 1), tolerance = 0.1)
})
