# Calls into the Python core (`twinflow._src.r_bridge`): one verb of R is one call; callables are looked up once.

callables <- new.env(parent = emptyenv())

bridge_modules <- paste0(
  "twinflow._src.r_bridge.",
  c("session", "from_r", "to_r", "generics", "math", "subset", "statistics", "calls", "distributions")
)

# Returns a function of `twinflow._src.r_bridge` by its name.
bridge <- function(name) {
  found <- callables[[name]]
  if (is.null(found)) found <- load_callable(name)
  found
}

load_callable <- function(name) {
  if (is.null(callables[["modules"]])) load_bridge()
  for (module in callables[["modules"]]) {
    if (reticulate::py_has_attr(module, name)) {
      assign(name, reticulate::py_get_attr(module, name), envir = callables)
      return(callables[[name]])
    }
  }
  complain("the core has no bridge function ", name)
}

load_bridge <- function() {
  tf$`__name__` # loads the core
  modules <- lapply(bridge_modules, reticulate::import)
  assign("modules", modules, envir = callables)
  modules[[1L]]$connect(collect_garbage, caution)
}

# R's collector sees only the small handles of tensors. The core counts what it hands out and asks.
collect_garbage <- local({
  asked <- 0L
  function() {
    asked <<- asked + 1L
    gc(verbose = FALSE, full = asked %% 8L == 0L)
    NULL
  }
})

# Calls Python; a Python error becomes an R error with the user's call.
call_python <- function(f, ..., call = sys.call(-1L)) {
  withCallingHandlers(
    reticulate::py_call(f, ...),
    python.builtin.BaseException = function(e) rethrow(e, call),
    `Rcpp::exception` = function(e) explain_pointer(e, call)
  )
}

# The same, for answers that are plain R values.
ask_python <- function(f, ..., call = sys.call(-1L)) {
  reticulate::py_to_r(call_python(f, ..., call = call))
}

is_tensor <- function(x) inherits(x, "twinflow_tensor")

is_python <- function(x) inherits(x, "python.builtin.object")

# Gives a vector a dim, so that Python sees R's memory instead of a list made value by value. An
# array passes as it is: reticulate lends its memory and looks at nothing but its dim.
as_view <- function(x) {
  if (is.object(x) || !is.atomic(x) || is.null(x) || !is.null(dim(x))) {
    return(x)
  }
  if (length(x) > .Machine$integer.max) {
    return(sent_in_pieces(x))
  }
  if (length(x) != 1L) {
    attributes(x) <- list(dim = length(x))
  } else if (!is.null(names(x))) {
    names(x) <- NULL
  }
  x
}

# A vector that is longer than a dim can be, as an array of Python's.
sent_in_pieces <- function(x) {
  if (is.character(x)) complain("a string tensor cannot be made of more than 2^31 - 1 strings")
  whole <- call_python(bridge("long_array"), typeof(x), length(x))
  for (start in piece_starts(length(x))) {
    piece <- x[seq(start + 1, min(start + piece_size, length(x)))]
    attributes(piece) <- list(dim = length(piece))
    call_python(bridge("put_piece"), whole, start, piece)
  }
  whole
}

piece_size <- 2^24

piece_starts <- function(size) seq(0, size - 1, by = piece_size)

`%||%` <- function(x, y) if (is.null(x)) y else x
