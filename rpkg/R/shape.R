#' Shapes of tensors
#'
#' `shape()` makes a TensorShape. `NA`, `NULL` and `-1` stand for an unknown
#' dim; vectors and other shapes are joined in. Shapes behave like integer
#' vectors: they have `length()`, `[`, `[[`, `c()`, `==`, `prod()` and `as.integer()`.
#'
#' @param ... dims: numbers, `NA` or `NULL`, vectors, shapes, tensors.
#' @param dims all dims in one value; `NULL` for a shape of unknown rank.
#' @return A Python object of class `twinflow_shape`.
#' @export
#' @examples
#' if (twinflow_available()) {
#'   shape(2, NA)
#'   shape(dims = c(2, 3)) == c(2, 3)
#'   as.integer(shape(2, NA))
#' }
shape <- function(..., dims = list(...)) {
  if (!missing(dims) && is.null(dims)) {
    return(new_shape(NULL))
  }
  if (inherits(dims, "twinflow_shape")) dims else new_shape(flat_dims(dims))
}

# Integers with NA for unknown, or NULL for an unknown rank, as a TensorShape.
new_shape <- function(dims) {
  if (!is.null(dims)) dims <- null_for_na(dims)
  call_python(bridge("make_shape"), dims, call = sys.call(-1L))
}

null_for_na <- function(dims) lapply(unname(dims), function(n) if (is.na(n)) NULL else n)

flat_dims <- function(x) {
  if (is.null(x)) {
    return(NA_integer_)
  }
  if (inherits(x, "twinflow_shape")) {
    x <- dims_or_na(x)
  } else if (is_tensor(x)) {
    x <- as.numeric(x)
  } else if (is.list(x)) {
    x <- unlist(lapply(x, flat_dims))
  }
  x <- trunc(numbers_of(x))
  x[x == -1] <- NA
  if (all(is.na(x) | abs(x) <= .Machine$integer.max)) as.integer(x) else x
}

numbers_of <- function(x) {
  if (is.null(x) || is.numeric(x) || is.logical(x)) {
    return(as.numeric(x))
  }
  numbers <- if (is.character(x)) suppressWarnings(as.numeric(x))
  if (is.null(numbers) || anyNA(numbers)) complain("a dim must be a number", x = it_is(x))
  numbers
}

shape_dims <- function(x) known_dims(ask_python(bridge("dims"), x))

#' @rdname shape
#' @param x,y shapes.
#' @param i indices, as for vectors.
#' @param value new dims.
#' @export
length.twinflow_shape <- function(x) {
  dims <- shape_dims(x)
  if (is.null(dims)) NA_integer_ else length(dims)
}

#' @rdname shape
#' @export
format.twinflow_shape <- function(x, ...) {
  dims <- shape_dims(x)
  if (is.null(dims)) "(<unknown>)" else paste0("(", paste(dims, collapse = ", "), ")")
}

#' @rdname shape
#' @export
print.twinflow_shape <- function(x, ...) {
  cat(as.character(x), "\n", sep = "")
  invisible(x)
}

#' @rawNamespace S3method(reticulate::py_str, twinflow_shape)
py_str.twinflow_shape <- function(object, ...) as.character(object)

#' @rdname shape
#' @export
as.character.twinflow_shape <- function(x, ...) ask_python(bridge("repr_text"), x)

#' @rdname shape
#' @export
as.integer.twinflow_shape <- function(x, ...) as.integer(dims_or_na(x))

# The dims with NA for unknown ones. A shape of unknown rank has none: Python says so.
dims_or_na <- function(x) shape_dims(x) %||% x$as_list()

#' @rdname shape
#' @export
as.double.twinflow_shape <- function(x, ...) as.double(dims_or_na(x))

#' @rdname shape
#' @param mode as in [as.vector()].
#' @export
as.vector.twinflow_shape <- function(x, mode = "any") as.vector(dims_or_na(x), mode)

#' @rdname shape
#' @export
as.list.twinflow_shape <- function(x, ...) null_for_na(dims_or_na(x))

#' @rdname shape
#' @export
`[.twinflow_shape` <- function(x, i) new_shape(dims_or_na(x)[i])

#' @rdname shape
#' @export
`[[.twinflow_shape` <- function(x, i) {
  if (is.character(i)) {
    return(NextMethod())
  }
  n <- dims_or_na(x)[[i]]
  if (is.na(n)) NULL else n
}

#' @rdname shape
#' @export
`[<-.twinflow_shape` <- function(x, i, value) {
  dims <- dims_or_na(x)
  dims[i] <- flat_dims(value)
  new_shape(dims)
}

#' @rdname shape
#' @export
`[[<-.twinflow_shape` <- function(x, i, value) {
  if (is.character(i)) {
    return(NextMethod())
  }
  dims <- dims_or_na(x)
  if (is.null(value)) {
    return(new_shape(dims[-i])) # as in a list
  }
  dims[[i]] <- flat_dims(value)
  new_shape(dims)
}

#' @rdname shape
#' @export
c.twinflow_shape <- function(...) {
  if (any(vapply(list(...), has_no_rank, NA))) new_shape(NULL) else shape(...)
}

has_no_rank <- function(x) inherits(x, "twinflow_shape") && is.na(length(x))

#' @rdname shape
#' @export
is.na.twinflow_shape <- function(x) is.na(dims_or_na(x))

#' @rdname shape
#' @param recursive ignored.
#' @export
anyNA.twinflow_shape <- function(x, recursive = FALSE) anyNA(dims_or_na(x))

#' @rdname shape
#' @param na.rm leave out unknown dims?
#' @export
Summary.twinflow_shape <- function(..., na.rm = FALSE) {
  do.call(.Generic, list(flat_dims(list(...)), na.rm = na.rm))
}

#' @rdname shape
#' @export
rev.twinflow_shape <- function(x) new_shape(rev(dims_or_na(x)))

#' @rdname shape
#' @export
merge.twinflow_shape <- function(x, y, ...) {
  call_python(bridge("merge_shapes"), x, shape(dims = y), call = sys.call())
}

#' @rdname shape
#' @param e1,e2 shapes, or what [shape()] takes as `dims`.
#' @export
Ops.twinflow_shape <- function(e1, e2) {
  if (!.Generic %in% c("==", "!=")) {
    complain("`", .Generic, "` is not defined for shapes; use as.integer()")
  }
  same <- identical(dims_to_compare(e1), dims_to_compare(e2))
  if (.Generic == "==") same else !same
}

dims_to_compare <- function(x) {
  if (inherits(x, "twinflow_shape")) shape_dims(x) else if (is.null(x)) NULL else flat_dims(x)
}
