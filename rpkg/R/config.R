#' What is in use
#'
#' `tf_config()` tells which core and which Python are in use; `tf_version()`
#' which version of TensorFlow's interface it speaks; `tf_gpu_configured()`
#' whether a GPU can be used; `twinflow_available()` whether the core can be
#' loaded at all. `twinflow_sitrep()` prints all that a bug report needs.
#'
#' @param verbose print what was found?
#' @return `tf_config()`: a list of class `tensorflow_config`. `tf_version()`: a
#'   [package_version()]. The others: `TRUE` or `FALSE`.
#' @export
#' @examples
#' if (twinflow_available()) {
#'   tf_config()
#'   tf_version()
#'   tf_gpu_configured()
#' }
tf_config <- function() {
  if (!twinflow_available()) {
    return(structure(list(available = FALSE, error_message = no_core_text()), class = "tensorflow_config"))
  }
  version <- interface_version()
  python <- reticulate::py_config()
  structure(
    list(
      available = TRUE,
      version = short_version(version),
      version_str = version,
      location = dirname(tf$`__file__`),
      python = python$python,
      python_version = as.character(python$version)
    ),
    class = "tensorflow_config"
  )
}

#' @rdname tf_config
#' @param x a value of `tf_config()`.
#' @param ... ignored.
#' @export
print.tensorflow_config <- function(x, ...) {
  if (x$available) {
    cat("TensorFlow v", x$version_str, " interface by twinflow (", short_path(x$location), ")\n", sep = "")
    cat("Python v", x$python_version, " (", short_path(x$python), ")\n", sep = "")
  } else {
    cat(x$error_message, "\n", sep = "")
  }
  invisible(x)
}

#' @rdname tf_config
#' @export
tf_version <- function() {
  config <- tf_config()
  if (config$available) config$version
}

#' @rdname tf_config
#' @export
tf_gpu_configured <- function(verbose = TRUE) {
  devices <- tf$config$list_physical_devices("GPU")
  if (verbose) {
    cat("TensorFlow built with CUDA: ", tf$test$is_built_with_cuda(), "\n")
    cat("GPU device name: ", tf$test$gpu_device_name(), "\n")
  }
  length(devices) > 0L
}

#' @rdname tf_config
#' @export
twinflow_available <- function() {
  tryCatch(
    {
      tf$`__version__`
      TRUE
    },
    error = function(e) {
      assign("load_error", conditionMessage(e), envir = callables)
      FALSE
    }
  )
}

#' @rdname tf_config
#' @export
twinflow_sitrep <- function() {
  cat("R ", format(getRversion()), ", ", R.version$platform, "\n", sep = "")
  for (package in c("twinflow", "reticulate")) {
    cat(package, " ", format(utils::packageVersion(package)), "\n", sep = "")
  }
  print(tf_config())
  if (twinflow_available()) {
    for (module in c("numpy", "ml_dtypes", "cupy")) cat(module, " ", python_version_of(module), "\n", sep = "")
    for (device in tf$config$list_physical_devices()) cat(device$name, "\n")
  }
  invisible(twinflow_available())
}

python_version_of <- function(module) {
  tryCatch(reticulate::import(module)$`__version__`, error = function(e) "not found")
}

no_core_text <- function() {
  paste0(
    "Python with NumPy and ml_dtypes was not found. install_twinflow() sets one up; ",
    "RETICULATE_PYTHON chooses another. Python said: ", callables[["load_error"]]
  )
}

# The version of TensorFlow whose interface the core speaks.
interface_version <- function() {
  if (reticulate::py_has_attr(tf$version, "VERSION")) tf$version$VERSION else "2.21.0"
}

short_version <- function(version) {
  package_version(sub("^([0-9]+[.][0-9]+).*$", "\\1", version))
}

short_path <- function(path) {
  home <- path.expand("~")
  if (startsWith(path, paste0(home, "/"))) paste0("~", substring(path, nchar(home) + 1L)) else path
}

#' Install what the core needs
#'
#' Makes a virtual environment with NumPy, ml_dtypes and what TensorFlow's file
#' formats need (and CuPy for a GPU) and tells how to use it. The core itself is inside this package. Where reticulate
#' can fetch Python packages by itself none of this is needed.
#'
#' @param envname the virtual environment.
#' @param cuda `NULL` for the processor alone, or the CUDA version of the
#'   driver, 12 or 13.
#' @param ... passed on to [reticulate::virtualenv_create()].
#' @return The path of the environment, invisibly.
#' @export
#' @examples
#' \dontrun{
#' install_twinflow()
#' }
install_twinflow <- function(envname = "r-twinflow", cuda = NULL, ...) {
  packages <- c(python_packages, if (!is.null(cuda)) paste0("cupy-cuda", cuda, "x"))
  path <- reticulate::virtualenv_create(envname, packages = packages, ...)
  message("Installed. In a fresh session, before library(twinflow): reticulate::use_virtualenv(\"", envname, "\")")
  invisible(path)
}
