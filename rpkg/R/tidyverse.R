# Methods for generics of other packages, which are registered when these are loaded.

# A method of this package for a generic of another one, which need not be installed.
register_late <- function(package, generic, class, method) {
  register <- function(...) registerS3method(generic, class, method, envir = asNamespace(package))
  if (isNamespaceLoaded(package)) register()
  setHook(packageEvent(package, "onLoad"), register)
}

register_for_other_packages <- function() {
  register_late("waldo", "compare_proxy", "twinflow_tensor", comparable)
  register_late("waldo", "compare_proxy", "twinflow_shape", comparable_shape)
  register_late("vctrs", "vec_proxy", "twinflow_tensor", refuse_column)
  register_late("pillar", "obj_sum", "twinflow_tensor", function(x, ...) one_line(x))
  register_late("generics", "tidy", "twinflow.keras.Metric", tidy_metric)
  register_late("ggplot2", "autoplot", "twinflow_events", autoplot_events)
}

# testthat::expect_equal() and waldo::compare() look at types, shapes and values, not at pointers.
comparable <- function(x, path = "x") {
  if (reticulate::py_is_null_xptr(x) || is_symbolic(x)) {
    return(list(object = format(x), path = path))
  }
  kind <- if (inherits(x, "twinflow.Variable")) "variable" else "tensor"
  object <- structure(list(dtype = x$dtype$name, shape = dim(x), values = as.vector(as.array(x))), class = kind)
  list(object = object, path = path)
}

# Tibbles and dplyr ask vctrs what a column is.
refuse_column <- function(x, ...) {
  complain(
    "a tensor cannot be a column: as.vector(x) can, list(x) as a list column, and as_tibble(x) makes a whole ",
    "data frame",
    call = NULL
  )
}

comparable_shape <- function(x, path = "x") list(object = format(x), path = path)

tidy_metric <- function(x, ...) {
  data.frame(.metric = x$name, .estimate = as.numeric(x$result()))
}

autoplot_events <- function(object, ...) {
  scalars <- as.data.frame(object[!is.na(object$value), , drop = FALSE])
  if (!nrow(scalars)) complain("there are no scalars to draw")
  of <- function(name) getExportedValue("ggplot2", name)
  aes <- do.call(of("aes"), list(x = quote(step), y = quote(value), colour = quote(run)))
  of("ggplot")(scalars, aes) + of("geom_line")(...) + of("facet_wrap")("tag", scales = "free_y")
}

#' Print optimizers, metrics and losses
#'
#' One line with what the object is set to, and the value of a metric.
#'
#' @param x an optimizer, a metric or a loss of `tf$keras`.
#' @param ... ignored.
#' @return `x`, invisibly.
#' @name print-keras
#' @keywords internal
#' @examples
#' if (twinflow_available()) tf$keras$optimizers$Adam(0.01)
NULL

#' @rdname print-keras
#' @rawNamespace S3method(format, twinflow.keras.Optimizer)
format.twinflow.keras.Optimizer <- function(x, ...) {
  steps <- as.numeric(x$iterations$numpy())
  paste0("<", short_class(x), ": ", settings_of(x), "; ", steps, if (steps == 1) " step" else " steps", ">")
}

#' @rdname print-keras
#' @rawNamespace S3method(format, twinflow.keras.Metric)
format.twinflow.keras.Metric <- function(x, ...) {
  value <- paste(format(as.vector(x$result()), digits = 4L), collapse = " ")
  paste0("<", short_class(x), " ", x$name, ": ", value, ">")
}

#' @rdname print-keras
#' @rawNamespace S3method(format, twinflow.keras.Loss)
format.twinflow.keras.Loss <- function(x, ...) paste0("<", short_class(x), " loss>")

print_line <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' @rdname print-keras
#' @rawNamespace S3method(print, twinflow.keras.Optimizer)
print.twinflow.keras.Optimizer <- print_line

#' @rdname print-keras
#' @rawNamespace S3method(print, twinflow.keras.Metric)
print.twinflow.keras.Metric <- print_line

#' @rdname print-keras
#' @rawNamespace S3method(print, twinflow.keras.Loss)
print.twinflow.keras.Loss <- print_line

#' @rdname print-keras
#' @param object the same as `x`.
#' @rawNamespace S3method(utils::str, twinflow.keras.Optimizer)
str.twinflow.keras.Optimizer <- function(object, ...) print_line(object)

#' @rdname print-keras
#' @rawNamespace S3method(utils::str, twinflow.keras.Metric)
str.twinflow.keras.Metric <- function(object, ...) print_line(object)

#' @rdname print-keras
#' @rawNamespace S3method(utils::str, twinflow.keras.Loss)
str.twinflow.keras.Loss <- function(object, ...) print_line(object)

short_class <- function(x) sub("^.*[.]", "", class(x)[[1L]])

# The numbers that are set, as R writes them.
settings_of <- function(x) {
  config <- x$get_config()
  set <- Filter(function(value) (is.numeric(value) || is.character(value)) && length(value) == 1L, config)
  set <- set[setdiff(names(set), c("name", "ema_momentum"))]
  if (is.null(set$learning_rate)) set <- c(list(learning_rate = "a schedule"), set)
  paste(names(set), "=", vapply(set, format, ""), collapse = ", ")
}
