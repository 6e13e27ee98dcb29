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
  if (!is.numeric(seed) || length(seed) != 1L || is.na(seed)) complain("`seed` must be one number")
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
#' In the function's own code `if`, `while`, `for`, `&&` and `||` become
#' operations of the graph where a tensor decides; they are R's own everywhere
#' else. `return()` works in an `if` among the statements of the function, `next` in
#' an `if` among those of a loop, and so does `break` where a tensor decides about the
#' loop; elsewhere they are errors where a tensor decides. Functions that are made inside
#' of it are treated alike, others that it calls are not changed.
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
    complain("`f` must be an R function")
  }
  tf$`__name__` # says what is missing where there is no Python
  if (autograph) f <- with_tensor_control(f)
  if (!is_python(f) && has_python_names(f)) f <- reticulate::py_func(f)
  tf$`function`(f, input_signature = input_signature, autograph = FALSE, ...)
}

# Whether Python can know the arguments by name; it takes others as they come, those of R's primitives too.
has_python_names <- function(f) !is.primitive(f) && all(grepl("^[A-Za-z][A-Za-z0-9_]*$", names(formals(f))))

#' Parse command-line arguments
#'
#' Reads `--name=value` and `--name value` into a named list; values become
#' logical, integer or double where they can.
#'
#' @param arguments a character vector.
#' @return A named list.
#' @export
#' @examples
#' parse_arguments(c("--rate=0.1", "--steps", "20"))
parse_arguments <- function(arguments = commandArgs(TRUE)) {
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
    flags[[name]] <- utils::type.convert(value, as.is = TRUE)
    arguments <- rest
  }
  flags
}

#' Attributes of dtypes
#'
#' `tf$float32` and its relatives print as in Python and compare with names:
#' `x$dtype == "float32"`. `max`, `min` and `limits` come as R numbers, as
#' doubles where R's integers end.
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
