# Functions of the core as R shows them: their arguments, and the float type of the session.

#' Print functions of tf
#'
#' Printing a function of `tf` shows its arguments in R's words and the first line of its documentation.
#'
#' @param x a function of `tf`.
#' @param ... ignored.
#' @return `x`, invisibly.
#' @export
#' @keywords internal
#' @examples
#' if (twinflow_available()) tf$matmul
print.twinflow_function <- function(x, ...) {
  about <- ask_python(bridge("about"), as_they_were(x))
  call <- paste0(about$name, "(", arguments_text(formals(x)), ")")
  lines <- strwrap(gsub(" = ", "\r", call, fixed = TRUE), exdent = 2L) # an argument stays on one line
  cat(gsub("\r", " = ", lines, fixed = TRUE), sep = "\n")
  if (nzchar(about$first_line)) cat("  ", about$first_line, "\n", sep = "")
  invisible(x)
}

# Functions, methods and classes, as opposed to objects that can be called.
is_plain_function <- function(f) {
  inherits(f, c("python.builtin.function", "python.builtin.method", "python.builtin.type"))
}

# The object of Python behind a function.
as_they_were <- function(f) attr(f, "py_object") %||% f

arguments_text <- function(arguments) {
  values <- vapply(arguments, default_text, "")
  toString(ifelse(nzchar(values), paste(names(arguments), "=", values), names(arguments)))
}

# A default value as it can be written. Members of Python's enumerations are taken by their values, too.
default_text <- function(value) {
  if (is_python(value) && reticulate::py_has_attr(value, "value")) value <- py_field(value, "value")
  paste(deparse(value), collapse = " ")
}

# The arguments of a function of Python's, where reticulate knows no more than that there are some.
formals_of <- function(f) {
  if (!identical(names(formals(f)), "...")) {
    return(formals(f))
  }
  found <- call_python(bridge("arguments_of"), as_they_were(f))
  found <- reticulate::py_to_r(found)
  if (!length(found)) {
    return(formals(f))
  }
  arguments <- lapply(found, function(one) if (length(one) == 1L) quote(expr = ) else one[[2L]])
  as.pairlist(stats::setNames(arguments, vapply(found, function(one) one[[1L]], "")))
}

# Whether a call makes floats whose type the user left open: `dtype` is not among the arguments, and R's doubles, or a
# default, decide about it.
takes_floatx <- function(f, ...) {
  kind <- floatx_kind(f)
  if (kind$kind == "none" || "dtype" %in% ...names()) {
    return(FALSE)
  }
  unnamed <- if (is.null(...names())) ...length() else sum(!nzchar(...names()) | is.na(...names()))
  if (unnamed > kind$before) {
    return(FALSE)
  }
  kind$kind == "default" || (...length() > 0L && is.double(..1) && !is.object(..1))
}

# "default" for functions whose `dtype` is float32, "value" for those that take it from the value, "none" for others;
# with the number of arguments before `dtype`.
floatx_kind <- function(f) {
  key <- format(get("pyobj", attr(f, "py_object")))
  known <- floatx_kinds[[key]]
  if (is.null(known)) {
    known <- ask_python(bridge("float_default"), as_they_were(f))
    assign(key, known, envir = floatx_kinds)
  }
  known
}

floatx_kinds <- new.env(parent = emptyenv())
