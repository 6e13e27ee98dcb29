#' Print tensors and variables
#'
#' `print()` writes what Python's `print()` writes, with R's way of writing the
#' shape of a tensor of rank 1. `format()` gives Python's text as it is, `str()` one line.
#' Variables print as in Python, `shape=(3,)` included, as the package tensorflow does.
#'
#' @param x,object a tensor or variable.
#' @param digits the number of significant digits.
#' @param width the number of characters of a line.
#' @param max the number of values beyond which only the first and the last ones are shown. All three can be set
#'   for a session, by `options(twinflow.digits = , twinflow.width = , twinflow.max = )`; without, they are NumPy's.
#' @param ... ignored.
#' @return `print()`: `x`, invisibly. `format()`: a string.
#' @name print.twinflow_tensor
#' @examples
#' if (twinflow_available()) {
#'   print(as_tensor(1:3))
#'   print(as_tensor(c(pi, exp(1))), digits = 3)
#'   str(list(as_tensor(1), as_tensor(matrix(1:4, 2))))
#' }
NULL

#' @rdname print.twinflow_tensor
#' @export
print.twinflow_tensor <- function(x, digits = getOption("twinflow.digits"), width = getOption("twinflow.width"),
                                  max = getOption("twinflow.max"), ...) {
  if (reticulate::py_is_null_xptr(x)) {
    cat("<pointer: 0x0>\n")
  } else {
    cat(in_r_shapes(text_of(x, digits, width, max)), "\n", sep = "")
  }
  invisible(x)
}

#' @export
print.twinflow_sparse <- function(x, ...) {
  cat(in_r_shapes(ask_python(bridge("text"), x)), "\n", sep = "")
  invisible(x)
}

# Shapes of one dim as R writes them.
in_r_shapes <- function(text) gsub("shape=\\((None|[0-9]+),\\), dtype=", "shape=(\\1), dtype=", text)

#' @rdname print.twinflow_tensor
#' @export
format.twinflow_tensor <- function(x, digits = getOption("twinflow.digits"), width = getOption("twinflow.width"),
                                   max = getOption("twinflow.max"), ...) {
  if (reticulate::py_is_null_xptr(x)) {
    return("<pointer: 0x0>")
  }
  text_of(x, digits, width, max)
}

text_of <- function(x, digits, width, max) {
  if (is.null(digits) && is.null(width) && is.null(max)) {
    return(ask_python(bridge("text"), x))
  }
  ask_python(bridge("text_with"), x, digits, width, max)
}

#' @rdname print.twinflow_tensor
#' @rawNamespace S3method(utils::str, twinflow_tensor)
str.twinflow_tensor <- function(object, ...) {
  cat(one_line(object), "\n", sep = "")
}

# The repr of a tensor in one line; values that need several are left out.
one_line <- function(x) {
  if (reticulate::py_is_null_xptr(x)) {
    return("<pointer: 0x0>")
  }
  text <- sub("shape=\\(([0-9]+),\\)", "shape=(\\1)", ask_python(bridge("repr_text"), x))
  if (grepl("\n", text, fixed = TRUE)) {
    text <- paste0(sub("numpy=.*$", "numpy=", text), "\u2026>")
  }
  text
}

#' @rawNamespace S3method(pillar::type_sum, twinflow_tensor)
type_sum.twinflow_tensor <- function(x, ...) {
  one_line(x)
}

#' Summary of a tensor
#'
#' @param object a tensor or variable.
#' @param ... passed on to the method for vectors.
#' @return What `summary()` gives for the values.
#' @export
#' @examples
#' if (twinflow_available()) summary(as_tensor(c(1, 2, 4)))
summary.twinflow_tensor <- function(object, ...) {
  summary(as.vector(as.array(object)), ...)
}
