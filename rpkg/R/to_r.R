#' Convert tensors to R values
#'
#' `as.array()` gives a scalar for a tensor of rank 0 and an array otherwise.
#' float and 64-bit integer types become double, smaller integers integer, bool
#' logical, string character (read as UTF-8). The other functions follow:
#' `as.vector()`, `as.double()`, `as.integer()`, `as.logical()`, `as.complex()`, `as.raw()` and
#' `as.character()` give vectors in R's order, `as.matrix()` keeps a matrix and
#' makes one column of anything else. `as.list()` gives the elements in R's order, each a tensor with its gradient.
#'
#' @param x a tensor or variable.
#' @param ... passed on to the methods for arrays.
#' @param mode as in [as.vector()].
#' @param max the number that is white: for integers the largest of their dtype, such as 255 of uint8.
#' @return An R scalar, vector or array.
#' @name as.array.twinflow_tensor
#' @examples
#' if (twinflow_available()) {
#'   x <- as_tensor(1:6, "float32", shape = c(2, 3))
#'   as.array(x)
#'   as.numeric(x)
#' }
NULL

#' @rdname as.array.twinflow_tensor
#' @export
as.array.twinflow_tensor <- function(x, ...) {
  if (reticulate::py_is_null_xptr(x)) {
    complain(dead_pointer_text, class = "twinflow_dead_pointer")
  }
  parts <- ask_python(bridge("as_r"), x, call = entering_call())
  if (parts[[4L]]) warn_of_lost_derivative()
  dims <- known_dims(parts[[1L]])
  values <- parts[[3L]]
  if (is.null(values)) {
    return(large_array(x, parts[[2L]], dims))
  }
  values <- as.vector(if (length(values)) unlist(values) else vector(parts[[2L]], 0L))
  if (length(dims)) {
    dim(values) <- dims
  } else if (is.character(values)) {
    dim(values) <- 1L
  }
  values
}

# R allocates, Python writes into R's memory: one copy.
large_array <- function(x, type, dims) {
  if (is.double(dims)) {
    return(long_vector(x, type, prod(dims)))
  }
  values <- fresh_array(type, dims)
  call_python(bridge("copy_into"), x, values)
  values
}

# An array whose values are not set: Python is to fill it. vector() would write zeros first, in half the time of a copy.
fresh_array <- function(type, dims) {
  .Call(C_fresh_array, type, dims)
}

# R has vectors, but no dims, beyond 2^31 - 1; and reticulate lends only what has dims.
long_vector <- function(x, type, size) {
  values <- vector(type, size)
  for (start in piece_starts(size)) {
    stop <- min(start + piece_size, size)
    piece <- fresh_array(type, as.integer(stop - start))
    call_python(bridge("copy_part"), x, start, piece)
    values[seq(start + 1, stop)] <- piece
  }
  values
}

#' @rdname as.array.twinflow_tensor
#' @export
as.matrix.twinflow_tensor <- function(x, ...) {
  as.matrix(as.array(x), ...)
}

#' @rdname as.array.twinflow_tensor
#' @export
as.vector.twinflow_tensor <- function(x, mode = "any") {
  if (length(dim(x)) > 1L) refuse_lost_dims(sys.parent())
  as.vector(as.array(x), mode)
}

# Matrix::Matrix() would make one column of the values.
refuse_lost_dims <- function(frame) {
  if (!isNamespaceLoaded("Matrix")) {
    return(invisible())
  }
  parents <- sys.parents()
  while (frame > 0L && in_base(frame)) frame <- parents[[frame]] # as.vector() itself
  if (frame > 0L && identical(sys.function(frame), Matrix::Matrix)) {
    complain("Matrix() does not see the dims of a tensor", i = "Write Matrix(as.array(x)).", call = sys.call(frame))
  }
}

#' @rdname as.array.twinflow_tensor
#' @export
as.double.twinflow_tensor <- function(x, ...) {
  refuse_cut_text(x, sys.parent())
  as.double(as.array(x))
}

#' @rdname as.array.twinflow_tensor
#' @export
as.integer.twinflow_tensor <- function(x, ...) {
  as.integer(as.array(x))
}

#' @rdname as.array.twinflow_tensor
#' @export
as.logical.twinflow_tensor <- function(x, ...) {
  as.logical(as.array(x))
}

#' @rdname as.array.twinflow_tensor
#' @export
as.raw.twinflow_tensor <- function(x) {
  as.raw(as.array(x))
}

#' @rdname as.array.twinflow_tensor
#' @export
as.complex.twinflow_tensor <- function(x, ...) {
  as.complex(as.array(x))
}

#' @rdname as.array.twinflow_tensor
#' @export
as.character.twinflow_tensor <- function(x, ...) {
  refuse_cut_text(x, sys.parent())
  if (is_symbolic(x)) {
    return(ask_python(bridge("text"), x)) # it has no values yet: message("traced with ", x) shows what it is
  }
  as.character(as.array(x), ...)
}

#' @rdname as.array.twinflow_tensor
#' @export
as.list.twinflow_tensor <- function(x, ...) {
  ask_python(bridge("elements"), x, call = sys.call())
}

#' @rdname as.array.twinflow_tensor
#' @export
as.data.frame.twinflow_tensor <- function(x, ...) {
  values <- as.array(x)
  if (length(dim(values)) > 2L) {
    complain(
      "`x` must have rank 2 or less to become a data frame",
      x = paste("it has rank", length(dim(values))), i = "take a matrix of it first"
    )
  }
  as.data.frame(as.matrix(values), ...)
}

#' @rdname as.array.twinflow_tensor
#' @rawNamespace S3method(bit64::as.integer64, twinflow_tensor)
as.integer64.twinflow_tensor <- function(x, ...) {
  values <- fresh_array("double", if (length(dim(x))) dim(x) else 1L)
  call_python(bridge("copy_bits"), x, values, call = sys.call())
  if (length(dim(x)) < 2L) dim(values) <- NULL
  class(values) <- "integer64"
  values
}

#' @rdname as.array.twinflow_tensor
#' @rawNamespace S3method(grDevices::as.raster, twinflow_tensor)
as.raster.twinflow_tensor <- function(x, max = if (x$dtype$is_integer) x$dtype$max else 1, ...) {
  values <- as.array(x)
  if (is.numeric(values)) grDevices::as.raster(values, max = max, ...) else grDevices::as.raster(values, ...)
}

#' Dimensions and length of a tensor
#'
#' @param x a tensor or variable.
#' @return `dim()`: an integer vector, with `NA` for an unknown dim, or `NULL`
#'   where the rank is unknown. `length()`: the number of values; of a ragged
#'   tensor that of its rows.
#' @name dim.twinflow_tensor
#' @examples
#' if (twinflow_available()) {
#'   dim(as_tensor(matrix(1:6, 2)))
#'   length(as_tensor(matrix(1:6, 2)))
#' }
NULL

#' @rdname dim.twinflow_tensor
#' @export
dim.twinflow_tensor <- function(x) {
  known_dims(ask_python(bridge("dims"), x, call = sys.call()))
}

#' @rdname dim.twinflow_tensor
#' @export
length.twinflow_tensor <- function(x) {
  dims <- known_dims(ask_python(bridge("dims"), x, call = sys.call()))
  if (is.null(dims) || anyNA(dims)) {
    return(NA_integer_)
  }
  size <- prod(dims)
  if (size <= .Machine$integer.max) as.integer(size) else size
}

#' @rdname dim.twinflow_tensor
#' @export
dim.twinflow_ragged <- dim.twinflow_tensor

#' @rdname dim.twinflow_tensor
#' @export
length.twinflow_ragged <- function(x) dim(x)[[1L]]

known_dims <- function(dims) {
  if (is.null(dims)) {
    return(NULL)
  }
  dims <- if (length(dims)) unlist(dims) else integer()
  dims[dims < 0] <- NA
  dims
}

#' @rawNamespace S3method(reticulate::py_to_r, twinflow_tensor)
py_to_r.twinflow_tensor <- function(x) {
  if (!handing$counted) reticulate::py_call(bridge("handed"), x)
  x
}
