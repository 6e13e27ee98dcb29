#' Operators and mathematics on tensors
#'
#' The operators of R work on tensors and variables, and between them and R
#' values. An R value takes the dtype of the tensor beside it; where that would
#' change it (2.5 beside int32, 300 beside uint8, `NA` beside integers) it is an
#' error. Tensors of different dtypes do not mix. Shapes follow NumPy's
#' broadcasting; R's recycling does not apply.
#'
#' `%*%` takes tensors from R 4.3 on, `crossprod()` and `tcrossprod()` from 4.4 on; before, after [attach_verbs()].
#' `tf$matmul()` is there in every version.
#'
#' @param e1,e2 tensors, variables or R values, at least one a tensor.
#' @param x a tensor or variable.
#' @param ... for `log()` the base, for `round()` and `signif()` the digits.
#' @return A tensor.
#' @name Ops.twinflow_tensor
#' @examples
#' if (twinflow_available()) {
#'   x <- as_tensor(c(1, 2, 3))
#'   x * 2 + 1
#'   x > 1.5
#'   round(exp(x), 2)
#' }
NULL

#' @rdname Ops.twinflow_tensor
#' @export
Ops.twinflow_tensor <- function(e1, e2) {
  generic <- .Generic
  call <- sys.call()
  if (!missing(e2) && is_tensor(e1) && is_tensor(e2)) {
    return(call_python(verb(generic, operator_kind(generic)), e1, e2, call = group_call(call, generic)))
  }
  if (is_compound(e1) || (!missing(e2) && is_compound(e2))) {
    return(operate(generic, if (missing(e2)) list(e1) else list(e1, e2), group_call(call, generic)))
  }
  if (missing(e2)) {
    if (generic == "+") {
      return(e1) # a variable stays one
    }
    f <- verb(generic, if (generic == "!") "logical" else "unary")
    return(call_python(f, e1, call = group_call(call, generic)))
  }
  kind <- operator_kind(generic)
  of <- if (kind == "logical") prepared else operand
  call_python(verb(generic, kind), of(e1), of(e2), call = group_call(call, generic))
}

operator_kind <- function(generic) switch(generic, "^" = "plain", "&" = , "|" = "logical", "binary")

# The same function, so that R finds one method for a sparse or ragged tensor beside a tensor.
#' @rdname Ops.twinflow_tensor
#' @export
Ops.twinflow_object <- Ops.twinflow_tensor

# What of the core's is no single tensor: Python's own operators say what there is.
is_compound <- function(x) !inherits(x, "twinflow_tensor") && inherits(x, "twinflow_object")

operate <- function(generic, operands, call) {
  arguments <- c(list(bridge("operate"), generic), lapply(operands, as_view), list(call = call))
  do.call(ask_python, arguments, quote = TRUE)
}

# An R operand in the form in which it crosses to Python.
operand <- function(x) {
  if (is.environment(x) || is.null(x)) {
    return(x)
  }
  if (is.double(x) && length(x) == 1L && is.null(attributes(x))) {
    return(x)
  }
  if (is.object(x)) {
    return(object_operand(x))
  }
  if ((is.integer(x) || is.logical(x)) && anyNA(x)) {
    storage.mode(x) <- "double" # NA is no int32 and no bool, but a NaN
  }
  prepared(x)
}

object_operand <- function(x) {
  if (inherits(x, "integer64")) {
    return(call_python(bridge("wide_integers"), bits_of_integer64(x)))
  }
  if (inherits(x, c("Date", "POSIXt"))) {
    complain("dates and times have no dtype", i = "as.numeric() makes days or seconds since 1970 of them")
  }
  prepared(x)
}

#' @rdname Ops.twinflow_tensor
#' @export
Math.twinflow_tensor <- function(x, ...) {
  generic <- .Generic
  call <- sys.call()
  call_python(verb(generic), x, ..., call = group_call(call, generic))
}

#' @rdname Ops.twinflow_tensor
#' @param z a tensor or variable.
#' @export
Complex.twinflow_tensor <- function(z) {
  generic <- .Generic
  call <- sys.call()
  call_python(verb(generic), z, call = group_call(call, generic))
}

chooseOpsMethod.twinflow_tensor <- function(x, y, mx, my, cl, reverse) TRUE

# R 4.3 has %*% in this group, 4.4 crossprod() and tcrossprod() too.
matrixOps.twinflow_tensor <- function(x, y = NULL) {
  generic <- .Generic
  call_python(verb(generic), operand(x), operand(y), call = group_call(sys.call(), generic))
}

#' Missing and non-finite values of tensors
#'
#' @param x a tensor or variable.
#' @param recursive ignored.
#' @return `is.na()` and the others: a bool tensor. `anyNA()`: `TRUE` or `FALSE`.
#' @name is.na.twinflow_tensor
#' @examples
#' if (twinflow_available()) is.na(as_tensor(c(1, NA)))
NULL

#' @rdname is.na.twinflow_tensor
#' @export
is.na.twinflow_tensor <- function(x) {
  call_python(verb("is.na"), x, call = sys.call())
}

#' @rdname is.na.twinflow_tensor
#' @export
is.nan.twinflow_tensor <- function(x) {
  call_python(verb("is.nan"), x, call = sys.call())
}

#' @rdname is.na.twinflow_tensor
#' @export
is.finite.twinflow_tensor <- function(x) {
  call_python(verb("is.finite"), x, call = sys.call())
}

#' @rdname is.na.twinflow_tensor
#' @export
is.infinite.twinflow_tensor <- function(x) {
  call_python(verb("is.infinite"), x, call = sys.call())
}

#' @rdname is.na.twinflow_tensor
#' @export
anyNA.twinflow_tensor <- function(x, recursive = FALSE) {
  ask_python(bridge("any_na"), x)
}

#' Sums, means and other reductions of tensors
#'
#' @param x a tensor or variable.
#' @param ... more tensors; the result covers all of them. For `mean()`: none.
#' @param axis which axes to reduce, counted from 1 (from the end if negative);
#'   all of them if `NULL`.
#' @param keepdims keep the reduced axes with length 1?
#' @param na.rm leave out `NA` and `NaN`?
#' @param name ignored: the original names operations of graphs by it.
#' @return A tensor. The mean of integers is a double, as in base R.
#' @name reductions
#' @examples
#' if (twinflow_available()) {
#'   m <- as_tensor(matrix(1:6, 2))
#'   sum(m)
#'   max(m, axis = 2)
#'   mean(m, axis = 1, keepdims = TRUE)
#' }
NULL

#' @rdname reductions
#' @export
Summary.twinflow_tensor <- function(..., axis = NULL, keepdims = FALSE, name = NULL, na.rm = FALSE) {
  if (...length() == 1L && is.null(axis) && !keepdims && !na.rm) {
    return(call_python(verb(.Generic, "reduction"), ..1, call = group_call(sys.call(), .Generic)))
  }
  reduce(.Generic, list(...), axis, keepdims, na.rm, group_call(sys.call(), .Generic))
}

#' @rdname reductions
#' @export
mean.twinflow_tensor <- function(x, ..., axis = NULL, keepdims = FALSE, name = NULL, na.rm = FALSE) {
  if (...length()) complain("mean() of a tensor takes axis, keepdims and na.rm alone")
  reduce("mean", list(x), axis, keepdims, na.rm, sys.call())
}

reduce <- function(generic, args, axis, keepdims, na_rm, call) {
  f <- verb(generic, "reduction")
  args <- c(lapply(unname(dropped_null(args)), operand), list(axis = as_view(axis), keepdims = keepdims, na_rm = na_rm))
  do.call(call_python, c(list(f), args, list(call = call)), quote = TRUE)
}

dropped_null <- function(items) items[!vapply(items, is.null, NA)]
