core_test("outer() combines tensors, and is base R's for everything else", {
  x <- as_tensor(c(1, 2, 3))
  m <- matrix(1:4 + 0, 2)
  expect_tensor(outer(x, 1:2), outer(1:3 + 0, 1:2), "float64")
  expect_tensor(1:3 %o% as_tensor(4:5), 1:3 %o% 4:5, "int32")
  expect_tensor(outer(as_tensor(m), x, "-"), outer(m, 1:3, "-"), "float64")
  expect_tensor(outer(as_tensor(2), m, function(a, b) a + b), outer(2, m, `+`), "float64")
  expect_identical(outer(1:2, c(a = 1, b = 2), "+"), base::outer(1:2, c(a = 1, b = 2), "+"))
  expect_error(outer(x, x, function(a, b) b), "element by element", class = "twinflow_error")
  with(tf$GradientTape() %as% tape, {
    tape$watch(x)
    y <- sum(outer(x, 1:2))
  })
  expect_tensor(tape$gradient(y, x), c(3, 3, 3), "float64")
})

core_test("sprintf() takes all values of tensors", {
  expect_identical(sprintf("%s: %.1f", c("a", "b"), as_tensor(c(1, 2.25))), c("a: 1.0", "b: 2.2"))
  expect_identical(sprintf("%d", as_tensor(matrix(1:4, 2), "int64")), as.character(1:4))
  expect_identical(sprintf("%5.2f|%s", pi, "x"), base::sprintf("%5.2f|%s", pi, "x"))
  expect_identical(conditionCall(tryCatch(sprintf("%d", 1.5), error = identity))[[1]], quote(sprintf))
})

core_test("elements have no names, Python's objects have", {
  x <- as_tensor(c(3L, 1L, 3L))
  expect_true(all(c("shape", "dtype") %in% names(x)))
  expect_identical(lapply(mapply(`+`, x, 1:3), as.array), list(4L, 3L, 6L))
  expect_identical(factor(x), factor(c(3, 1, 3)))
  expect_identical(c(table(x)), c("1" = 1L, "3" = 2L))
})
