#' Versions, Python and GPU in use
#'
#' `tf_config()` tells which core and which Python are in use; `tf_version()`
#' which version of TensorFlow's interface it speaks; `tf_gpu_configured()`
#' whether a GPU can be used; `twinflow_available()` whether the core can be
#' loaded at all. `twinflow_sitrep()` prints all that a bug report needs.
#'
#' The Python core is one file in the installed package. It is unpacked at first
#' use into `tools::R_user_dir("twinflow", "cache")`, with Python's bytecode 12
#' MB, and versions that nobody has used for a month are removed from there. All
#' of it may be deleted at any time when no session is using it. Where nothing
#' can be written it is unpacked for each session, into [tempdir()], which
#' `twinflow_sitrep()` tells.
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
  check_arguments()
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
  cat("R ", format(getRversion()), ", ", R.version$platform, ", ", utils::sessionInfo()$running, "\n", sep = "")
  for (package in c("twinflow", "reticulate")) {
    cat(package, " ", format(utils::packageVersion(package)), "\n", sep = "")
  }
  config <- tf_config()
  print(config)
  if (config$available) {
    for (module in python_modules) cat(module, " ", python_version_of(module), "\n", sep = "")
    for (device in tf$config$list_physical_devices()) cat(device$name, "\n", sep = "")
    cat(why_no_gpu(), sep = "\n")
    cat("threads: ", parallel_threads(), "\n", sep = "")
  }
  if (length(core_place$troubles)) cat(paste0("The core cannot be unpacked into ", core_place$troubles, "\n"), sep = "")
  for (name in relevant_settings()) cat(name, "=", Sys.getenv(name), "\n", sep = "")
  set <- grep("^(tensorflow|twinflow)[.]", names(options()), value = TRUE)
  for (name in set) cat("options: ", name, " = ", format(getOption(name)), "\n", sep = "")
  invisible(config$available)
}

# Why there is no GPU, in one line of R's; none where there is one.
why_no_gpu <- function() {
  why <- reticulate::import("twinflow.backends.gpu")$why_none()
  if (is.null(why)) character() else paste("GPU: none.", sub("install twinflow\\[.*$", cupy_text, why))
}

cupy_text <- "install_twinflow(cuda = 12) or (cuda = 13), as the driver is."

python_modules <- c("numpy", "ml_dtypes", "google.protobuf", "cupy")

relevant_settings <- function() {
  names <- c("RETICULATE_PYTHON", "RETICULATE_PYTHON_ENV", "VIRTUAL_ENV", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS")
  names[nzchar(Sys.getenv(names))]
}

parallel_threads <- function() reticulate::import("os")$cpu_count()

python_version_of <- function(module) {
  tryCatch(reticulate::import(module)$`__version__`, error = function(e) "not found")
}

no_core_text <- function() {
  callables[["load_error"]] %||% why_no_core()
}

# What is missing, and how to mend it. Python may be missing, too old, without NumPy, or another than
# the one that was set up, because a package or the user had started it before.
why_no_core <- function(said = NULL) {
  if (!reticulate::py_available()) {
    return(paste(no_python_text(said), mend_text))
  }
  python <- reticulate::py_config()
  version <- sub("^([0-9.]+).*$", "\\1", python$version_string)
  where <- paste0("Python ", version, " (", python$python, ")")
  if (package_version(version) < oldest_python) {
    return(paste0(where, " is too old: twinflow needs ", oldest_python, " or newer. ", mend_text))
  }
  lacking <- Filter(function(module) !reticulate::py_module_available(module), c("numpy", "ml_dtypes"))
  if (length(lacking)) {
    return(paste0(where, " is in use, but has no ", paste(lacking, collapse = " and no "), ". ", mend_text))
  }
  if (is.null(core_place$folder) && length(core_place$troubles)) {
    return(paste("The core cannot be unpacked into", paste(core_place$troubles, collapse = ", nor into ")))
  }
  paste0("The core could not be loaded into ", where, if (!is.null(said)) paste0(": ", said))
}

no_python_text <- function(said) {
  if (is.null(said) || grepl("Python not found", said, fixed = TRUE)) {
    return("No Python was found.")
  }
  paste0("Python could not be started: ", sub("[.]?$", ".", said))
}

oldest_python <- package_version("3.10")

mend_text <- paste(
  "install_twinflow() sets up what is needed, in the virtual environment \"r-twinflow\". A fresh session finds it by",
  "itself, unless RETICULATE_PYTHON, reticulate::use_python() or another package chooses a Python before."
)

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

#' Install Python packages for twinflow
#'
#' Creates a virtual environment with NumPy, ml_dtypes and the packages for TensorFlow's file formats (and CuPy for a
#' GPU), or updates an existing one. The core itself is part of this package. You do not need this function if
#' reticulate can fetch Python packages itself (`reticulate::py_require()`, with uv).
#'
#' A new R session finds the environment `"r-twinflow"`. For an environment with another name, call
#' [reticulate::use_virtualenv()] before anything starts Python.
#'
#' @param envname the virtual environment: a name, or a path.
#' @param cuda `NULL` for the processor alone, or the CUDA version of the
#'   driver, 12 or 13.
#' @param ... passed on to [reticulate::virtualenv_create()].
#' @param version which Python to make it with, as in
#'   [reticulate::virtualenv_create()].
#' @return The path of the environment, invisibly.
#' @export
#' @examples
#' \dontrun{
#' install_twinflow()
#' }
install_twinflow <- function(envname = "r-twinflow", cuda = NULL, ..., version = NULL) {
  if (!is.null(cuda) && !cuda %in% c(12, 13)) complain("`cuda` must be NULL, 12 or 13", x = it_is(cuda))
  packages <- c(python_packages, if (!is.null(cuda)) paste0("cupy-cuda", cuda, "x[ctk]"))
  if (reticulate::virtualenv_exists(envname)) {
    reticulate::virtualenv_install(envname, packages, ...)
  } else {
    create_environment(envname, packages, version %||% paste0(">=", oldest_python), ...)
  }
  python <- reticulate::virtualenv_python(envname)
  if (!can_import(python, c("numpy", "ml_dtypes"))) complain("what was installed cannot be imported by ", python)
  message("Installed. ", how_to_use(envname))
  invisible(dirname(dirname(python)))
}

create_environment <- function(envname, packages, version, ..., python = reticulate::virtualenv_starter(version)) {
  if (is.null(python)) {
    complain("no Python ", version, " was found to make it with; reticulate::install_python() gets one")
  }
  reticulate::virtualenv_create(envname, python = python, packages = packages, ...)
}

can_import <- function(python, modules) {
  code <- paste0("import ", paste(modules, collapse = ", "))
  identical(system2(python, c("-c", shQuote(code)), stdout = FALSE, stderr = FALSE), 0L)
}

how_to_use <- function(envname) {
  if (identical(envname, "r-twinflow")) {
    return("A fresh R session finds it by itself.")
  }
  paste0("In a fresh R session, before library(twinflow): reticulate::use_virtualenv(\"", envname, "\")")
}
