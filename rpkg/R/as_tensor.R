#' Convert R values to tensors
#'
#' Converts an R value to a tensor. Without `dtype`, logical becomes bool,
#' integer int32, double float64, complex complex128, character and factor
#' string, raw int32. A vector of length 1 gives a scalar, `array(1)` a vector;
#' names and dimnames are dropped. In a list numbers become float32 or int32,
#' as in Python.
#'
#' `options(twinflow.floatx = "float32")` converts doubles to float32 where no `dtype` is given, for the rest of the
#' session; see [tf].
#'
#' With `dtype`, numbers out of range become the nearest limit (`Inf` stays `Inf`), and integer types cut off fractions.
#' A missing value cannot become an integer or a bool, which is an error; a lost imaginary part is a warning. Dates and
#' times become numbers only if you give a `dtype` (days or seconds since 1970); durations become the numbers they hold.
#' With `shape`, a single value fills the shape, and several values are laid out row by row (R's `matrix()` fills
#' columns first); one dim may be `NA` or `-1`.
#'
#' @param x an R vector, array, factor or list; a tensor or variable; a Python
#'   object.
#' @param dtype a name such as `"float32"`, or a dtype such as `tf$float32`.
#' @param ... ignored, and all but `name` with a message: `shape` has to be named.
#' @param shape a numeric vector, a list, a [shape()] or a tensor.
#' @return A tensor: a Python object of class `twinflow_tensor`; of a sparse
#'   matrix (see [sparse_matrix()]) a SparseTensor.
#' @seealso [frame_to_tensor()] for data frames.
#' @export
#' @examples
#' if (twinflow_available()) {
#'   as_tensor(1:4, "float32", shape = c(2, 2))
#'   as_tensor(0, shape = c(2, 3))
#' }
as_tensor <- function(x, dtype = NULL, ..., shape = NULL) {
  if (...length()) mention_ignored(...names())
  UseMethod("as_tensor")
}

mention_ignored <- function(names) {
  if (is.null(names) || !all(nzchar(names))) {
    message("as_tensor() ignores what follows dtype without a name: write shape = ")
  } else if (length(ignored <- setdiff(names, "name"))) {
    message("as_tensor() ignores ", paste(ignored, collapse = ", "))
  }
}

#' @export
as_tensor.default <- function(x, dtype = NULL, ..., shape = NULL) {
  make_tensor(x, dtype, shape, sys.call())
}

make_tensor <- function(x, dtype, shape, call) {
  if (is.null(dtype) && is.double(x) && !is.object(x)) dtype <- getOption("twinflow.floatx")
  verb <- if (is.atomic(x) && !is.null(x)) "tensor" else "retensor"
  call_python(bridge(verb), prepared(x), dtype, dims_argument(shape), call = call)
}

#' @export
as_tensor.factor <- function(x, dtype = NULL, ..., shape = NULL) {
  if (!is.null(dtype) && tf$as_dtype(dtype)$name != "string") {
    complain(
      "the labels of a factor are strings; as_tensor(as.integer(x) - 1L) makes codes that count from 0, and ",
      "tf$one_hot() of these a column for each level"
    )
  }
  labels <- labels_of(x)
  dim(labels) <- dim(x)
  make_tensor(labels, dtype, shape, sys.call())
}

#' @export
as_tensor.data.frame <- function(x, dtype = NULL, ..., shape = NULL) {
  columns <- lapply(as.list(x), function(column) if (is.factor(column)) as.character(column) else column)
  make_tensor(columns, dtype, shape, sys.call())
}

#' @export
as_tensor.integer64 <- function(x, dtype = NULL, ..., shape = NULL) {
  call_python(bridge("integer64"), bits_of_integer64(x), dtype, dims_argument(shape), call = sys.call())
}

# bit64 keeps its integers in the memory of doubles.
bits_of_integer64 <- function(x) {
  attributes(x) <- list(dim = dim(x))
  as_view(x)
}

labels_of <- function(x) {
  if (is.ordered(x)) caution("the labels of an ordered factor become strings, which are not ordered")
  as.character(x)
}

# An R value in the form in which it crosses to Python.
prepared <- function(x) {
  if (is.function(x) && !is_python(x)) {
    complain("a function of R's cannot become a tensor", i = "Its result can, as in as_tensor(f()).")
  }
  if (is.language(x) || is.environment(x) && !is_python(x)) {
    complain("an R object of type ", typeof(x), " cannot become a tensor", x = paste0("its class is ", class(x)[[1L]]))
  }
  if (is.factor(x)) x <- labels_of(x)
  if (is.raw(x)) {
    return(array(as.integer(x), dim(x) %||% length(x)))
  }
  if (is.atomic(x) && !is.null(x)) as_view(checked_na(without_class(x))) else if (is_delicate(x)) cared_for(x) else x
}

# Whether reticulate would change a value, also within lists: TRUE, -2147483648 or "NA" for a missing one, the memory of
# doubles for bit64's integers.
is_delicate <- function(x) bitwAnd(.External(C_kinds, long_length, x), delicate) > 0L

checked_na <- function(x, name = "", call = entering_call()) {
  where <- if (nzchar(name)) paste0("the argument is `", name, "`")
  if (is.logical(x) && anyNA(x)) {
    complain(
      "NA cannot become a bool tensor; a numeric type can hold it, as in as_tensor(as.numeric(x))",
      x = where, call = call
    )
  }
  if (is.character(x) && anyNA(x)) {
    complain(
      "NA cannot become a string tensor; give it a text first, as in x[is.na(x)] <- \"\"",
      x = where, call = call
    )
  }
  x
}

# The same for arguments of functions under tf$, to which a missing integer would be -2147483648.
checked_argument <- function(x, name, call) {
  if (is.integer(x) && anyNA(x)) {
    complain(
      "NA cannot become an integer; a double holds it, as in as.numeric(x), and becomes NaN",
      x = if (nzchar(name)) paste0("the argument is `", name, "`"), call = call
    )
  }
  checked_na(x, name, call)
}

without_class <- function(x) {
  if (is.object(x)) attributes(x) <- list(dim = dim(x))
  x
}

# A shape in the form in which it crosses to Python: NULL, a list of integers and NULLs, or a
# Python object.
dims_argument <- function(shape) {
  if (is.null(shape) || is_python(shape)) {
    return(shape)
  }
  null_for_na(flat_dims(shape))
}
