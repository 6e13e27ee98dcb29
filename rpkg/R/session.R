#' Set random seeds of R, Python and TensorFlow
#'
#' Seeds R, Python's `random`, NumPy and the core, so that what follows is
#' repeatable. The GPU stays visible unless `disable_gpu = TRUE`.
#'
#' @param seed a number.
#' @param disable_gpu hide the GPU, for results that do not depend on it?
#' @return `NULL`, invisibly.
#' @export
#' @examples
#' if (twinflow_available()) set_random_seed(42)
set_random_seed <- function(seed, disable_gpu = FALSE) {
  if (!is.numeric(seed) || length(seed) != 1L || !isTRUE(seed >= 0) || seed > .Machine$integer.max) {
    complain("`seed` must be one number, 0 or more", x = it_is(seed))
  }
  check_argument(disable_gpu, "disable_gpu")
  seed <- as.integer(seed)
  set.seed(seed)
  if (disable_gpu) tf$config$set_visible_devices(list(), "GPU")
  reticulate::import("random")$seed(seed)
  reticulate::import("numpy")$random$seed(seed)
  if (reticulate::py_has_attr(tf, "random")) tf$random$set_seed(seed)
  invisible(NULL)
}

#' Compile an R function into a graph
#'
#' Traces an R function once for each kind of input and runs the graph from then
#' on, like `tf$function`.
#'
#' In the code of the function, `if`, `while`, `for`, `&&` and `||` become operations of the graph if their condition is
#' a tensor; otherwise they are R's own. With such a condition, `return()` works in an `if` at the top level of the
#' function, `next` in an `if` at the top level of a loop, and so does `break` in a loop over tensors; elsewhere they
#' are errors. The same holds for functions defined inside; other functions that it calls are not changed.
#'
#' @param f an R function of tensors.
#' @param input_signature a list of `tf$TensorSpec()`, or `NULL`.
#' @param autograph let tensors decide in `if`, `while` and `for`?
#' @param ... passed on to `tf$function`.
#' @return A function that takes and gives tensors.
#' @export
#' @examples
#' if (twinflow_available()) {
#'   square <- tf_function(function(x) x * x)
#'   square(as_tensor(3))
#'   size <- tf_function(function(x) if (x > 0) x else -x)
#'   size(as_tensor(-3))
#' }
tf_function <- function(f, input_signature = NULL, autograph = TRUE, ...) {
  if (!is.function(f)) {
    complain("`f` must be an R function", x = it_is(f))
  }
  tf$`__name__` # says what is missing where there is no Python
  check_argument(autograph, "autograph")
  if (autograph) f <- with_tensor_control(f)
  if (!is_python(f) && has_python_names(f)) f <- reticulate::py_func(f)
  tf$`function`(f, input_signature = input_signature, autograph = FALSE, ...)
}

# Whether Python can know the arguments by name; it takes others as they come, those of R's primitives too.
has_python_names <- function(f) !is.primitive(f) && all(grepl("^[A-Za-z][A-Za-z0-9_]*$", names(formals(f))))

#' Parse command-line arguments
#'
#' Reads `--name=value` and `--name value` into a named list. Values are those of YAML in one line: numbers, `true` and
#' `false`, `null`, strings with or without quotes, `[1, 2, 3]` and `{a: 1, b: 2}`. A hyphen in a name becomes `_`.
#'
#' @param arguments a character vector.
#' @return A named list.
#' @export
#' @examples
#' parse_arguments(c("--rate=0.1", "--steps", "20", "--hidden-units=[64, 32]"))
parse_arguments <- function(arguments = commandArgs(TRUE)) {
  if (!is.character(arguments)) complain("`arguments` must be strings", x = it_is(arguments))
  flags <- list()
  while (length(arguments)) {
    name <- sub("^--", "", arguments[[1L]])
    rest <- arguments[-1L]
    if (!startsWith(arguments[[1L]], "--")) {
      arguments <- rest
      next
    }
    if (grepl("=", name, fixed = TRUE)) {
      value <- sub("^[^=]*=", "", name)
      name <- sub("=.*$", "", name)
    } else {
      value <- if (length(rest)) rest[[1L]] else ""
      rest <- rest[-1L]
    }
    flags[[gsub("-", "_", name, fixed = TRUE)]] <- flag_value(value)
    arguments <- rest
  }
  flags
}

# A value as YAML reads it.
flag_value <- function(text) {
  text <- trimws(text)
  if (grepl("^\\[.*\\]$", text)) {
    return(joined(lapply(flag_items(text), flag_value)))
  }
  if (grepl("^\\{.*\\}$", text)) {
    items <- flag_items(text)
    return(stats::setNames(lapply(sub("^[^:]*:", "", items), flag_value), trimws(sub(":.*$", "", items))))
  }
  if (grepl("^\".*\"$", text) || grepl("^'.*'$", text)) {
    return(substr(text, 2L, nchar(text) - 1L))
  }
  word <- tolower(text)
  if (word %in% c("true", "yes", "on")) {
    return(TRUE)
  }
  if (word %in% c("false", "no", "off")) {
    return(FALSE)
  }
  if (word %in% c("", "null", "~")) {
    return(NULL)
  }
  number <- utils::type.convert(text, as.is = TRUE, na.strings = character())
  if (is.numeric(number)) number else text
}

# The items between brackets: commas within quotes or inner brackets separate none.
flag_items <- function(text) {
  inner <- substr(text, 2L, nchar(text) - 1L)
  if (!nzchar(trimws(inner))) {
    return(character())
  }
  marks <- strsplit(inner, "")[[1L]]
  depth <- cumsum(marks %in% c("[", "{")) - cumsum(marks %in% c("]", "}"))
  quoted <- (cumsum(marks == "\"") %% 2L + cumsum(marks == "'") %% 2L) > 0L
  ends <- c(which(marks == "," & depth == 0L & !quoted), length(marks) + 1L)
  substring(inner, c(1L, ends[-length(ends)] + 1L), ends - 1L)
}

# Values of one type as a vector, others as a list.
joined <- function(values) {
  plain <- vapply(values, function(x) is.atomic(x) && length(x) == 1L, NA)
  kinds <- unique(vapply(values, typeof, ""))
  if (length(values) && all(plain) && length(kinds) == 1L) unlist(values) else values
}

#' Limits and other attributes of dtypes
#'
#' `tf$float32` and other dtypes print as in Python and can be compared with names: `x$dtype == "float32"`. `max`, `min`
#' and `limits` are R numbers: doubles if R's integers are too small.
#'
#' @param x a dtype.
#' @param name an attribute.
#' @return The attribute.
#' @export
#' @keywords internal
`$.twinflow_dtype` <- function(x, name) {
  if (name %in% c("max", "min", "limits")) {
    return(ask_python(bridge("limit"), x, name))
  }
  NextMethod()
}
