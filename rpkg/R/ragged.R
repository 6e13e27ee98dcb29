#' Ragged tensors
#'
#' A ragged tensor has rows of different lengths. `[` and `[[` count from 1, and `length()` is the number of rows.
#' Operators take ragged tensors, tensors and R values. Mathematical functions work on each value; `sum()`, `mean()` and
#' the like reduce all values, or with `axis = 2` each row.
#'
#' @param x a ragged tensor.
#' @param ... passed on to the method for tensors.
#' @param axis which axis to reduce, counted from 1; all values together if `NULL`.
#' @param na.rm leave out `NA` and `NaN`?
#' @return `as.list()`: a list of tensors with their gradients, one for each row; of rows of rows, lists. Mathematics
#'   and `is.na()`: a ragged tensor. Reductions: a tensor.
#' @name ragged
#' @examples
#' if (twinflow_available()) {
#'   x <- tf$ragged$constant(list(list(1, 2), list(), list(9)))
#'   lapply(as.list(sqrt(x)), as.vector)
#'   sum(x)
#' }
NULL

#' @rdname ragged
#' @export
as.list.twinflow_ragged <- function(x, ...) {
  lapply(seq_len(length(x)), function(i) {
    row <- x[[i]]
    if (inherits(row, "twinflow_ragged")) as.list(row) else row
  })
}

#' @rdname ragged
#' @export
Math.twinflow_ragged <- function(x, ...) {
  if (startsWith(.Generic, "cum")) {
    complain(.Generic, "() would go from one row into the next", call = group_call(sys.call(), .Generic))
  }
  x$with_flat_values(get(.Generic, baseenv())(x$flat_values, ...))
}

#' @rdname ragged
#' @export
Summary.twinflow_ragged <- function(x, ..., axis = NULL, na.rm = FALSE) {
  if (...length()) {
    complain("of ragged tensors ", .Generic, "() takes one", call = group_call(sys.call(), .Generic))
  }
  over_rows(.Generic, x, axis, na.rm)
}

#' @rdname ragged
#' @export
mean.twinflow_ragged <- function(x, ..., axis = NULL, na.rm = FALSE) over_rows("mean", x, axis, na.rm)

over_rows <- function(generic, x, axis, na_rm) {
  if (is.null(axis)) {
    return(get(generic, baseenv())(x$flat_values, na.rm = na_rm))
  }
  if (na_rm) complain("na.rm = TRUE works here on all values together: leave out axis")
  call_python(bridge("reduced_rows"), generic, x, as_view(axis))
}

#' @rdname ragged
#' @export
is.na.twinflow_ragged <- function(x) x$with_flat_values(is.na(x$flat_values))

#' @rdname ragged
#' @export
as.array.twinflow_ragged <- function(x, ...) {
  complain("rows of different lengths are no array: as.list(x) gives them one by one, x$to_tensor() fills them up")
}

#' @rdname ragged
#' @export
as.vector.twinflow_ragged <- as.array.twinflow_ragged
