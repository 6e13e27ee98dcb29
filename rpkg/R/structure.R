#' Transpose, bind, sort and repeat tensors
#'
#' Methods of base R's functions for tensors and variables.
#'
#' @param x,a a tensor or variable.
#' @param perm the order of the dims, counted from 1; reversed if `NULL`.
#' @param ... for `cbind()` and `rbind()` what to join: tensors, matrices,
#'   vectors, scalars (names and `NULL` are dropped); for `aperm()` ignored, with a
#'   warning; otherwise an error.
#' @param deparse.level ignored: tensors have no names.
#' @param dtype the dtype of the result; if `NULL` that of the tensors, the widest
#'   one of tensors that are all floats, all integers or all unsigned integers.
#' @param conjugate take the complex conjugates, too?
#' @param name ignored: the original names operations of graphs by it.
#' @param decreasing sort in decreasing order? `NaN` come last in either, and stay: a sorted tensor keeps its shape.
#' @param axis the dim along which to sort, counted from 1 or from the end.
#' @param times how often to repeat along each dim; of a vector one number for each
#'   element, too.
#' @param each,length.out of vectors, as in [base::rep()].
#' @return A tensor.
#' @name structure-methods
#' @examples
#' if (twinflow_available()) {
#'   m <- as_tensor(matrix(1:6, 2))
#'   t(m)
#'   cbind(m, 7L)
#'   sort(as_tensor(c(3, 1, 2)), decreasing = TRUE)
#' }
NULL

#' @rdname structure-methods
#' @export
t.twinflow_tensor <- function(x) {
  call_python(bridge("transpose"), x, call = sys.call())
}

#' @rdname structure-methods
#' @export
aperm.twinflow_tensor <- function(a, perm = NULL, ..., conjugate = FALSE, name = NULL) {
  chkDots(...)
  call_python(bridge("aperm"), a, as_view(perm), conjugate, call = sys.call())
}

#' @rdname structure-methods
#' @export
cbind.twinflow_tensor <- function(..., deparse.level = 1, dtype = NULL, name = NULL) {
  bind(list(...), 1L, dtype, sys.call(-1L))
}

#' @rdname structure-methods
#' @export
rbind.twinflow_tensor <- function(..., deparse.level = 1, dtype = NULL, name = NULL) {
  bind(list(...), 0L, dtype, sys.call(-1L))
}

bind <- function(items, axis, dtype, call) {
  items <- lapply(unname(dropped_null(items)), operand)
  call_python(bridge("bind"), items, axis, dtype, call = call)
}

#' @rdname structure-methods
#' @export
sort.twinflow_tensor <- function(x, decreasing = FALSE, ..., axis = -1L, name = NULL) {
  if (...length()) complain("sort() of a tensor takes decreasing and axis alone")
  check_flag(decreasing, "decreasing")
  call_python(bridge("sort"), x, decreasing, axis, call = sys.call())
}

#' @rdname structure-methods
#' @export
rev.twinflow_tensor <- function(x) {
  call_python(bridge("reverse"), x, call = sys.call())
}

#' @rdname structure-methods
#' @export
rep.twinflow_tensor <- function(x, times = 1L, ..., each = NULL, length.out = NULL) {
  if (identical(sys.function(sys.parent()), base::ifelse)) complain_of_ifelse(sys.call(sys.parent()))
  if (!is.null(each) || !is.null(length.out)) {
    x <- call_python(bridge("repeated"), x, each, length.out, call = sys.call())
  }
  if (!is.null(length.out) || (!is.null(each) && missing(times))) {
    return(x)
  }
  call_python(bridge("tile"), x, as_view(times), call = sys.call())
}

complain_of_ifelse <- function(call) {
  complain("ifelse() does not know tensors; tf$where(test, yes, no) does", call = call)
}

#' @export
xtfrm.twinflow_tensor <- function(x) as.vector(as.array(x))

# Of a Python object R shows the names of what it has. Functions of base R ask for the names of elements, which have
# none.
#' @export
names.twinflow_tensor <- function(x) {
  asked_by <- environmentName(topenv(parent.frame()))
  if (asked_by %in% c("base", "stats", "utils")) NULL else NextMethod()
}

#' Test tensors for equality
#'
#' @param target,current tensors, variables or R arrays.
#' @param ... passed on to the method for arrays, for example `tolerance`.
#' @return `TRUE`, or a description of the differences.
#' @method all.equal twinflow_tensor
#' @export
#' @examples
#' if (twinflow_available()) all.equal(as_tensor(c(1, 2)), c(1, 2))
all.equal.twinflow_tensor <- function(target, current, ...) {
  if (is_tensor(current)) {
    if (target$dtype != current$dtype) {
      return(paste0("dtype: ", target$dtype$name, ", ", current$dtype$name))
    }
    current <- as.array(current)
  }
  target <- as.array(target)
  if (is.null(dim(current)) && length(dim(target)) == 1L) target <- as.vector(target)
  all.equal(target, current, ...)
}
