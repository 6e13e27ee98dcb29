# Everything under tf$ gives R errors: with the user's call, and with classes that tryCatch() can name.

#' Attributes and methods of Python objects
#'
#' `tf$name` and `x$name` return the Python attribute of that name. A function that fails shows your own call in its
#' error message.
#'
#' @param x the module `tf`, one of its namespaces, or an object of the core.
#' @param name a name.
#' @return A Python object, a function, or an R value.
#' @name core-objects
#' @keywords internal
NULL

#' @rdname core-objects
#' @export
`$.twinflow_module` <- function(x, name) {
  known <- attr(x, "twinflow_names", exact = TRUE)
  found <- known[[name]]
  if (!is.null(found)) {
    return(found)
  }
  value <- with_r_errors(with_python(NextMethod()), sys.call())
  if (inherits(value, "python.builtin.module")) {
    known[[name]] <- value <- as_namespace(value)
  } else if (is.function(value)) {
    known[[name]] <- value <- guarded(value, quick_body)
  } else if (inherits(value, "twinflow_dtype")) {
    known[[name]] <- value
  }
  value
}

#' @rdname core-objects
#' @param value a new value.
#' @export
`$<-.twinflow_module` <- function(x, name, value) {
  known <- attr(x, "twinflow_names", exact = TRUE)
  if (exists(name, envir = known, inherits = FALSE)) rm(list = name, envir = known)
  NextMethod()
}

# The first use of the core starts Python, which there may be none of.
with_python <- function(expr) {
  if (reticulate::py_available()) {
    return(expr)
  }
  tryCatch(expr, error = function(e) if (reticulate::py_available()) stop(e) else stop_without_core(e))
}

# A module of the core that remembers the functions, modules and dtypes which it has given out.
as_namespace <- function(module) {
  class(module) <- unique(c("twinflow_module", class(module)))
  attr(module, "twinflow_names") <- new.env(parent = emptyenv())
  module
}

#' @rdname core-objects
#' @export
`$.twinflow_object` <- function(x, name) {
  object <- if (is.function(x)) attr(x, "py_object") else x
  converts <- isTRUE(.subset2(object, "convert"))
  known <- if (converts) methods_known[[class_key(x)]][[name]]
  if (!is.null(known)) {
    return(known(x))
  }
  if (name == ".__enclos_env__") {
    return(NULL) # by which R6 asks what it copies whether it is one of its own
  }
  call <- sys.call()
  if (!converts) {
    return(with_r_errors(NextMethod(), call))
  }
  value <- with_r_errors(reticulate::py_call(bridge("attribute"), x, name), call)
  known <- if (is.function(value)) learn_method(x, name, value)
  if (is.null(known)) shown(value, visible = TRUE) else known(x)
}

# The same for the class that R asks first of a tensor's, which are nine.
#' @export
`$.twinflow_tensor` <- `$.twinflow_object`

# The same for classes, as in tf$data$Dataset$range(3).
#' @export
`$.twinflow_function` <- `$.twinflow_object`

# For each class of the core the methods that were looked up: functions that make the method of an object. To fetch one
# from Python, with its arguments, takes five times as long.
methods_known <- new.env(parent = emptyenv())

most_methods <- 4096L

# The name of an object's own class: what comes behind those of heads_of().
class_key <- function(x) {
  classes <- oldClass(x)
  heads <- head_counts[[classes[[1L]]]]
  if (is.null(heads)) classes[[1L]] else classes[[heads + 1L]]
}

# Remembers a method, where it is one of a class of the core, and not an attribute of this object, and returns what
# makes it; NULL for others.
learn_method <- function(x, name, method) {
  key <- class_key(x)
  if (!grepl("^(twinflow|tensorflow)[.]", key) || !ask_python(bridge("is_method"), x, name)) {
    return(NULL)
  }
  if (sum(lengths(as.list(methods_known))) >= most_methods) rm(list = ls(methods_known), envir = methods_known)
  if (is.null(methods_known[[key]])) assign(key, new.env(parent = emptyenv()), envir = methods_known)
  methods_known[[key]][[name]] <- method_maker(name, formals(method), class(method))
}

# A function that makes the method of an object: with the same arguments and class as reticulate's, and like that with
# Python's own as attribute, which is fetched where somebody asks for it.
method_maker <- function(name, arguments, class) {
  scope <- new.env(parent = topenv())
  scope$.twinflow_invoke <- call_python(bridge("invoker"), name)
  called <- bquote(method_call(.twinflow_self, .(name), .twinflow_invoke, sys.call(), parent.frame()))
  body <- call("function", as.pairlist(arguments), called)
  make <- as.function.default(list(.twinflow_self = quote(expr = ), body), scope)
  of_r <- append(class, "twinflow_function", 1L)
  function(x) {
    method <- make(x)
    attributes(method) <- list(class = of_r, py_object = late_object(x, name, class))
    method
  }
}

# An object as reticulate keeps it, an environment with these three names, whose pointer is asked for at first use.
late_object <- function(x, name, class) {
  pointer <- NULL
  object <- new.env(parent = emptyenv())
  object$convert <- TRUE # reticulate looks for these
  object$simple <- FALSE
  makeActiveBinding("pyobj", function() {
    if (is.null(pointer)) pointer <<- get("pyobj", attr(reticulate::py_get_attr(x, name), "py_object"))
    pointer
  }, object)
  oldClass(object) <- class
  object
}

method_call <- function(self, name, invoke, call, env) {
  force(env)
  inner <- .Call(C_call_of, call, function(...) {
    kinds <- .External(C_kinds, long_length, ...)
    if (kinds <= named) {
      reticulate::py_call(invoke, self, ...)
    } else if (bitwAnd(kinds, delicate)) {
      call_with_care(call, reticulate::py_get_attr(self, name), ...)
    } else if (bitwAnd(kinds, named_x)) {
      reticulate::py_get_attr(self, name)(...)
    } else {
      do.call(reticulate::py_call, c(list(invoke, self), lapply(list(...), sent_at_once)), quote = TRUE)
    }
  })
  value <- with_r_errors(eval(inner, env), asked_by(call, env))
  if (inherits(value, "twinflow_tensor")) value else shown(value)
}

#' @rdname core-objects
#' @export
`$<-.twinflow_object` <- function(x, name, value) {
  if (reticulate::py_is_null_xptr(x)) complain(dead_pointer_text, class = "twinflow_dead_pointer")
  NextMethod()
}

with_r_errors <- function(expr, call) {
  withCallingHandlers(expr, error = function(e) {
    if (inherits(e, "python.builtin.BaseException")) {
      rethrow(e, call)
    } else if (inherits(e, "Rcpp::exception")) {
      explain_pointer(e, call)
    } else {
      of_argument(e, call)
    }
  }, python.builtin.KeyboardInterrupt = function(e) interrupt())
}

# An argument that cannot be evaluated is the user's: R names the function that looked at it first, since 4.5
# the evaluation around it.
of_argument <- function(e, call) {
  inner <- conditionCall(e)
  looked <- is.call(inner) && is.function(inner[[1L]])
  if (looked || identical(inner, quote(eval(inner, env)))) {
    e$call <- user_call(call)
    stop(e)
  }
}

# A function of Python's as reticulate made it, with errors that name the user's call. Its own
# arguments may have any names, so the ones used here are not likely among them.
guarded <- function(f, body = guarded_body) {
  if (!is_python(f)) {
    return(f)
  }
  scope <- new.env(parent = topenv())
  scope$.twinflow_callable <- f
  if (identical(body, quick_body)) scope$.twinflow_counting <- call_python(bridge("counting"), f)
  wrapped <- as.function.default(c(formals_of(f), body), envir = scope)
  attributes(wrapped) <- attributes(f)
  if (is_plain_function(f)) class(wrapped) <- append(class(f), "twinflow_function", 1L)
  wrapped
}

guarded_body <- quote(guarded_call(.twinflow_callable, sys.call(), parent.frame()))

guarded_call <- function(f, call, env) {
  force(env)
  inner <- .Call(C_call_of, call, function(...) {
    if (bitwAnd(.External(C_kinds, long_length, ...), delicate)) call_with_care(call, f, ...) else f(...)
  })
  shown(with_r_errors(eval(inner, env), asked_by(call, env)))
}

# The call of a user's: where reticulate calls for one, as in with(tf$device(""), ...), that of reticulate's function.
asked_by <- function(call, env) {
  if (!identical(topenv(env), asNamespace("reticulate"))) {
    return(call)
  }
  frames <- Filter(function(i) identical(sys.frame(i), env), seq_len(sys.nframe()))
  if (length(frames)) sys.call(frames[[1L]]) else call
}

# The same for functions of modules, by a shorter way through reticulate: `counting` is the Python function that counts
# the memory of tensors as well. Only an argument named x cannot go there.
quick_body <- quote(quick_call(.twinflow_callable, .twinflow_counting, sys.call(), parent.frame()))

quick_call <- function(f, counting, call, env) {
  force(env)
  inner <- .Call(C_call_of, call, function(...) {
    kinds <- .External(C_kinds, long_length, ...)
    if (kinds <= named) {
      reticulate::py_call(counting, ...)
    } else if (bitwAnd(kinds, has_floatx) && takes_floatx(f, ...)) {
      f(..., dtype = getOption("twinflow.floatx"))
    } else if (bitwAnd(kinds, delicate)) {
      call_with_care(call, counting, ..., .formals = formals(f))
    } else if (bitwAnd(kinds, named_x)) {
      counting(...)
    } else {
      do.call(reticulate::py_call, c(list(counting), lapply(list(...), sent_at_once)), quote = TRUE)
    }
  })
  value <- with_r_errors(eval(inner, env), call)
  if (inherits(value, "twinflow_tensor")) value else shown(value)
}

# What a call gave, as users get it: a tensor as it is, and what else R has values for as such. Python has counted the
# tensors in it.
shown <- function(value, visible = FALSE) {
  if (inherits(value, "twinflow_tensor")) {
    return(value)
  }
  if (is.environment(value)) value <- as_shown(value)
  if (is.null(value) && !visible) invisible(NULL) else if (is.function(value)) guarded(value) else value
}

as_shown <- function(value) {
  first <- oldClass(value)[[1L]]
  if (first == "python.builtin.NoneType") {
    return(NULL)
  }
  if (!is.null(classes_of_core[[first]])) {
    return(value)
  }
  handing$counted <- TRUE
  on.exit(handing$counted <- FALSE)
  reticulate::py_to_r(value)
}

# `counted`: has Python counted the tensors in a value that becomes R's?
handing <- new.env(parent = emptyenv())
handing$counted <- FALSE

# What is among the arguments, as src/arguments.c adds it up: `named` ones, one that is named x, which is a name that
# py_call() has itself; `delicate` are R functions, bit64's integers, and NA that is no double; long vectors, of which
# reticulate would make lists; and whether the session has a float type.
named <- 1L
named_x <- 2L
delicate <- 4L
has_floatx <- 16L

# From which length on it pays to send a vector as a view of R's memory.
long_length <- 500L

is_long_vector <- function(x) is.null(attributes(x)) && typeof(x) %in% c("double", "integer", "logical", "complex")

sent_at_once <- function(x) {
  if (length(x) >= long_length && is_long_vector(x)) call_python(bridge("vector"), as_view(x)) else x
}

# An interrupt while reticulate carries values between Python and an R function that Python calls would
# leave Python in pieces. It has to wait until that R function runs, or until the whole call is over.
call_with_care <- function(call, f, ..., .formals = formals(f)) {
  arguments <- Map(cared_for, list(...), names_of_arguments(list(...), .formals), list(call))
  value <- suspendInterrupts(do.call(f, stats::setNames(arguments, ...names()), quote = TRUE))
  Sys.sleep(1e-4) # takes an interrupt that waits
  value
}

# The names under which a function gets arguments; "" for one that it has no name for.
names_of_arguments <- function(given, formals) {
  names <- names(given) %||% character(length(given))
  free <- setdiff(names(formals), c(names, "..."))
  unnamed <- which(!nzchar(names))
  names[unnamed] <- c(free, character(length(unnamed)))[seq_along(unnamed)]
  names
}

cared_for <- function(f, name = "", call = entering_call()) {
  if (is.list(f) && !is.object(f)) {
    return(lapply(f, cared_for, name, call))
  }
  if (inherits(f, "integer64")) {
    return(as_tensor(f)) # reticulate would take the memory for that of doubles
  }
  if (is.atomic(f)) {
    return(checked_argument(f, name, call)) # reticulate would make TRUE, or another value, of NA
  }
  if (!is.function(f) || is_python(f)) {
    return(f)
  }
  scope <- new.env(parent = topenv())
  scope$.twinflow_callback <- f
  wrapped <- as.function.default(c(formals(args(f)), callback_body), envir = scope)
  attributes(wrapped) <- attributes(f)
  wrapped
}

callback_body <- quote({
  .twinflow_call <- sys.call()
  .twinflow_call[[1L]] <- .twinflow_callback
  allowInterrupts(eval(.twinflow_call, parent.frame()))
})

#' @rdname core-objects
#' @param data a context of the core, such as `tf$device("CPU:0")` or a tape.
#' @param expr what to evaluate in it.
#' @param as a name for the context; `with(data %as% name, expr)` is the same.
#' @param ... ignored.
#' @export
with.twinflow_object <- function(data, expr, as = NULL, ...) {
  name <- if (missing(as)) attr(data, "as") else gsub("\"", "", deparse(substitute(as)), fixed = TRUE)
  call <- sys.call()
  context <- call_python(bridge("enter"), data, call = call)
  context <- if (inherits(context, "python.builtin.NoneType")) data else reticulate::py_to_r(context)
  on.exit(call_python(bridge("leave"), data, call = call))
  if (!is.null(name)) assign(name, context, envir = attr(data, "as_envir") %||% parent.frame())
  expr
}
