test_that("names get their parts", {
  c(a, c(b, .)) %<-% list(1, 2:3)
  expect_identical(list(a, b), list(1, 2L))
  c(first, ...rest) %<-% 1:4
  expect_identical(list(first, rest), list(1L, list(2L, 3L, 4L)))
  c(..., last) %<-% letters
  expect_identical(last, "z")
  x <- list()
  c(x$a, x$b) %<-% list(NULL, quote(y))
  expect_identical(x, list(b = quote(y)))
  one %<-% 5
  expect_identical(one, 5)
  expect_error(c(a, b) %<-% 1:3, "3 values for 2 names", class = "twinflow_error")
  expect_error(c(a, b, ...) %<-% 1, "1 values for 3 names")
})

core_test("what the core gives has parts", {
  w <- tf$Variable(3)
  v <- tf$Variable(2)
  with(tf$GradientTape() %as% tape, y <- w^2 * v)
  c(dw, dv) %<-% tape$gradient(y, c(w, v))
  expect_identical(c(as.array(dw), as.array(dv)), c(12, 9))
  c(rows, columns) %<-% shape(2, 3)
  expect_identical(c(rows, columns), 2:3)
  c(first, .) %<-% as_tensor(matrix(1:4, 2))
  expect_tensor(first, array(c(1L, 3L)), "int32")
})
