core_test("shapes are made of anything", {
  expect_identical(as.integer(shape(3, 4)), 3:4)
  expect_identical(as.integer(shape(c(3, 4))), 3:4)
  expect_identical(as.integer(shape(NA, NULL, -1, 2)), c(NA, NA, NA, 2L))
  expect_identical(as.integer(shape(1, shape(2, 3), 4)), 1:4)
  expect_identical(as.integer(shape(dims = as_tensor(c(2L, 3L)))), 2:3)
  expect_identical(as.integer(shape(2.7)), 2L)
  expect_identical(length(shape()), 0L)
  expect_identical(length(shape(dims = NULL)), NA_integer_)
})

core_test("shapes behave like integer vectors", {
  s <- shape(1, 2, NA)
  expect_identical(length(s), 3L)
  expect_identical(as.double(s), c(1, 2, NA))
  expect_identical(as.list(shape(1, 2)), list(1L, 2L))
  expect_true(s[1:2] == c(1, 2))
  expect_true(s[-1] == shape(2, NA))
  expect_identical(s[[2]], 2L)
  expect_null(s[[3]])
  expect_error(s[[4]], "out of bounds")
  s[2] <- 7
  expect_true(s == c(1, 7, NA))
  s[[1]] <- 5
  expect_true(s == c(5, 7, NA))
  expect_true(c(shape(1), 2) == shape(1, 2))
  expect_true(shape(1) != shape(2))
  expect_true(rev(shape(1, 2)) == c(2, 1))
  expect_true(merge(shape(NA, 2), shape(1, NA)) == c(1, 2))
  expect_error(merge(shape(2, 2), shape(1, 2)), "not compatible")
  expect_error(shape(1) + 1, "not defined")
  expect_error(shape("a"), "must be a number")
})

core_test("shapes print", {
  expect_snapshot({
    shape(2, NA)
    shape()
    shape(dims = NULL)
    cat(format(shape(2, NA)), format(shape(dims = NULL)), as.character(shape(2)), sep = "\n")
  })
})

core_test("sizes beyond R's integers are exact", {
  big <- shape(2^40, 3)
  expect_output(print(big), "TensorShape([1099511627776, 3])", fixed = TRUE)
  expect_identical(as.numeric(big), c(2^40, 3))
  expect_identical(as.numeric(big[1]), 2^40)
  expect_identical(as.integer(shape(2, NA)), c(2L, NA))
  expect_true(big == c(2^40, 3))
  e <- tryCatch(shape(1) + 1, error = identity)
  expect_identical(deparse(conditionCall(e)), "shape(1) + 1")
})
