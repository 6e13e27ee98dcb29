# Beyond 2^31 - 1 values. R's own vectors of that size take gigabytes, so the real ones are made only where it is asked
# for; the way in pieces, which is all that differs, is tested with small ones.

core_test("a vector that travels in pieces arrives whole", {
  withr::local_options(warn = 2)
  for (x in list(c(TRUE, FALSE, TRUE, TRUE, FALSE), 1:7, c(0.5, NA, -1), c(1i, 2 + 3i))) {
    whole <- with_pieces_of(2, sent_in_pieces(x))
    expect_identical(as.vector(as.array(as_tensor(whole))), x)
    back <- with_pieces_of(3, long_vector(as_tensor(x), typeof(x), length(x)))
    expect_identical(back, x)
  }
  m <- matrix(1:6 + 0, 2)
  expect_identical(with_pieces_of(4, long_vector(as_tensor(m), "double", 6)), as.vector(m))
  expect_error(sent_in_pieces("a"), "strings")
})

core_test("sizes beyond R's integers stay what they are", {
  expect_identical(dims_argument(list(3e9, NA, -1, 2)), list(3e9, NULL, NULL, 2))
  expect_identical(format(shape(3e9, 2)), "(3e+09, 2)")
  expect_error(as_tensor(1:4, shape = c(2, 3e9)), "(2,3000000000)", fixed = TRUE)
})

core_test("more than 2^31 values", {
  skip_if_not(nzchar(Sys.getenv("TWINFLOW_TEST_LONG")), "TWINFLOW_TEST_LONG is not set: this takes 20 GB of memory")
  size <- 2^31 + 10
  places <- c(1, 5, 2^31 - 1, 2^31, 2^31 + 1, size)
  x <- logical(size)
  x[places] <- TRUE
  t <- as_tensor(x)
  rm(x)
  gc()
  expect_identical(length(t), size)
  expect_identical(as.array(sum(tf$cast(t[(2^31 - 1):size], "int32"))), 4L)
  back <- as.array(t)
  expect_identical(length(back), size)
  expect_identical(which(back), places)
  rm(back, t)
  gc()
  wide <- matrix(FALSE, 2^16, 2^15 + 1) # more values than R's integers count, dims within them
  wide[2^16, 2^15 + 1] <- wide[2, 1] <- TRUE
  t <- as_tensor(wide)
  expect_identical(dim(t), dim(wide))
  expect_true(as.logical(t[2^16, 2^15 + 1]))
  rm(wide)
  gc()
  expect_identical(which(as.array(t)), c(2, 2^31 + 2^16))
})
