core_test("different elements and rows", {
  x <- c(3, 1, 3, 2)
  expect_tensor(unique(as_tensor(x)), unique(x), "float64")
  expect_tensor(duplicated(as_tensor(x)), duplicated(x), "bool")
  expect_tensor(duplicated(as_tensor(x), fromLast = TRUE), duplicated(x, fromLast = TRUE), "bool")
  left <- suppressWarnings(as_tensor(x)[!duplicated(as_tensor(x))])
  expect_tensor(left, c(3, 1, 2), "float64")
  expect_identical(anyDuplicated(as_tensor(x)), 3L)
  m <- rbind(1:2, 3:4, 1:2)
  expect_tensor(unique(as_tensor(m)), unique(m), "int32")
  expect_tensor(duplicated(as_tensor(m)), duplicated(m), "bool")
  expect_tensor(unique(as_tensor(c("b", "a", "b"))), c("b", "a"), "string")
})

core_test("differences and medians are tensors with gradients", {
  x <- c(1, 4, 9, 16)
  expect_tensor(diff(as_tensor(x)), diff(x), "float64")
  expect_tensor(diff(as_tensor(x), lag = 2, differences = 1), diff(x, 2), "float64")
  expect_tensor(diff(as_tensor(x), differences = 3), diff(x, differences = 3), "float64", 1L)
  m <- matrix(x, 2)
  expect_tensor(diff(as_tensor(m)), diff(m), "float64")
  expect_tensor(diff(as_tensor(x), 7), numeric(), "float64")
  expect_error(diff(as_tensor(x), 0), ">= 1")
  for (values in list(c(5, 1, 2), c(4, 1, 2, 8), 7)) {
    expect_tensor(median(as_tensor(values)), median(values), "float64")
  }
  expect_tensor(median(as_tensor(c(1L, 2L))), 1.5, "float64")
  expect_identical(as.array(median(as_tensor(c(1, NA)))), NaN)
  expect_tensor(median(as_tensor(c(1, NA, 4)), na.rm = TRUE), 2.5, "float64")
  expect_identical(as.array(median(as_tensor(numeric()))), NaN)
  v <- tf$Variable(c(1, 2, 5))
  with(tf$GradientTape() %as% tape, y <- sum(diff(v)^2) + median(v))
  expect_tensor(tape$gradient(y, v), c(-2, -3, 6), "float32")
  expect_tensor(tf_function(function(x) median(unique(x)))(as_tensor(c(1, 1, 2))), 1.5, "float64")
})

core_test("what is missing is left out", {
  expect_tensor(na.omit(as_tensor(c(1, NA, 2))), c(1, 2), "float64")
  expect_tensor(na.omit(as_tensor(matrix(c(1, NA, 2, 3), 2))), matrix(c(1, 2), 1), "float64")
})

core_test("repeating elements", {
  x <- 1:3
  expect_tensor(rep(as_tensor(x), each = 2), rep(x, each = 2), "int32")
  expect_tensor(rep(as_tensor(x), 2, each = 2), rep(x, 2, each = 2), "int32")
  expect_tensor(rep(as_tensor(x), length.out = 7), rep(x, length.out = 7), "int32")
  expect_tensor(rep(as_tensor(x), c(2, 0, 1)), rep(x, c(2, 0, 1)), "int32")
  expect_error(rep(as_tensor(diag(2)), each = 2), "one for each")
  expect_error(ifelse(as_tensor(c(1, 2)) > 1, as_tensor(c(1, 2)), 0), "tf[$]where")
})

core_test("matrices", {
  m <- matrix(c(4, 1, 1, 3), 2)
  expect_equal(as.array(solve(as_tensor(m))), solve(m))
  expect_equal(as.vector(solve(as_tensor(m), c(1, 2))), solve(m, c(1, 2)))
  expect_equal(as.array(solve(as_tensor(m), as_tensor(m))), diag(2))
  expect_equal(as.array(chol(as_tensor(m))), chol(m))
  expect_equal(det(as_tensor(m)), det(m))
  x <- as_tensor(1:6)
  dim(x) <- c(2, 3)
  expect_tensor(x, matrix(1:6, 2), "int32")
  expect_error(dim(x) <- 5, "reshape")
})

core_test("R values, where R computes", {
  x <- c(1, 2, 4, 8)
  expect_identical(quantile(as_tensor(x)), quantile(x))
  expect_identical(cut(as_tensor(x), 2), cut(x, 2))
  expect_tensor(sum(as_tensor(x) > 1), 3L, "int32")
  expect_tensor(sum(as_tensor(x) > 1, TRUE), 4L, "int32")
  expect_tensor(sort(as_tensor(c("b", "a")), decreasing = TRUE), c("b", "a"), "string")
})
