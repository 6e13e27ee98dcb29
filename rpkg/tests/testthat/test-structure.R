core_test("transposing", {
  m <- matrix(1:6, 2)
  expect_tensor(t(as_tensor(m)), t(m), "int32")
  expect_tensor(t(as_tensor(1:3)), matrix(1:3, 1), "int32")
  expect_error(t(as_tensor(array(1:8, c(2, 2, 2)))), "aperm")
  a <- array(1:24, 2:4)
  expect_tensor(aperm(as_tensor(a)), aperm(a), "int32")
  expect_tensor(aperm(as_tensor(a), c(2, 1, 3)), aperm(a, c(2, 1, 3)), "int32")
})

core_test("joining", {
  m <- matrix(1:4, 2)
  expect_tensor(cbind(as_tensor(m), 1L), cbind(m, 1L), "int32")
  expect_tensor(cbind(as_tensor(1:3), 4:6), cbind(1:3, 4:6), "int32")
  expect_tensor(rbind(as_tensor(m), 5:6), rbind(m, 5:6), "int32")
  expect_tensor(rbind(a = as_tensor(1:2), b = as_tensor(3:4)), rbind(1:2, 3:4), "int32")
  expect_tensor(cbind(as_tensor(1:2), c(0.5, 1), dtype = "float64"), cbind(1:2, c(0.5, 1)), "float64")
  expect_error(cbind(as_tensor(1:3), c(1.5, 2, 3)), "exactly")
  expect_error(cbind(as_tensor(m), as_tensor(matrix(1:6, 3))), "common number of rows")
  expect_error(rbind(as_tensor(1:2), as_tensor(c(1.5, 2))), "int32 and float64")
  expect_tensor(rbind(as_tensor(1:2), as_tensor(c(1.5, 2)), dtype = "float64"), rbind(1:2, c(1.5, 2)), "float64")
  expect_type(c(as_tensor(1), 2), "list")
})

core_test("sorting and repeating", {
  x <- as_tensor(c(3, 1, 2))
  expect_tensor(sort(x), c(1, 2, 3), "float64")
  expect_tensor(sort(x, decreasing = TRUE), c(3, 2, 1), "float64")
  m <- matrix(c(3, 1, 2, 4), 2)
  expect_tensor(sort(as_tensor(m), axis = 1), apply(m, 2, sort), "float64")
  gaps <- c(3, NaN, 1, Inf, NaN, -Inf)
  for (f in list(sort, tf_function(function(x, ...) sort(x, ...)))) {
    expect_tensor(f(as_tensor(gaps)), c(-Inf, 1, 3, Inf, NaN, NaN), "float64")
  }
  expect_tensor(sort(as_tensor(gaps), decreasing = TRUE), c(Inf, 3, 1, -Inf, NaN, NaN), "float64")
  expect_tensor(sort(as_tensor(matrix(gaps, 2)), axis = 1), matrix(c(3, NaN, 1, Inf, -Inf, NaN), 2), "float64")
  expect_identical(order(x), c(2L, 3L, 1L))
  expect_tensor(rep(as_tensor(1:2), 2), c(1L, 2L, 1L, 2L), "int32")
})

core_test("comparing", {
  expect_true(all.equal(as_tensor(c(1, 2)), as_tensor(c(1, 2))))
  expect_true(all.equal(as_tensor(c(1, 2)), c(1, 2)))
  expect_type(all.equal(as_tensor(c(1, 2)), as_tensor(c(1, 3))), "character")
  expect_match(all.equal(as_tensor(1), as_tensor(1L)), "dtype")
})

core_test("what is NULL is not bound", {
  x <- as_tensor(1:2)
  expect_tensor(cbind(NULL, x, NULL), matrix(1:2, 2), "int32")
  expect_tensor(do.call(rbind, list(NULL, x, x)), rbind(1:2, 1:2), "int32")
})

core_test("what rep(), aperm() and solve() do not take is named", {
  m <- as_tensor(matrix(1:6, 2))
  expect_error(rep(m, 3), "times` for each dim")
  expect_error(aperm(m, "a"), "numbers of the dims")
  expect_error(aperm(as_tensor(1), c(2, 1)), class = "InvalidArgumentError")
  expect_tensor(solve(as_tensor(2)), 0.5, "float64", c(1L, 1L))
})

core_test("elements have no names, Python's objects have", {
  x <- as_tensor(c(3L, 1L, 3L))
  expect_true(all(c("shape", "dtype") %in% names(x)))
  expect_identical(lapply(mapply(`+`, x, 1:3), as.array), list(4L, 3L, 6L))
  expect_identical(factor(x), factor(c(3, 1, 3)))
  expect_identical(c(table(x)), c("1" = 1L, "3" = 2L))
})
