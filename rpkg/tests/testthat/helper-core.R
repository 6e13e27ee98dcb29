# Tests need Python with NumPy; CRAN's machines may have none. Elsewhere a core that cannot be loaded is a failure.
skip_without_core <- function() {
  if (identical(Sys.getenv("NOT_CRAN"), "true")) {
    return(invisible())
  }
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

expect_tensor <- function(x, values, dtype, dims = dim(values)) {
  expect_s3_class(x, "tensorflow.tensor")
  expect_identical(x$dtype$name, dtype)
  got <- as.array(x)
  if (is.null(dims) && length(values) != 1L) dims <- length(values)
  expect_equal(dim(x), if (is.null(dims)) integer() else as.integer(dims))
  expect_equal(as.vector(got), as.vector(values))
}

# Evaluates with another size of the pieces in which long vectors travel.
with_pieces_of <- function(size, code) {
  namespace <- asNamespace("twinflow")
  before <- get("piece_size", namespace)
  utils::assignInNamespace("piece_size", size, namespace)
  on.exit(utils::assignInNamespace("piece_size", before, namespace))
  force(code)
}
