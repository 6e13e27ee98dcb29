#' Save and load checkpoints
#'
#' `save_checkpoint()` writes the values of variables and tensors to files in
#' TensorFlow's own format, which TensorFlow reads as well. `load_checkpoint()`
#' gives them back: to the variables of `into`, or as a list of tensors.
#'
#' A save either completes or leaves the previous checkpoint as it was. A load
#' that fails changes no variable: neither a damaged file, nor one whose names or
#' shapes do not match `into`.
#' Tensors cannot be saved with [saveRDS()] or with the workspace. If you use a tensor that was read back in this way,
#' an error says so.
#'
#' `tf$train$CheckpointManager` numbers checkpoints and keeps the latest ones.
#'
#' @param x,into a variable, an optimizer, a module, a `tf$train$Checkpoint`, or a
#'   list of them, which may be nested. To be saved, a list may have tensors and R
#'   values, too. Names of lists become names in the file.
#' @param path what the names of the files begin with. For `load_checkpoint()` it
#'   may be a directory, whose latest checkpoint is meant.
#' @param partial load what matches, where the file has values that `into` has
#'   no variable for, or the other way round, or where a type or shape differs? An
#'   error otherwise.
#' @param progress show a progress bar for what takes long? Or a function of two
#'   numbers: the bytes done so far and those of all. A bar needs the cli package.
#' @return `save_checkpoint()`: `path`, invisibly. `load_checkpoint()`: `into`,
#'   invisibly; without it a list of tensors, nested like what was saved.
#' @export
#' @examples
#' if (twinflow_available()) {
#'   path <- file.path(tempdir(), "model")
#'   model <- list(w = tf$Variable(matrix(1:4 + 0, 2)), steps = tf$Variable(3L))
#'   save_checkpoint(model, path)
#'   model$w$assign(matrix(0, 2, 2))
#'   load_checkpoint(path, into = model)
#'   model$w
#'   load_checkpoint(path)$steps
#' }
save_checkpoint <- function(x, path, progress = interactive()) {
  if (!is_path(path) && is_path(x)) {
    complain("the arguments are in the wrong order", i = "write save_checkpoint(x, path)")
  }
  path <- one_path(path)
  call_python(checkpoint_bridge("save"), as_savable(x), path, progress_in_bytes(progress, "Saving"))
  invisible(path)
}

#' @rdname save_checkpoint
#' @export
load_checkpoint <- function(path, into = NULL, partial = FALSE, progress = interactive()) {
  check_argument(partial, "partial")
  if (!is_path(path) && is_path(into)) {
    complain("the arguments are in the wrong order", i = "write load_checkpoint(path, into = x)")
  }
  path <- one_path(path)
  progress <- progress_in_bytes(progress, "Loading")
  if (is.null(into)) {
    return(ask_python(checkpoint_bridge("values"), path, progress))
  }
  call_python(checkpoint_bridge("restore"), as_savable(into), path, isTRUE(partial), progress)
  invisible(into)
}

# A function of the Python side. The module is imported when it is first needed: most sessions save nothing.
checkpoint_bridge <- function(name) {
  known <- paste0("checkpoint_", name)
  if (is.null(callables[[known]])) {
    module <- reticulate::import("twinflow._src.r_bridge.checkpoint", convert = FALSE)
    assign(known, reticulate::py_get_attr(module, name), envir = callables)
  }
  callables[[known]]
}

is_path <- function(x) is.character(x) && length(x) == 1L && !is.na(x) && nzchar(x)

one_path <- function(path) {
  if (!is_path(path)) complain("`path` must be a single, non-empty string", x = it_is(path))
  path.expand(path)
}

# Lists as they are, R values as tensors; `name` is that of the element in messages.
as_savable <- function(x, name = NULL, call = entering_call()) {
  if (is_python(x)) {
    return(x)
  }
  if (is.list(x) && !is.object(x)) {
    labels <- if (is.null(names(x))) seq_along(x) else names(x)
    return(Map(as_savable, x, paste0(if (!is.null(name)) paste0(name, "$"), labels), list(call)))
  }
  tryCatch(as_tensor(x), error = function(e) {
    what <- if (is.null(name)) "`x`" else paste0("the element `", name, "`")
    complain(
      what, " cannot be saved",
      x = it_is(x),
      i = "a checkpoint holds variables, tensors, numbers and strings, and lists of these",
      call = call
    )
  })
}

# What Python calls with the bytes done and those of all; NULL where nobody wants to know.
progress_in_bytes <- function(progress, name, frame = parent.frame()) {
  if (is.function(progress)) {
    return(in_numbers(progress))
  }
  if (!isTRUE(progress) || !requireNamespace("cli", quietly = TRUE)) {
    return(NULL)
  }
  bar <- NULL
  in_numbers(function(done, whole) {
    if (is.null(bar)) {
      bar <<- cli::cli_progress_bar(name, total = whole, type = "download", .envir = frame)
    }
    cli::cli_progress_update(set = done, id = bar, .envir = frame)
  })
}

# A function of numbers that Python can call.
in_numbers <- function(f) {
  function(done, whole) {
    f(as.numeric(reticulate::py_to_r(done)), as.numeric(reticulate::py_to_r(whole)))
    NULL
  }
}
