#' Vectors and matrices
#'
#' Methods of generics of base R and stats for tensors and variables. Those that R
#' computes with values give R values: `quantile()`, `cut()`, `determinant()` and with
#' it `det()`, also `apply()`, `scale()`, `svd()`, `eigen()`, `qr()` and `kronecker()`,
#' which turn any matrix into one of R's. The others give tensors and have gradients.
#'
#' What is no generic in R does not know tensors. `diag()`, `rowSums()`, `pmax()`, `which.max()`, `%in%`, `var()`,
#' `rank()`, `nchar()` or `cat()` take `as.array(x)` or `as.vector(x)`. Or there is an operation:
#' `tf$linalg$diag()` and `diag_part()`, `sum(x, axis = 2)`, `tf$maximum()`,
#' `tf$argmax()` (which counts from 0), `tf$math$reduce_variance()`,
#' `tf$math$bincount()`, `tf$strings$length()`, `tf$where()` for `ifelse()`. Only `outer()`, `%o%`, `sprintf()` and
#' `which()` have twins in this package (see [outer()]).
#'
#' `lapply()`, `sapply()`, `vapply()`, `Reduce()` and `Filter()` go over the values of a tensor, which are numbers of R;
#' `mapply()` and `Map()` over the elements of a vector, which are tensors. To go over rows, or to have tensors
#' everywhere, give them `tf$unstack(x)`. `tf$map_fn()` does it in one operation.
#'
#' @param x,object,a a tensor or variable.
#' @param b the right-hand side, a tensor or R values; without it `solve()` gives the
#'   inverse.
#' @param incomparables ignored.
#' @param fromLast of equal ones, keep the last?
#' @param lag,differences,na.rm,logarithm as in base R.
#' @param value the new dims, for the same values in R's order.
#' @param ... passed on to the methods for R's arrays; ignored where tensors are made.
#' @return `unique()` the different elements or rows, `duplicated()` a bool tensor, both
#'   with `NaN` unlike any other. `na.omit()` the elements or rows without `NA`.
#'   `median()` of integers is a double, as in base R.
#' @name vector-methods
#' @examples
#' if (twinflow_available()) {
#'   x <- as_tensor(c(3, 1, 3))
#'   unique(x)
#'   tf$boolean_mask(x, !duplicated(x))
#'   diff(x)
#'   solve(as_tensor(matrix(c(2, 0, 0, 4), 2)), c(1, 2))
#' }
NULL

#' @rdname vector-methods
#' @export
unique.twinflow_tensor <- function(x, incomparables = FALSE, ...) {
  call_python(border("unique"), x, call = sys.call())
}

#' @rdname vector-methods
#' @export
duplicated.twinflow_tensor <- function(x, incomparables = FALSE, fromLast = FALSE, ...) {
  call_python(border("duplicated"), x, fromLast, call = sys.call())
}

#' @rdname vector-methods
#' @export
anyDuplicated.twinflow_tensor <- function(x, incomparables = FALSE, ...) anyDuplicated(as.array(x), ...)

#' @rdname vector-methods
#' @export
diff.twinflow_tensor <- function(x, lag = 1L, differences = 1L, ...) {
  call_python(border("difference"), x, lag, differences, call = sys.call())
}

#' @rdname vector-methods
#' @rawNamespace S3method(stats::median, twinflow_tensor)
median.twinflow_tensor <- function(x, na.rm = FALSE, ...) {
  call_python(border("median"), x, na.rm, call = sys.call())
}

#' @rdname vector-methods
#' @rawNamespace S3method(stats::na.omit, twinflow_tensor)
na.omit.twinflow_tensor <- function(object, ...) {
  gone <- is.na(object)
  rank <- length(dim(object))
  if (rank > 1L) gone <- any(gone, axis = seq(2, rank))
  tf$boolean_mask(object, !gone)
}

#' @rdname vector-methods
#' @export
`dim<-.twinflow_tensor` <- function(x, value) {
  call_python(border("redim"), x, as_view(value), call = sys.call())
}

#' @rdname vector-methods
#' @export
solve.twinflow_tensor <- function(a, b = NULL, ...) {
  call_python(border("solve"), a, operand(b), call = sys.call())
}

#' @rdname vector-methods
#' @export
chol.twinflow_tensor <- function(x, ...) {
  call_python(border("upper_root"), x, call = sys.call())
}

#' @rdname vector-methods
#' @export
determinant.twinflow_tensor <- function(x, logarithm = TRUE, ...) determinant(as.matrix(x), logarithm, ...)

#' @rdname vector-methods
#' @rawNamespace S3method(stats::quantile, twinflow_tensor)
quantile.twinflow_tensor <- function(x, ...) stats::quantile(as.vector(x), ...)

#' @rdname vector-methods
#' @export
cut.twinflow_tensor <- function(x, ...) cut(as.vector(x), ...)
