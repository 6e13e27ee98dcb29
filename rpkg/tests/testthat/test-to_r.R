core_test("each dtype has its R type", {
  types <- c(
    float16 = "double", float32 = "double", float64 = "double", bfloat16 = "double",
    int8 = "integer", int16 = "integer", int32 = "integer", int64 = "double",
    uint8 = "integer", uint16 = "integer", uint32 = "double", uint64 = "double",
    complex64 = "complex", complex128 = "complex", bool = "logical"
  )
  for (dtype in names(types)) {
    for (n in c(1L, 3L, 5000L)) {
      x <- as_tensor(rep(1L, n), dtype)
      expect_identical(typeof(as.array(x)), types[[dtype]], label = paste(dtype, n))
      expect_true(all(as.vector(as.array(x)) == 1))
    }
  }
})

core_test("shapes come back", {
  expect_null(dim(as.array(as_tensor(3))))
  expect_identical(dim(as.array(as_tensor(c(1, 2)))), 2L)
  expect_identical(as.array(as_tensor("a")), array("a"))
  expect_identical(as.array(as_tensor(matrix(letters[1:4], 2))), matrix(letters[1:4], 2))
  expect_identical(as.array(as_tensor("\u00e9\u4e2d"))[[1]], "\u00e9\u4e2d")
  for (n in c(3, 20)) {
    a <- array(runif(n^4), rep(n, 4))
    expect_identical(as.array(as_tensor(a)), a)
    l <- array(a > 0.5, dim(a))
    expect_identical(as.array(as_tensor(l)), l)
    expect_identical(as.array(as_tensor(a + 1i)), a + 1i)
    i <- array(as.integer(a * 100), dim(a))
    expect_identical(as.array(as_tensor(i)), i)
  }
  m <- matrix(runif(600 * 700), 600)
  expect_identical(as.array(as_tensor(m)), m)
  expect_identical(as.array(as_tensor(array(0, c(0, 3)))), array(0, c(0, 3)))
})

core_test("the as.* family", {
  x <- as_tensor(matrix(c(1.7, 2.2, 0, 4), 2))
  expect_identical(as.integer(x), c(1L, 2L, 0L, 4L))
  expect_identical(as.numeric(x), c(1.7, 2.2, 0, 4))
  expect_identical(as.logical(x), c(TRUE, TRUE, FALSE, TRUE))
  expect_identical(as.complex(x), as.complex(as.vector(as.array(x))))
  expect_identical(as.character(as_tensor(1:3)), c("1", "2", "3"))
  expect_identical(as.vector(as_tensor(1:3)), 1:3)
  expect_identical(as.matrix(as_tensor(1:3)), matrix(1:3))
  expect_identical(paste0("x=", as_tensor(1:2)), c("x=1", "x=2"))
  expect_equal(dim(as.data.frame(as_tensor(matrix(1:6, 2)))), c(2L, 3L))
  expect_error(as.data.frame(as_tensor(array(0, c(1, 1, 1)))), "rank 3")
  expect_s3_class(as.raster(as_tensor(matrix(c(0, 1), 1))), "raster")
})

core_test("large integers are right or missing, never -1", {
  expect_identical(as.array(as_tensor(2^40, "int64")), 2^40)
  expect_warning(expect_identical(as.integer(as_tensor(2^40, "int64")), NA_integer_))
  expect_equal(tf$int64$max, 2^63)
  expect_equal(tf$uint32$max, 2^32 - 1)
  expect_identical(tf$int32$max, 2147483647L)
  expect_equal(tf$float32$max, 3.4028235e38)
})

core_test("dim and length", {
  expect_identical(dim(as_tensor(matrix(1:6, 2))), 2:3)
  expect_identical(dim(as_tensor(1)), integer())
  expect_identical(length(as_tensor(1)), 1L)
  expect_identical(length(as_tensor(matrix(1:6, 2))), 6L)
  expect_identical(nrow(as_tensor(matrix(1:6, 2))), 2L)
})

core_test("large arrays of any dims come back as they are", {
  for (dims in list(c(600, 500), c(3e5, 1), c(1, 3e5), c(1.5e5, 2), c(9000, 30), c(70, 5, 1000), rep(7, 7))) {
    x <- array(seq_len(prod(dims)) / 7, dims)
    expect_identical(as.array(as_tensor(x)), x)
    x <- array(c(TRUE, FALSE, FALSE), dims)
    expect_identical(as.array(as_tensor(x)), x)
  }
})

test_that("memory for Python is allocated with its dims, for numbers alone", {
  for (type in c("double", "integer", "logical", "complex")) {
    values <- twinflow:::fresh_array(type, c(3L, 0L, 2L))
    expect_identical(typeof(values), type)
    expect_identical(dim(values), c(3L, 0L, 2L))
  }
  expect_error(twinflow:::fresh_array("character", 2L), "only vectors of numbers")
  expect_error(twinflow:::fresh_array("double", rep(2^30, 3)), "INTEGER")
  expect_error(twinflow:::fresh_array("double", rep(.Machine$integer.max, 3)), "longer than any")
  expect_error(twinflow:::fresh_array("double", c(.Machine$integer.max, 1048576L)), "cannot allocate")
})

core_test("images of integers have the largest of their dtype as white", {
  set.seed(1)
  img <- array(sample(0:255, 80, TRUE), c(4, 5, 4))
  for (part in list(img, img[, , 1:3], img[, , 1])) {
    expect_identical(as.raster(as_tensor(part, "uint8")), as.raster(part, max = 255))
    expect_identical(as.raster(tf$Variable(as_tensor(part, "uint8"))), as.raster(part, max = 255))
    expect_identical(as.raster(as_tensor(part / 255)), as.raster(part / 255))
  }
  expect_identical(as.raster(as_tensor(img[, , 1] > 9)), as.raster(img[, , 1] > 9))
  expect_identical(as.raster(as_tensor(img[, , 1]), max = 300), as.raster(img[, , 1], max = 300))
})
