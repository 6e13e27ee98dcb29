#' Functions with the names of the R package tensorflow
#'
#' Code written for the R package tensorflow may call these functions. `install_tensorflow()` and
#' `py_require_tensorflow()` set up what twinflow needs. The others belong to TensorFlow 1: `use_session_with_seed()` is
#' an error that names its successor; `train()` and `train_and_evaluate()` are generics without methods.
#' After `use_compat("v1")`, `tf` is the namespace of TensorFlow 1; graphs and sessions
#' take `tf$disable_v2_behavior()` as well.
#'
#' @param ... passed on to [install_twinflow()] or to methods.
#' @param envname the virtual environment.
#' @param extra_packages more Python packages.
#' @param python_version which Python.
#' @param cuda `TRUE`, or the CUDA version, for a GPU.
#' @param method,conda,version,restart_session,conda_python_version arguments of
#'   the original, ignored.
#' @param metal,pip_ignore_installed,new_env arguments of the original, ignored.
#' @param use_gpu require CuPy too? `NA` means where a driver is found.
#' @param seed,disable_gpu,disable_parallel_cpu,quiet arguments of the original.
#' @param object what to train.
#' @return As [install_twinflow()] or `reticulate::py_require()`.
#' @name original-names
#' @examples
#' try(use_session_with_seed(42))
NULL

#' @rdname original-names
#' @export
install_tensorflow <- function(method = c("auto", "virtualenv", "conda"), conda = "auto", version = "default",
                               envname = "r-twinflow", extra_packages = NULL, restart_session = TRUE,
                               conda_python_version = NULL, ..., cuda = NULL, metal = FALSE,
                               pip_ignore_installed = FALSE, new_env = FALSE, python_version = NULL) {
  message("twinflow needs no TensorFlow: install_twinflow() sets up what it needs.")
  if (is.logical(cuda)) cuda <- if (isTRUE(cuda)) 12
  path <- install_twinflow(envname, cuda, version = python_version, ...)
  if (length(extra_packages)) reticulate::virtualenv_install(envname, extra_packages)
  invisible(path)
}

#' @rdname original-names
#' @export
py_require_tensorflow <- function(version = NULL, extra_packages = NULL, python_version = NULL, use_gpu = NA) {
  if (is.na(use_gpu)) use_gpu <- nzchar(Sys.which("nvidia-smi"))
  packages <- c(python_packages, if (use_gpu) "cupy-cuda12x[ctk]", extra_packages)
  reticulate::py_require(packages, python_version %||% paste0(">=", oldest_python))
}

#' @rdname original-names
#' @export
use_session_with_seed <- function(seed, disable_gpu = TRUE, disable_parallel_cpu = TRUE, quiet = FALSE) {
  complain("sessions with seeds are gone since TensorFlow 2.3; use set_random_seed()")
}

#' @rdname original-names
#' @export
train <- function(object, ...) UseMethod("train")

#' @rdname original-names
#' @export
train_and_evaluate <- function(object, ...) UseMethod("train_and_evaluate")

#' @rdname original-names
#' @export
use_compat <- function(version = c("v1", "v2")) {
  namespaces$chosen <- if (match.arg(version) == "v1") tf$compat$v1
  invisible(namespaces$chosen %||% tf)
}

#' Run Keras and other TensorFlow packages on twinflow
#'
#' After `use_twinflow()`, Python packages that import TensorFlow get twinflow, and so do R packages
#' that call them: keras3, tensorflow, tfdatasets and tfprobability run unchanged. Call it before the first of them
#' imports TensorFlow.
#'
#' @param force replace a TensorFlow that is installed or imported already?
#' @return `tf`, invisibly. An error where TensorFlow is installed or imported
#'   already and `force` is `FALSE`.
#' @export
#' @examples
#' if (twinflow_available()) {
#'   use_twinflow()
#'   tensorflow <- reticulate::import("tensorflow")
#'   tensorflow$constant(c(1, 2))
#' }
use_twinflow <- function(force = FALSE) {
  tf$as_tensorflow(force = isTRUE(force))
  namespaces$own_class_names <- reticulate::import("twinflow._src.api.alias")$own_class_names
  rm(list = ls(known_classes), envir = known_classes)
  invisible(tf)
}

#' Functions of the R package tensorflow that twinflow replaces
#'
#' Code written for the package tensorflow may call these. Each is an error that says what to use instead:
#'
#' | function | instead |
#' | --- | --- |
#' | `evaluate()` | a metric of `tf$keras$metrics`, or `evaluate()` of a Keras model (`vignette("keras")`) |
#' | `export_savedmodel()` | `tf$saved_model$save(module, path)` |
#' | `view_savedmodel()` | `tf$saved_model$load(path)`, whose value prints its signatures |
#' | `tensorboard()` | [read_events()], or the program tensorboard on the directory |
#' | `flags()`, `flag_numeric()` and relatives | [parse_arguments()], or the package tfruns |
#' | `parse_flags()` | [parse_arguments()], or `config::get()` for files |
#' | `run_dir()` | a directory of your own, such as `file.path("runs", Sys.Date())`, or the package tfruns |
#' | `tf_probability()` | [tf_dnorm()] and its relatives; Python's TensorFlow Probability after [use_twinflow()] |
#'
#' @param ... ignored.
#' @return None: always an error of class `twinflow_elsewhere`.
#' @name elsewhere
#' @aliases evaluate export_savedmodel view_savedmodel tensorboard parse_flags run_dir tf_probability flags flag_numeric
#'   flag_integer flag_string flag_boolean
#' @examples
#' try(tensorboard("logs"))
NULL

elsewhere <- function(name, instead) {
  complain(name, "() is not part of twinflow: ", instead, class = "twinflow_elsewhere", call = sys.call(-1L))
}

keras_text <- paste(
  "Keras comes in as a Python package of its own: after use_twinflow(), keras <- import(\"keras\") runs on twinflow;",
  "see vignette(\"keras\")"
)

#' @rdname elsewhere
#' @export
evaluate <- function(...) elsewhere("evaluate", paste0("see tf$keras$metrics for metrics. ", keras_text))

#' @rdname elsewhere
#' @export
export_savedmodel <- function(...) elsewhere("export_savedmodel", "tf$saved_model$save(module, path) writes one")

#' @rdname elsewhere
#' @export
view_savedmodel <- function(...) {
  elsewhere("view_savedmodel", "tf$saved_model$load(path)$signatures shows what is in one")
}

#' @rdname elsewhere
#' @export
tensorboard <- function(...) {
  elsewhere("tensorboard", "read_events(path) gives what was logged as a data frame, and plot() draws it")
}

#' @rdname elsewhere
#' @export
parse_flags <- function(...) elsewhere("parse_flags", "parse_arguments() reads a command line, config::get() a file")

#' @rdname elsewhere
#' @export
flags <- function(...) elsewhere("flags", flags_text)

#' @rdname elsewhere
#' @export
flag_numeric <- function(...) elsewhere("flag_numeric", flags_text)

#' @rdname elsewhere
#' @export
flag_integer <- function(...) elsewhere("flag_integer", flags_text)

#' @rdname elsewhere
#' @export
flag_string <- function(...) elsewhere("flag_string", flags_text)

#' @rdname elsewhere
#' @export
flag_boolean <- function(...) elsewhere("flag_boolean", flags_text)

flags_text <- "parse_arguments() reads --name=value from a command line; the package tfruns has flags of training runs"

#' @rdname elsewhere
#' @export
run_dir <- function(...) elsewhere("run_dir", "directories of training runs are in the package tfruns")

#' @rdname elsewhere
#' @export
tf_probability <- function(...) {
  elsewhere("tf_probability", paste(
    "tf_dnorm() and its relatives are R's distributions for tensors; after use_twinflow(),",
    "import(\"tensorflow_probability\") is Python's package"
  ))
}
