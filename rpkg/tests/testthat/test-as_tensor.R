core_test("each R type has its dtype", {
  expect_tensor(as_tensor(TRUE), TRUE, "bool")
  expect_tensor(as_tensor(1L), 1L, "int32")
  expect_tensor(as_tensor(1), 1, "float64")
  expect_tensor(as_tensor(1i), 1i, "complex128")
  expect_identical(as_tensor("a")$dtype$name, "string")
  expect_tensor(as_tensor(c("a", "b")), c("a", "b"), "string")
  expect_tensor(as_tensor(factor(c("u", "v", "u"))), c("u", "v", "u"), "string")
  expect_tensor(as_tensor(as.raw(1:3)), 1:3, "int32")
  expect_tensor(as_tensor(as.difftime(3, units = "secs")), 3, "float64")
  expect_tensor(as_tensor(structure(1:3, class = "foo")), 1:3, "int32")
})

core_test("dims are kept, names are not", {
  expect_tensor(as_tensor(array(1)), 1, "float64", 1L)
  expect_tensor(as_tensor(c(a = 1, b = 2)), c(1, 2), "float64")
  expect_tensor(as_tensor(c(a = 1)), 1, "float64")
  m <- matrix(1:6, 2, dimnames = list(letters[1:2], NULL))
  expect_tensor(as_tensor(m), unname(m), "int32")
  a <- array(as.double(1:24), 2:4)
  expect_tensor(as_tensor(a), a, "float64")
  expect_identical(as.array(as_tensor(a)), a)
})

core_test("empty vectors keep their type", {
  expect_tensor(as_tensor(integer(0)), integer(), "int32", 0L)
  expect_tensor(as_tensor(logical(0)), logical(), "bool", 0L)
  expect_tensor(as_tensor(numeric(0)), numeric(), "float64", 0L)
  expect_tensor(as_tensor(array(0, c(0, 3))), numeric(), "float64", c(0L, 3L))
  expect_tensor(as_tensor(character(0)), character(), "string", 0L)
})

core_test("lists follow Python", {
  expect_tensor(as_tensor(list(1, 2)), c(1, 2), "float32")
  expect_tensor(as_tensor(list(1:2, 3:4)), matrix(1:4, 2, byrow = TRUE), "int32")
  expect_tensor(as_tensor(list(as_tensor(1L), 2L)), 1:2, "int32")
  expect_error(as_tensor(list(1, "a")), "mixed types")
  expect_error(as_tensor(data.frame(x = 1:2)), "unsupported type")
  expect_error(as_tensor(Sys.Date()), "datetime.date")
  expect_error(as_tensor(NULL), "NoneType")
})

core_test("dtype converts as documented", {
  expect_tensor(as_tensor(1:3, "float32"), c(1, 2, 3), "float32")
  expect_tensor(as_tensor(c(1.9, -1.9), "int32"), c(1L, -1L), "int32")
  expect_tensor(as_tensor(c(300, -1), "uint8"), c(255L, 0L), "uint8")
  expect_tensor(as_tensor(300L, "int8"), 127L, "int8")
  expect_true(is.finite(as.array(as_tensor(1e300, "float32"))))
  expect_tensor(as_tensor(c(0, 1, 2), "bool"), c(FALSE, TRUE, TRUE), "bool")
  expect_tensor(as_tensor(TRUE, "float32"), 1, "float32")
  expect_tensor(as_tensor(2^40, "int64"), 2^40, "int64")
  expect_tensor(as_tensor(3e9, "uint32"), 3e9, "uint32")
  expect_tensor(as_tensor(as_tensor(3.7), "int32"), 3L, "int32")
  expect_error(as_tensor(c(1, NA), "int32"), "NA values")
  expect_error(as_tensor(Inf, "int64"), "NA values")
  expect_warning(expect_error(as_tensor(3e9, "int32"), "NA values"), "coercion")
  expect_error(as_tensor(3, "foo"), "DType")
})

core_test("missing values are never turned into something else", {
  expect_error(as_tensor(NA), "NA")
  expect_error(as_tensor(c(TRUE, NA)), "NA")
  expect_error(as_tensor(matrix(c(TRUE, NA), 1)), "NA")
  expect_identical(as.array(as_tensor(NA_real_)), NA_real_)
  for (x in list(NA_integer_, c(1L, NA), matrix(c(NA, 1:3), 2))) {
    expect_error(as_tensor(x), "NA cannot become an int32 .*as_tensor\\(x, \"float64\"\\)", class = "twinflow_error")
  }
  for (x in list(NA_character_, c("a", NA))) expect_error(as_tensor(x), "NA cannot become a string")
  skip_if_not_installed("bit64")
  expect_error(as_tensor(bit64::as.integer64(c(1, NA))), "NA cannot become an int64")
  expect_true(is.nan(as.array(as_tensor(c(1L, NA), "float64"))[[2]]))
  expect_error(as_tensor(c(1L, NA), "int64"), "NA values")
  expect_error(as_tensor(c(1, NA), "bool"), "NA values")
  expect_error(as_tensor(matrix(c("a", NA), 1)), "NA")
})

core_test("shape fills or lays out row by row", {
  expect_tensor(as_tensor(1:4, "float32", shape = c(2, 2)), matrix(1:4 + 0, 2, byrow = TRUE), "float32")
  expect_tensor(as_tensor(matrix(1:6, 2), shape = c(3, 2)), matrix(c(1L, 3L, 5L, 2L, 4L, 6L), 3, byrow = TRUE), "int32")
  expect_tensor(as_tensor(1:6, shape = c(NA, 2)), matrix(1:6, 3, byrow = TRUE), "int32")
  expect_tensor(as_tensor(1:6, shape = c(-1, 2)), matrix(1:6, 3, byrow = TRUE), "int32")
  expect_tensor(as_tensor(1:6, shape = shape(NA, 3)), matrix(1:6, 2, byrow = TRUE), "int32")
  expect_tensor(as_tensor(1:6, shape = as_tensor(c(3L, 2L))), matrix(1:6, 3, byrow = TRUE), "int32")
  expect_tensor(as_tensor(0, shape = c(2, 3)), matrix(0, 2, 3), "float64")
  expect_tensor(as_tensor(1, shape = list()), 1, "float64")
  expect_tensor(as_tensor(as_tensor(3), shape = 4), rep(3, 4), "float64")
  expect_error(as_tensor(1:6, shape = c(4, 2)), "cannot reshape array of size 6 into shape \\(4,2\\)")
  expect_error(as_tensor(1:6, shape = c(-1, -1)), "one unknown dimension")
  expect_error(as_tensor(c(1, 2), shape = c(2, 2)), "cannot reshape")
  expect_error(as_tensor(1:4, shape = "a"), "must be a number")
})

core_test("tensors own their memory", {
  x <- array(c(1, 2))
  y <- as_tensor(x)
  x[1] <- 100
  expect_identical(as.vector(y), c(1, 2))
  big <- matrix(runif(250000), 500)
  y <- as_tensor(big)
  back <- as.array(y)
  back[1] <- -1
  expect_identical(as.array(y), big)
})

core_test("64-bit integers go both ways", {
  skip_if_not_installed("bit64")
  x <- bit64::as.integer64("9007199254740993")
  expect_identical(as_tensor(x)$dtype$name, "int64")
  expect_identical(format(as_tensor(x)), "tf.Tensor(9007199254740993, shape=(), dtype=int64)")
  expect_identical(bit64::as.integer64(as_tensor(c(x, x))), c(x, x))
})

core_test("missing integers become no other value", {
  for (dtype in c("uint8", "uint32", "int64", "bool", "int4")) {
    expect_error(as_tensor(c(1L, NA), dtype), "NA values", class = "twinflow_error")
  }
  for (dtype in c("float16", "bfloat16", "float32", "float64")) {
    expect_identical(is.na(as.vector(as_tensor(c(1L, NA), dtype))), c(FALSE, TRUE))
  }
  expect_identical(is.na(as.vector(as_tensor(c(1L, NA), "complex64"))), c(FALSE, TRUE))
})

core_test("an imaginary part that is lost is a warning", {
  expect_warning(x <- as_tensor(1 + 2i, "float32"), "imaginary parts discarded")
  expect_identical(as.array(x), 1)
  expect_silent(as_tensor(1 + 0i, "float32"))
})

core_test("64-bit integers become reals by value", {
  x <- as_tensor(5, "int64")
  for (dtype in c("float16", "bfloat16", "float32", "float64")) expect_identical(as.array(as_tensor(x, dtype)), 5)
  expect_identical(as.array(as_tensor(as_tensor(100000L), "float16")), 65504)
  skip_if_not_installed("bit64")
  expect_tensor(as_tensor(bit64::as.integer64(c(5, 6)), "float32"), c(5, 6), "float32")
  expect_tensor(as_tensor(bit64::as.integer64(5), "float32", shape = 2), c(5, 5), "float32")
  expect_identical(is.na(as.vector(as_tensor(bit64::as.integer64(c(5, NA)), "float64"))), c(FALSE, TRUE))
  expect_error(as_tensor(bit64::as.integer64(NA), "int32"), "NA values")
  expect_warning(big <- bit64::as.integer64(as_tensor(c(2^63, 5), "uint64")), "2\\^63")
  expect_identical(big, bit64::as.integer64(c(NA, 5)))
})

core_test("arguments that mean nothing are errors that show the user's call", {
  expect_message(as_tensor(1:6, "float32", c(2, 3)), "write shape =")
  expect_error(as_tensor(1, NA), "a name such as")
  e <- tryCatch(as_tensor(as.Date(NA), "int32"), error = identity)
  expect_identical(deparse(conditionCall(e)), "as_tensor(as.Date(NA), \"int32\")")
  e <- tryCatch(as_tensor(factor("a"), "int32"), error = identity)
  expect_identical(deparse(conditionCall(e)), "as_tensor(factor(\"a\"), \"int32\")")
  e <- tryCatch(frame_to_tensor(data.frame(a = NA_real_), "int32"), error = identity)
  expect_identical(deparse(conditionCall(e)[[1L]]), "frame_to_tensor")
})

core_test("infinities stay, what is too large becomes the largest number", {
  expect_identical(as.vector(as_tensor(as_tensor(c(Inf, 1), "float32"), "float64")), c(Inf, 1))
  for (dtype in c("float16", "bfloat16", "float32")) {
    largest <- as.array(as_tensor(1e300, dtype))
    expect_true(is.finite(largest))
    for (x in list(c(Inf, -Inf, 1e300, -1e300, NaN), as_tensor(c(Inf, -Inf, 1e300, -1e300, NaN)))) {
      expect_identical(as.vector(as_tensor(x, dtype)), c(Inf, -Inf, largest, -largest, NaN))
    }
  }
})

core_test("values in lists do not change, either", {
  for (f in list(
    function() as_tensor(list(NA)), function() as_tensor(list(1L, NA)),
    function() as_tensor(list(list(1, NA), list(2, 3))), function() tf$constant(list(TRUE, NA)),
    function() tf$add(list(1, NA), 1), function() as_tensor(1:2) + list(1L, NA)
  )) {
    expect_error(f(), "NA cannot become a bool", class = "twinflow_error")
  }
  e <- tryCatch(as_tensor(list(NA)), error = identity)
  expect_identical(deparse(conditionCall(e)), "as_tensor(list(NA))")
  expect_tensor(as_tensor(list(1, 2)), c(1, 2), "float32")
  skip_if_not_installed("bit64")
  three <- bit64::as.integer64(3)
  expect_tensor(as_tensor(list(three, three)), c(3, 3), "int64")
  expect_tensor(tf$stack(list(three, bit64::as.integer64(4))), c(3, 4), "int64")
})

core_test("R's names of types are dtypes, a shape is none, and dates say how they become numbers", {
  expect_tensor(as_tensor(3, "integer"), 3L, "int32")
  expect_tensor(as_tensor(3L, "numeric"), 3, "float64")
  expect_tensor(as_tensor(1, "logical"), TRUE, "bool")
  expect_tensor(as_tensor("a", "character"), "a", "string")
  expect_error(as_tensor(3, "int"), "to a TensorFlow DType")
  expect_error(as_tensor(1:6, c(2, 3)), "shape = c(2, 3)", fixed = TRUE)
  expect_error(as_tensor(1:6, 6L), "A shape has its name before it")
  expect_error(as_tensor(Sys.Date()), "as_tensor(x, \"float64\") holds days", fixed = TRUE)
  expect_error(as_tensor(Sys.time()), "seconds since 1970")
})
