# Errors as R users know them: the message, the user's own call, and classes that tryCatch() can name.

# Stops with an error of this package. The call shown is the one with which the user entered it. `x` says what was
# found, `i` what to do; so does what stands behind a semicolon in the text.
complain <- function(..., x = NULL, i = NULL, class = NULL, call = entering_call()) {
  stop(error_condition(with_bullets(paste0(...), x, i), call, class))
}

# A headline with a line for each of the bullets, as in errors of the tidyverse.
with_bullets <- function(text, x = NULL, i = NULL) {
  parts <- strsplit(text, "; ", fixed = TRUE)[[1L]]
  paste(c(parts[[1L]], x_line(x), i_line(c(parts[-1L], i))), collapse = "\n")
}

x_line <- function(texts) bullet(if (has_unicode()) "\u2716" else "x", texts)

i_line <- function(texts) bullet(if (has_unicode()) "\u2139" else "i", texts)

has_unicode <- function() isTRUE(getOption("cli.unicode", l10n_info()[["UTF-8"]]))

# Sentences begin with a capital, unless their first word is code.
bullet <- function(mark, texts) {
  if (!length(texts)) {
    return(NULL)
  }
  texts <- sub("^([a-z])([a-z]*[ ,])", "\\U\\1\\E\\2", texts, perl = TRUE)
  paste0(mark, " ", sub("([^.?!])$", "\\1.", texts))
}

error_condition <- function(message, call, class, fields = NULL) {
  plain <- if (!"python.builtin.Exception" %in% class) "simpleError"
  structure(
    c(list(message = message, call = call), fields),
    class = unique(c("twinflow_error", class, plain, "error", "condition"))
  )
}

# A warning with the user's call left out: the text says all.
caution <- function(...) {
  warning(structure(
    list(message = paste0(...), call = NULL),
    class = c("twinflow_warning", "warning", "condition")
  ))
}

# The outermost of the frames of this package that called each other, directly or through base R.
entering_call <- function() {
  frame <- sys.parent() # also where R evaluates a default or an argument later
  parents <- sys.parents()
  repeat {
    above <- caller_of_ours(parents, parents[[frame]])
    if (is.null(above)) break
    frame <- above
  }
  user_call(sys.call(frame), get0(".Generic", envir = sys.frame(frame), inherits = FALSE))
}

caller_of_ours <- function(parents, frame) {
  if (frame > 0L && is_ours(frame)) {
    return(frame)
  }
  if (frame > 0L && in_base(frame) && parents[[frame]] > 0L && is_ours(parents[[frame]])) parents[[frame]]
}

is_ours <- function(frame) identical(topenv(environment(sys.function(frame))), topenv())

in_base <- function(frame) identical(environment(sys.function(frame)), .BaseNamespaceEnv)

# An exception of Python's as an R error.
rethrow <- function(e, call) {
  if (inherits(e, "python.builtin.KeyboardInterrupt")) interrupt()
  if (inherits(e, "twinflow._src.r_bridge.session.IntegerRangeError")) {
    caution("NAs introduced by coercion to integer range")
  }
  from_r <- py_field(e, "r_class")
  if (!is.null(from_r)) {
    return(stop(came_through(e, from_r)))
  }
  message <- python_message(e)
  hint <- hints(message, call)
  in_words_of_r <- inherits(e, "twinflow._src.r_bridge.session.RError")
  message <- if (in_words_of_r) with_bullets(message, i = hint) else paste(c(message, i_line(hint)), collapse = "\n")
  if (isTRUE(getOption("twinflow.backtrace"))) message <- paste0(message, "\n", python_trace(e))
  stop(error_condition(message, user_call(call), error_classes(e), python_fields(e)))
}

python_message <- function(e) {
  message <- sub("\nRun `reticulate::py_last_error()` for details.", "", whole_message(e), fixed = TRUE)
  message <- sub("^twinflow[.]_src[.]r_bridge[.][a-z_]+[.][A-Za-z]*Error: ", "", message)
  message <- sub("\n(The argument is `[^`]+`)[.]$", paste0("\n", x_line("\\1")), message)
  without_graph_names(sub("^twinflow[.]errors[.]", "", message))
}

# Where an operation of a graph was made, as errors tell.
graph_place <- paste0(
  "Graph execution error:\n\nDetected at node [^\n]* defined at [(]most recent call last[)]:\n",
  "( +File [^\n]*\n\n?|<stack traces unavailable>\n)*(Node: [^\n]*\n)?"
)

# An error of a function that was being traced, without the lines of Python through which it came.
of_user_code <- function(message) {
  lines <- "(?s)^[A-Za-z.]+: in user code:\n\n( +File \"[^\n]*\n( +[^\n]*\n)?)+\n +"
  if (!grepl(lines, message, perl = TRUE)) {
    return(message)
  }
  said <- trimws(gsub("\n    ", "\n", sub(lines, "", message, perl = TRUE), fixed = TRUE), "right")
  if (grepl("rpytools", message, fixed = TRUE)) sub("^RuntimeError: ", "", said) else said # an error of R's
}

# A message without what TensorFlow's say about nodes of graphs, which R users do not see, such as "{{node x}}" and
# "[Op:x] name: ". The error's call names the operation.
without_graph_names <- function(message) {
  said <- sub(graph_place, "", of_user_code(message), perl = TRUE)
  said <- sub("(?s)\\s*; NodeDef: .*?(?= [[]Op:|$)", "", said, perl = TRUE)
  said <- sub("Could not find device for node: [{][{]node [^}]*[}][}] = ", "There is no kernel for ", said)
  said <- sub("\nAll kernels registered for op [A-Za-z0-9]+ ?: *\n", "; there are:\n", said)
  said <- gsub("\\s*[[][[][{][{]node [^\n]*[}][}][]][]]", "", said)
  said <- gsub("'([{][{]node [^}]*[}][}] )?= ([A-Za-z0-9]+)[[][^']*'", "\\2", said)
  said <- gsub("[{][{](function_)?node [^}]*[}][}] ?", "", said)
  said <- gsub(" ?[[]Op:[A-Za-z0-9_]+[]]( name: ?[^\n]*)?", "", said)
  no_values <- "OpKernel '[A-Za-z0-9]+' has constraint on attr '[A-Za-z]+' not in NodeDef '[[]N=0.*"
  said <- sub(no_values, "The list is empty", said)
  said <- gsub("<capsule object \"r_object\" at 0x[0-9a-f]+>", "an object of R's", said)
  gsub("<function make_python_function.<locals>.python_function at 0x[0-9a-f]+>", "a function", said)
}

# Of a long message reticulate keeps the end, but it is the beginning that tells.
whole_message <- function(e) {
  message <- conditionMessage(e)
  if (!startsWith(message, "<...truncated...>")) {
    return(message)
  }
  said <- paste0(sub("^.*[.]", "", class(e)[[1L]]), ": ", py_text(e))
  if (nchar(said) > 700L) paste0(substr(said, 1L, 300L), " ... ", substring(said, nchar(said) - 300L)) else said
}

py_text <- function(e) tryCatch(reticulate::py_str(e), error = function(e) "")

# The error of an R function that Python had called: its own message, call and classes.
came_through <- function(e, classes) {
  message <- sub("^RuntimeError: ", "", python_message(e))
  if (grepl("^(the condition has length > 1|argument is not interpretable as logical)$", message)) {
    message <- with_bullets(
      message,
      i = "Where a tensor decides in a function that a traced one calls, make both of them by tf_function()."
    )
  }
  general <- c("simpleError", "error", "condition")
  error_condition(message, user_call(py_field(e, "call")), setdiff(classes, general), list(python = e))
}

# What TensorFlow's errors tell beside their message.
python_fields <- function(e) {
  fields <- list(python = e)
  if (inherits(e, "twinflow.errors.OpError")) fields$error_code <- py_field(e, "error_code")
  fields
}

py_field <- function(e, name) {
  tryCatch(reticulate::py_to_r(reticulate::py_get_attr(e, name, silent = TRUE)), error = function(e) NULL)
}

# The classes that tryCatch() can name: TensorFlow's and Python's. Methods for Python's objects, reticulate's and those
# of twinflow_object, must not see the condition, which is an R list.
error_classes <- function(e) {
  if (inherits(e, "twinflow._src.r_bridge.session.RError")) {
    return("RError") # in R's words, and an error of R's
  }
  general <- c(
    "twinflow_error", "twinflow_object", "python.builtin.BaseException", "python.builtin.object", "error", "condition"
  )
  classes <- setdiff(class(e), general)
  unique(c(sub("^.*[.]", "", setdiff(classes, "python.builtin.Exception")), classes))
}

# What a user's interrupt does, where reticulate gives it as an error.
interrupt <- function() {
  signalCondition(structure(list(message = "", call = NULL), class = c("interrupt", "condition")))
  invokeRestart("abort")
}

# Errors of reticulate's own code. A tensor that was saved with an R session is an empty pointer in the
# next one; an interrupt may arrive while reticulate asks for the classes of a result.
explain_pointer <- function(e, call) {
  said <- conditionMessage(e)
  if (grepl("inspect.getmro", said, fixed = TRUE)) interrupt()
  if (grepl("previous session", said, fixed = TRUE)) {
    complain(dead_pointer_text, class = "twinflow_dead_pointer", call = user_call(call))
  }
  if (grepl("cannot be converted to python", said, ignore.case = TRUE)) {
    complain("a value of R's has no counterpart in Python: ", said, call = user_call(call))
  }
}

dead_pointer_text <- paste(
  "this object of Python's belongs to an R session that has ended, or was read from a file of R's; keep its values,",
  "as.array(x), or a checkpoint, save_checkpoint(list(x = x), path), instead of x"
)

# The call as the user wrote it: the generic's name instead of the method's, and none of the values that
# R or do.call() put into calls.
user_call <- function(call, generic = NULL) {
  if (!is.call(call)) {
    return(call)
  }
  call[[1L]] <- called_name(call[[1L]], generic)
  for (i in seq_along(call)[-1L]) {
    if (inherits(call[[i]], "twinflow_object")) call[[i]] <- quote(tensor)
  }
  call
}

called_name <- function(f, generic) {
  if (is.symbol(f)) {
    name <- as.character(f)
    return(as.name(if (name %in% groups) generic %||% name else sub(method_suffix, "", name)))
  }
  if (!is.function(f)) {
    return(f)
  }
  name <- if (is_python(f)) py_field(f, "__name__")
  as.name(name %||% "function(...)")
}

groups <- c(
  "Ops", "Math", "Summary", "Complex", "Ops.twinflow_shape",
  paste0(c("Ops", "Math", "Summary", "Complex"), ".twinflow_tensor"), "Math.twinflow_ragged", "Summary.twinflow_ragged"
)

method_suffix <- paste0(
  "[.](twinflow_(tensor|ragged|sparse|shape|module|object|dtype)|default|factor|Date|POSIXt|data[.]frame|integer64",
  "|Matrix|sparseMatrix|python[.]builtin[.]object)$"
)

# The call of a method of a group generic, by the name of the generic.
group_call <- function(call, generic) {
  call[[1L]] <- as.name(generic)
  if (identical(call$na.rm, FALSE)) call$na.rm <- NULL # R adds it to calls of sum() and its relatives
  call
}

python_trace <- function(e) {
  lines <- tryCatch(
    reticulate::import("traceback")$format_tb(reticulate::py_get_attr(e, "__traceback__")),
    error = function(e) character()
  )
  paste0("Python backtrace:\n", paste(unlist(lines), collapse = ""))
}
