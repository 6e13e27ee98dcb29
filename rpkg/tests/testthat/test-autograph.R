# R's control flow in traced functions.

core_test("tensors decide in `if`", {
  size <- tf_function(function(x) if (x > 0) x else -x)
  expect_tensor(size(as_tensor(-3)), 3, "float64")
  expect_tensor(size(as_tensor(4)), 4, "float64")
  assigning <- tf_function(function(x) {
    y <- x
    if (x > 0) {
      y <- x * 10
      z <- x
    } else {
      z <- -x
    }
    list(y, z)
  })
  expect_identical(lapply(assigning(as_tensor(-3)), as.array), list(-3, 3))
  expect_identical(lapply(assigning(as_tensor(3)), as.array), list(30, 3))
  nested <- tf_function(function(x) if (x > 0) if (x > 10) "big" else "small" else "negative")
  said <- vapply(c(20, 1, -1), function(x) as.character(nested(as_tensor(x))), "")
  expect_identical(said, c("big", "small", "negative"))
  returning <- tf_function(function(x) if (x > 0 && !(x > 5)) return(x) else return(-x))
  expect_identical(as.array(returning(as_tensor(7))), -7)
  either <- tf_function(function(x) if (x < 0 || x > 5) 1 else 0)
  expect_identical(as.array(either(as_tensor(7))), 1)
})

core_test("tensors decide in `while` and `for`", {
  doubling <- tf_function(function(x) {
    steps <- 0L
    while (x < 100) {
      x <- x * 2
      steps <- steps + 1L
    }
    list(x, steps)
  })
  expect_identical(lapply(doubling(as_tensor(3)), as.array), list(192, 6L))
  total <- tf_function(function(x) {
    sum <- 0
    for (one in x) sum <- sum + one
    sum
  })
  expect_identical(as.array(total(as_tensor(c(1, 2, 3)))), 6)
  factorial_of <- tf_function(function(n) {
    out <- 1L
    for (i in tf$range(1L, n + 1L)) out <- out * i
    out
  })
  expect_identical(as.array(factorial_of(as_tensor(5L))), 120L)
})

core_test("what R can decide stays R's", {
  plain <- tf_function(function(x, training = FALSE) {
    for (i in 1:4) {
      if (i == 2) next
      x <- x * i
      if (i == 3) break
    }
    n <- 0
    while (TRUE) {
      n <- n + 1
      if (n > 2) break
    }
    if (is.null(x) || training) x <- x + 1
    x + n
  })
  expect_identical(as.array(plain(as_tensor(1))), 6)
  expect_identical(as.array(plain(as_tensor(1), TRUE)), 7)
})

core_test("jumps out of traced statements are refused", {
  early <- tf_function(function(x) {
    if (x > 0) return(x)
    -x
  })
  expect_error(early(as_tensor(1)), "return inside of `if`")
  leaving <- tf_function(function(x) {
    while (x < 10) {
      x <- x + 1
      if (x > 5) break
    }
    x
  })
  expect_error(leaving(as_tensor(1)), "break inside of")
  expect_error(tf_function(function(x) if (x > 0) x else -x, autograph = FALSE)(as_tensor(1)), "condition")
  expect_error(tf_function(1), "must be an R function")
})

core_test("gradients pass through traced statements", {
  slope <- tf_function(function(x) {
    with(tf$GradientTape() %as% tape, {
      tape$watch(x)
      y <- if (x > 0) x^2 else x
    })
    tape$gradient(y, x)
  })
  expect_identical(as.array(slope(as_tensor(3))), 6)
  expect_identical(as.array(slope(as_tensor(-3))), 1)
})
