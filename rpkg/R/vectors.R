#' Functions of base R and stats for tensors: unique, diff, solve, median and others
#'
#' These are methods for generic functions of base R and stats. Most return tensors and have gradients. `cut()`,
#' `apply()`, `svd()`, `eigen()`, `qr()` and `kronecker()` return R values, with a warning if a gradient tape records
#' the tensor. [det()][statistics-of-tensors], `scale()` and `quantile()` have a page of their own.
#'
#' [attach_verbs()] adds versions of functions that are not generic: `rowSums()` and its relatives, `pmax()`, `diag()`,
#' `ifelse()`, `var()`, `which()`, `outer()`, `cat()` and others. For any other function use `as.array(x)` or
#' `as.vector(x)`, or an operation such as `tf$math$bincount()` instead of `tabulate()`. `sum()`, `max()` and the like
#' dispatch on their first argument only: write `max(x, 0)`, not `max(0, x)`.
#'
#' `lapply()`, `sapply()`, `Reduce()`, `Filter()`, `mapply()` and `Map()` loop over the elements of a tensor, which are
#' tensors. To loop over rows, give them `tf$unstack(x)`; `tf$map_fn()` does it in a single operation.
#'
#' @param x,object,a a tensor or variable.
#' @param b the right-hand side, a tensor or R values; without it `solve()` gives the
#'   inverse.
#' @param incomparables ignored.
#' @param fromLast of equal ones, keep the last?
#' @param lag,differences,na.rm as in base R.
#' @param value the new dims, for the same values in R's order.
#' @param w weights, as many as values.
#' @param f,drop a factor, or what [base::split()] makes one of.
#' @param subset a bool tensor or logical vector: which elements or rows to keep.
#' @param use.names ignored.
#' @param ... passed on to the methods for R's arrays; ignored where tensors are made.
#' @return `unique()` the different elements or rows, `duplicated()` a bool tensor, both
#'   with `NaN` unlike any other. `na.omit()` and `subset()` some of the elements or rows, `split()` a list of such
#'   tensors. `median()` and `weighted.mean()` of integers are doubles, as in base R. `lengths()` those of a ragged
#'   tensor's rows.
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
  call_python(bridge("unique"), x, call = sys.call())
}

#' @rdname vector-methods
#' @export
duplicated.twinflow_tensor <- function(x, incomparables = FALSE, fromLast = FALSE, ...) {
  call_python(bridge("duplicated"), x, fromLast, call = sys.call())
}

#' @rdname vector-methods
#' @export
anyDuplicated.twinflow_tensor <- function(x, incomparables = FALSE, ...) anyDuplicated(as.array(x), ...)

#' @rdname vector-methods
#' @export
diff.twinflow_tensor <- function(x, lag = 1L, differences = 1L, ...) {
  call_python(bridge("difference"), x, lag, differences, call = sys.call())
}

#' @rdname vector-methods
#' @importFrom stats median
#' @export
median.twinflow_tensor <- function(x, na.rm = FALSE, ...) {
  call_python(bridge("median"), x, na.rm, call = sys.call())
}

#' @rdname vector-methods
#' @importFrom stats na.omit
#' @export
na.omit.twinflow_tensor <- function(object, ...) {
  gone <- is.na(object)
  rank <- length(dim(object))
  if (rank > 1L) gone <- any(gone, axis = seq(2, rank))
  tf$boolean_mask(object, !gone)
}

#' @rdname vector-methods
#' @export
`dim<-.twinflow_tensor` <- function(x, value) {
  call_python(bridge("redim"), x, as_view(value), call = sys.call())
}

#' @rdname vector-methods
#' @export
solve.twinflow_tensor <- function(a, b = NULL, ...) {
  call_python(bridge("solve"), a, operand(b), call = sys.call())
}

#' @rdname vector-methods
#' @export
chol.twinflow_tensor <- function(x, ...) {
  call_python(bridge("upper_root"), x, call = sys.call())
}

#' @rdname vector-methods
#' @export
cut.twinflow_tensor <- function(x, ...) cut(as.vector(x), ...)

#' @rdname vector-methods
#' @importFrom stats weighted.mean
#' @export
weighted.mean.twinflow_tensor <- function(x, w, ..., na.rm = FALSE) {
  if (missing(w)) {
    return(mean(x, na.rm = na.rm))
  }
  if (length(w) != length(x)) complain("'x' and 'w' must have the same length")
  if (x$dtype$is_integer || x$dtype$is_bool) x <- tf$cast(x, "float64")
  w <- tf$reshape(as_tensor(w, x$dtype), dim(x))
  if (na.rm) {
    there <- !is.na(x)
    x <- tf$boolean_mask(x, there)
    w <- tf$boolean_mask(w, there)
  }
  sum(x * (w / sum(w)))
}

#' @rdname vector-methods
#' @export
split.twinflow_tensor <- function(x, f, drop = FALSE, ...) {
  places <- split(seq_len(NROW(x)), f, drop, ...)
  lapply(places, function(i) call_python(bridge("rows_at"), x, array(i)))
}

#' @rdname vector-methods
#' @param group,reorder as in [base::rowsum()]; the sums have no names.
#' @export
rowsum.twinflow_tensor <- function(x, group, reorder = TRUE, ...) {
  if (anyNA(group)) complain("`group` must have no missing values", i = "a tensor has no row for them")
  if (length(group) != NROW(x)) {
    complain(
      "`group` must have a value for each row of `x`", x = paste("it has", length(group), "for", NROW(x), "rows")
    )
  }
  groups <- unique(as.vector(as_r(group)))
  if (isTRUE(reorder)) groups <- sort(groups)
  at <- match(as.vector(as_r(group)), groups) - 1L
  sums <- tf$math$unsorted_segment_sum(x, as_tensor(at), length(groups))
  if (length(dim(x)) == 1L) tf$expand_dims(sums, 1L) else sums
}

#' @rdname vector-methods
#' @export
subset.twinflow_tensor <- function(x, subset, ...) tf$boolean_mask(x, subset)

#' @rdname vector-methods
#' @method lengths twinflow_tensor
#' @export
lengths.twinflow_tensor <- function(x, use.names = TRUE) rep(1L, length(x))

#' @rdname vector-methods
#' @method lengths twinflow_ragged
#' @export
lengths.twinflow_ragged <- function(x, use.names = TRUE) as.integer(x$row_lengths())

# What R keeps beside the values of a vector a tensor has no room for.
no_attribute <- function(x, value, what) {
  if (!is.null(value)) complain("a tensor has no ", what, ", which as.array(x) can have")
  x
}

#' @export
`names<-.twinflow_tensor` <- function(x, value) no_attribute(x, value, "names")

#' @export
`dimnames<-.twinflow_tensor` <- function(x, value) no_attribute(x, value, "names of rows and columns")

#' @export
`levels<-.twinflow_tensor` <- function(x, value) no_attribute(x, value, "levels")

#' @export
`length<-.twinflow_tensor` <- function(x, value) complain("the length of a tensor stays; see head() and tf$pad()")
