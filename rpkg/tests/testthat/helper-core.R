# Tests need Python with NumPy; CRAN's machines may have none.
skip_without_core <- function() {
  skip_if_not(twinflow_available(), "the Python core cannot be loaded here")
}

core_test <- function(name, code) {
  code <- substitute(code)
  env <- parent.frame()
  test_that(name, {
    skip_without_core()
    eval(code, new.env(parent = env))
  })
}

# The value of expr; the test is skipped from here on where the core has not the function yet.
if_there <- function(expr) {
  tryCatch(expr, error = function(e) {
    if (grepl("has no attribute", conditionMessage(e))) skip(conditionMessage(e))
    stop(e)
  })
}

expect_tensor <- function(x, values, dtype, dims = dim(values)) {
  expect_s3_class(x, "tensorflow.tensor")
  expect_identical(x$dtype$name, dtype)
  got <- as.array(x)
  if (is.null(dims) && length(values) != 1L) dims <- length(values)
  expect_equal(dim(x), if (is.null(dims)) integer() else as.integer(dims))
  expect_equal(as.vector(got), as.vector(values))
}
