x10 <- function() as_tensor(1:10)
m23 <- function() as_tensor(matrix(1:6, 2))
a234 <- function() as_tensor(array(1:24, 2:4))

core_test("indices count from 1 and include both ends", {
  x <- x10()
  expect_tensor(x[1], 1L, "int32")
  expect_tensor(x[10], 10L, "int32")
  expect_tensor(x[2:4], 2:4, "int32")
  expect_tensor(x[1:9:2], c(1L, 3L, 5L, 7L, 9L), "int32")
  expect_tensor(x[seq(1, 9, by = 2)], c(1L, 3L, 5L, 7L, 9L), "int32")
  expect_tensor(x[NULL:3], 1:3, "int32")
  expect_tensor(x[NA:3], 1:3, "int32")
  expect_tensor(x[8:NULL], 8:10, "int32")
  expect_tensor(x[`8:`], 8:10, "int32")
  expect_tensor(x[`::2`], c(1L, 3L, 5L, 7L, 9L), "int32")
  expect_tensor(x[1, drop = FALSE], 1L, "int32", 1L)
  expect_tensor(x[10, drop = FALSE], 10L, "int32", 1L)
  n <- 3
  expect_tensor(x[n], 3L, "int32")
  expect_tensor(x[2:n], 2:3, "int32")
  expect_tensor(tail(x, 3), 8:10, "int32")
  expect_tensor(head(x, 3), 1:3, "int32")
})

core_test("falling slices run backwards", {
  x <- x10()
  expect_tensor(x[3:1], 3:1, "int32")
  expect_tensor(x[10:1], 10:1, "int32")
  expect_tensor(x[10:1:-2], c(10L, 8L, 6L, 4L, 2L), "int32")
  expect_tensor(m23()[, 3:1], matrix(1:6, 2)[, 3:1], "int32")
  expect_tensor(rev(x), 10:1, "int32")
})

core_test("what is out of bounds is an error", {
  x <- x10()
  for (f in list(
    function() x[0], function() x[11], function() x[2:11], function() x[-11], function() x[[11]],
    function() m23()[3, 1], function() m23()[1, 1:4]
  )) {
    expect_error(suppressWarnings(f()), "out of bounds")
  }
  withr::local_options(tensorflow.extract.dissallow_out_of_bounds = FALSE)
  expect_tensor(x[5:20], 5:10, "int32")
})

core_test("negative numbers count from the end, with one warning", {
  withr::local_options(tensorflow.extract.warn_negatives_pythonic = NULL)
  x <- x10()
  expect_warning(y <- x[-2], "count from the end")
  expect_tensor(y, 9L, "int32")
  expect_no_warning(y <- x[2:-2])
  expect_tensor(y, 2:9, "int32")
  expect_tensor(x[-3:-1], 8:10, "int32")
})

core_test("dims", {
  m <- m23()
  a <- a234()
  r <- array(1:24, 2:4)
  expect_tensor(m[1, ], c(1L, 3L, 5L), "int32")
  expect_tensor(m[, 2], 3:4, "int32")
  expect_tensor(m[, 1:2], matrix(1:4, 2), "int32")
  expect_tensor(m[2, 3], 6L, "int32")
  expect_tensor(m[1, , drop = FALSE], matrix(c(1L, 3L, 5L), 1), "int32")
  expect_tensor(m[, , NULL], array(1:6, c(2, 3, 1)), "int32")
  expect_tensor(m[tf$newaxis, , ], array(1:6, c(1, 2, 3)), "int32")
  expect_tensor(a[1, 2, 3], r[1, 2, 3], "int32")
  expect_tensor(a[, , 1], r[, , 1], "int32")
  expect_tensor(a[1, , ], r[1, , ], "int32")
  expect_tensor(a[all_dims(), 4], r[, , 4], "int32")
  expect_tensor(a[2, all_dims()], r[2, , ], "int32")
  expect_tensor(a[1, all_dims(), 2], r[1, , 2], "int32")
  expect_warning(y <- m[1], "Incorrect number of dimensions")
  expect_tensor(y, c(1L, 3L, 5L), "int32")
  expect_error(m[1, 1, 1], "2 required, but received 3")
})

core_test("tensors as indices", {
  withr::local_options(tensorflow.extract.warn_tensors_passed_asis = FALSE)
  x <- x10()
  expect_tensor(x[tf$constant(1L)], 2L, "int32")
  expect_tensor(x[x > 8L], 9:10, "int32")
  m <- m23()
  expect_error(m[m > 2L], "matrices or arrays")
  expect_error(m[rbind(c(1, 2), c(2, 1))], "matrices or arrays")
  expect_error(x[c(1, 3, 4)], "single step")
  expect_error(x[-(1:2)], "single step")
  expect_error(x["a"], "character")
  expect_error(x[c(TRUE, FALSE)], "logical")
})

core_test("styles and options", {
  x <- x10()
  expect_tensor(x[0:1, style = "python"], 1L, "int32", 1L)
  expect_tensor(x[-1, style = "python"], 10L, "int32")
  expect_tensor(x[1:2, options = tf_extract_opts(inclusive_stop = FALSE)], 1L, "int32", 1L)
  withr::local_options(tensorflow.extract.one_based = FALSE)
  expect_tensor(x[0:1], 1:2, "int32")
  expect_snapshot(unclass(tf_extract_opts("R")))
  expect_snapshot(unclass(tf_extract_opts("python")))
})

core_test("indices pass through functions", {
  x <- m23()
  first <- function(x, ...) x[...]
  expect_tensor(first(x, 1, 2), 3L, "int32")
  row <- function(x, i) x[i, ]
  expect_tensor(row(x, 2), c(2L, 4L, 6L), "int32")
  expect_tensor(do.call(`[`, list(x10(), 3)), 3L, "int32")
})

core_test("[[ is 1-based", {
  expect_tensor(x10()[[1]], 1L, "int32")
  expect_tensor(m23()[[2]], c(2L, 4L, 6L), "int32")
})

core_test("assignment works on variables alone", {
  v <- tf$Variable(c(1, 2, 3))
  v[1]$assign(10)
  expect_identical(as.vector(v), c(10, 2, 3))
  v[2] <- 5
  expect_identical(as.vector(v), c(10, 5, 3))
  v[2:3] <- c(8, 9)
  expect_identical(as.vector(v), c(10, 8, 9))
  m <- tf$Variable(matrix(1:4, 2))
  m[1, ] <- 9L
  expect_identical(as.array(m), matrix(c(9L, 2L, 9L, 4L), 2))
  x <- x10()
  expect_error(x[1] <- 5L, "does not support item assignment")
  n <- tf$Variable(1:3)
  expect_error(n[1] <- 2.5, "int32 cannot hold 2.5")
  expect_error(n[4] <- 1L, "out of bounds")
  n[3:1] <- 4:6
  expect_identical(as.array(n), array(6:4))
  expect_tensor(as_tensor(1:3)[], 1:3, "int32")
  words <- tf$Variable(c("a", "b"))
  words[2] <- "z"
  expect_identical(as.vector(words), c("a", "z"))
  expect_error(as_tensor(matrix(1:4, 2))[[1, 2]], "takes one index")
})

core_test("an argument that the function around was called without is a whole dim", {
  m <- as_tensor(matrix(1:6, 2))
  part <- function(x, i, j) x[i, j]
  expect_tensor(part(m, 1), c(1L, 3L, 5L), "int32")
  expect_tensor(part(m, , 2), c(3L, 4L), "int32")
  expect_tensor(part(m), matrix(1:6, 2), "int32")
  expect_tensor(part(m, 1, 2), 3L, "int32")
})

core_test("indices that are no number are errors in R's words", {
  x <- as_tensor(1:3)
  for (f in list(
    function() x[[NA]], function() x[[NULL]], function() x[[c(1, 2)]], function() x[[TRUE]], function() x[[Inf]],
    function() x[Inf], function() x[1:Inf]
  )) {
    expect_error(f(), "one finite number", class = "twinflow_error")
  }
  expect_error(x["a"], "of type character$")
  expect_error(x[c(TRUE, FALSE, TRUE)], "for a mask")
  m <- as_tensor(matrix(1:4, 2))
  expect_error(m[m > 1], "boolean_mask")
  skip_if_not_installed("bit64")
  expect_tensor(x[bit64::as.integer64(2)], 2L, "int32")
})

core_test("masks say which part of a variable is assigned", {
  v <- tf$Variable(c(1, 2, 3))
  v[v > 1.5] <- 0
  expect_tensor(v, c(1, 0, 0), "float32")
  v[c(TRUE, FALSE, TRUE)] <- c(7, 8)
  expect_tensor(v, c(7, 0, 8), "float32")
  w <- tf$Variable(matrix(1:6 + 0, 2))
  w[w > 3] <- 0
  w[as.array(w) == 0] <- as_tensor(9)
  expect_tensor(w, matrix(c(1, 2, 3, 9, 9, 9), 2), "float64")
  w[w > 100] <- 1
  expect_tensor(w, matrix(c(1, 2, 3, 9, 9, 9), 2), "float64")
  expect_error(w[w == 9] <- c(1, 2, 3), "one value is assigned")
  expect_error(v[c(TRUE, FALSE)] <- 1, "the mask has the shape \\(2,\\)")
  expect_error(v[c(TRUE, NA, TRUE)] <- 1, "NA cannot become a bool")
  counts <- tf$Variable(1:3)
  expect_error(counts[counts == 2L] <- 2.5, "exactly")
  x <- as_tensor(1:3)
  expect_error(x[x > 1L] <- 0L, "does not support item assignment")
  e <- tryCatch(counts[1] <- as_tensor(1.5), error = identity)
  expect_identical(deparse(conditionCall(e)), "`[<-`(`*tmp*`, 1, value = tensor)")
})

core_test("ragged tensors count from 1, too", {
  x <- tf$ragged$constant(list(list(1, 2), list(3)))
  expect_silent(row <- x[1])
  expect_tensor(row, c(1, 2), "float32")
  expect_tensor(x[[2]], 3, "float32", 1L)
  expect_tensor(x[1, 2], 2, "float32")
  expect_identical(length(x), 2L)
  expect_identical(dim(x), c(2L, NA))
  expect_identical(lapply(as.list(x), as.vector), list(c(1, 2), 3))
  e <- tryCatch(x[3], error = identity)
  expect_identical(deparse(conditionCall(e)), "x[3]")
})

core_test("assignments warn of negative indices, too", {
  withr::local_options(tensorflow.extract.warn_negatives_pythonic = TRUE)
  v <- tf$Variable(c(1, 2, 3))
  expect_warning(v[-1] <- 5, "count from the end")
  expect_tensor(v, c(1, 2, 5), "float32")
  expect_silent(v[-1] <- 6)
  expect_error(v[1, options = list()], "tf_extract_opts")
})

core_test("no indices give nothing, and an open stop may lie behind the last element", {
  x <- as_tensor(1:6)
  expect_identical(dim(x[integer()]), 0L)
  expect_identical(dim(as_tensor(matrix(1:6, 2))[numeric(), ]), c(0L, 3L))
  expect_identical(dim(head(as_tensor(numeric()), 2)), 0L)
  open_end <- tf_extract_opts(inclusive_stop = FALSE)
  expect_tensor(x[5:7, options = open_end], 5:6, "int32")
  expect_error(x[5:8, options = open_end], "out of bounds")
  expect_tensor(x[0:6, options = tf_extract_opts(one_based = FALSE, inclusive_stop = FALSE)], 1:6, "int32")
})

core_test("masks among several indices choose along their dim", {
  r <- array(1:24, c(2, 3, 4))
  x <- as_tensor(r)
  m <- as_tensor(r[, , 1])
  keep <- as_tensor(c(TRUE, FALSE, TRUE))
  options(tensorflow.extract.warn_tensors_passed_asis = FALSE)
  expect_tensor(m[, keep], r[, c(1, 3), 1], "int32")
  expect_tensor(m[m[, 1] > 1L, 2:3], r[2, 2:3, 1, drop = FALSE][, , 1, drop = FALSE], "int32", c(1L, 2L))
  expect_tensor(x[1, keep, 4:3], r[1, c(1, 3), 4:3], "int32")
  expect_tensor(x[all_dims(), keep, 2], r[, c(1, 3), 2], "int32")
  expect_error(m[keep, ], class = "twinflow_error")
  expect_error(m[, c(3, 1, 2)], "tf[$]gather")
})
