#' Functions of base R that are no generics
#'
#' Base R's `outer()` stops at tensors, and `sprintf()` takes only some of their values. These take tensors and
#' variables, and are base R's for everything else. [which()] is another such function.
#'
#' @param X,Y what to combine: vectors, arrays, tensors or variables.
#' @param FUN a function of two tensors that works element by element, such as `"+"`
#'   or `function(x, y) exp(x - y)`. It gets tensors that broadcast.
#' @param ... for `outer()` further arguments of `FUN`, for `sprintf()` what goes
#'   into the text.
#' @param fmt a format, as in [base::sprintf()].
#' @return `outer()` and `%o%` of tensors: a tensor with the dims of `X` and then
#'   those of `Y`. `sprintf()`: strings.
#' @name functions-of-tensors
#' @examples
#' if (twinflow_available()) {
#'   x <- as_tensor(1:3)
#'   outer(x, x)
#'   outer(x, 1:2, "+")
#'   sprintf("%d squared is %d", x, x^2)
#' }
NULL

#' @rdname functions-of-tensors
#' @export
outer <- function(X, Y, FUN = "*", ...) { # nolint: object_name_linter.
  if (!is_tensor(X) && !is_tensor(Y)) {
    outer <- base::outer # errors show the user's own verb
    return(outer(X, Y, FUN, ...))
  }
  left <- with_dims(X)
  right <- with_dims(Y)
  dims <- c(dim(left), dim(right))
  out <- match.fun(FUN)(with_more_dims(left, length(dim(right))), right, ...)
  if (!anyNA(dims) && !identical(as.integer(dim(out)), as.integer(dims))) {
    complain("FUN has to work element by element on tensors that broadcast")
  }
  out
}

#' @rdname functions-of-tensors
#' @export
`%o%` <- function(X, Y) outer(X, Y) # nolint: object_name_linter.

# A vector as an array of one dim, a scalar as one of a single value.
with_dims <- function(x) {
  if (is_tensor(x)) {
    return(if (identical(dim(x), integer())) tf$reshape(x, 1L) else x)
  }
  if (is.null(dim(x))) as.array(x) else x
}

with_more_dims <- function(x, n) {
  if (!is_tensor(x)) {
    return(array(x, c(dim(x), rep(1L, n))))
  }
  for (i in seq_len(n)) x <- tf$expand_dims(x, -1L)
  x
}

#' @rdname functions-of-tensors
#' @export
sprintf <- function(fmt, ...) {
  sprintf <- base::sprintf # errors show the user's own verb
  for (i in seq_len(...length())) {
    if (is_tensor(...elt(i))) {
      return(do.call("sprintf", c(list(fmt), lapply(list(...), values_of_tensor)), envir = environment()))
    }
  }
  sprintf(fmt, ...)
}

values_of_tensor <- function(x) {
  if (!is_tensor(x)) {
    return(x)
  }
  if (is_symbolic(x)) as.character(x) else as.vector(x)
}
