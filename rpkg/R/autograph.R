# R's control flow in traced functions: `if`, `while`, `for`, `&&` and `||` that become operations of the
# graph where a tensor decides, and are R's own everywhere else.

with_tensor_control <- function(f) {
  if (!is.function(f) || is.primitive(f) || is_python(f)) {
    return(f)
  }
  body(f) <- with_else(without_returns(with_inner_functions(body(f))))
  environment(f) <- list2env(control_flow, parent = environment(f))
  f
}

# A tensor whose value is not known while tracing.
is_symbolic <- function(x) is_tensor(x) && !inherits(x, c("twinflow._src.core.tensor.EagerTensor", "twinflow.Variable"))

# A condition as R wants it, unless it has to stay a tensor.
as_condition <- function(x) {
  if (!is_tensor(x)) {
    return(x)
  }
  x <- as_tensor(x)
  if (is_symbolic(x)) one_value(x) else as.logical(as.array(x))
}

one_value <- function(x) {
  size <- length(x)
  if (!is.na(size) && size != 1L) {
    complain("one value decides, not ", size, ": take all(), any(), or tf$where(condition, yes, no) for each of them")
  }
  if (is.na(size) || !length(dim(x))) x else tf$reshape(x, integer())
}

# An expression whose assigned `if`s all have an else: y <- if (c) x is NULL where c does not hold, and a graph has no
# NULL. `.no_else()` is that NULL where no tensor decides.
with_else <- function(expr) {
  if (!is.call(expr)) {
    return(expr)
  }
  for (i in seq_along(expr)) if (is.call(expr[[i]])) expr[[i]] <- with_else(expr[[i]])
  if (is_call_to(expr, c("<-", "=")) && is.call(expr[[3L]])) expr[[3L]] <- with_value(expr[[3L]])
  expr
}

# The same for an expression whose value is used.
with_value <- function(expr) {
  at <- if (is_block(expr)) length(expr) else if (is_call_to(expr, "if")) seq(3L, length(expr))
  for (i in at) if (is.call(expr[[i]])) expr[[i]] <- with_value(expr[[i]])
  if (is_call_to(expr, "if") && length(expr) == 3L) expr[[4L]] <- no_else
  expr
}

no_else <- quote(.no_else())

r_if <- function(cond, yes, no) {
  cond <- as_condition(cond)
  if (!is_symbolic(cond)) {
    return(if (cond) yes else if (!missing(no)) no else invisible(NULL))
  }
  if (identical(substitute(no), no_else)) {
    complain(
      "a tensor decides this `if`, whose value is assigned: it needs an else, as in y <- if (x > 0) x else 0",
      call = call("if", substitute(cond), substitute(yes))
    )
  }
  branches <- list(substitute(yes), if (missing(no)) quote(NULL) else substitute(no))
  traced_if(cond, branches, !missing(no), parent.frame())
}

traced_if <- function(cond, branches, has_else, env) {
  lapply(branches, refuse_jumps, statement = "`if`")
  names <- settled_names(branches, env)
  wants_value <- has_else && !any(vapply(branches, ends_in_assignment, NA))
  precision <- precision_of(values_of(as.call(c(quote(`{`), branches)), env))
  run <- function(expr) {
    function() {
      inner <- new.env(parent = env)
      value <- eval(expr, inner)
      lapply(c(lapply(names, get, envir = inner), if (wants_value) list(value)), precise, precision)
    }
  }
  found <- tf$cond(cond, run(branches[[1L]]), run(branches[[2L]]))
  found <- as_items(found, length(names) + wants_value)
  for (i in seq_along(names)) assign(names[[i]], found[[i]], envir = env)
  if (wants_value) found[[length(found)]] else invisible(NULL)
}

# What a call with several results gives, as a list whether there is one or more.
as_items <- function(found, n) if (n == 1L && (is_tensor(found) || !is.list(found))) list(found) else as.list(found)

r_while <- function(cond, body) {
  cond <- substitute(cond)
  body <- substitute(body)
  env <- parent.frame()
  first <- as_condition(eval(cond, env))
  if (is_symbolic(first)) {
    return(traced_while(function(inner) eval(cond, inner), body, env, values_of(call("{", cond, body), env)))
  }
  waiting <- TRUE
  next_one <- function() {
    if (waiting) {
      waiting <<- FALSE
      return(first)
    }
    holds <- as_condition(eval(cond, env))
    if (!is_symbolic(holds)) {
      return(holds)
    }
    traced_while(function(inner) eval(cond, inner), body, env, values_of(call("{", cond, body), env)) # from here on
    FALSE
  }
  eval(as.call(list(base::`while`, as.call(list(next_one)), without_next(body))), env)
}

# `around` are the values that decide about the precision of R's numbers; `counter` is the name of the number of a
# round and the rounds that have them.
traced_while <- function(holds, body, env, around, counter = NULL) {
  precision <- precision_of(around)
  if (has_jump(body, "break")) {
    env <- new.env(parent = env)
    assign(stopped, FALSE, envir = env)
    found <- traced_loop(going_on(holds), without_breaks(body, stopped), env, precision, counter)
    for (name in setdiff(names(found), stopped)) assign(name, found[[name]], envir = parent.env(env))
  } else {
    found <- traced_loop(holds, without_breaks(body, stopped), env, precision, counter)
    for (name in names(found)) assign(name, found[[name]], envir = env)
  }
  invisible(NULL)
}

# What a loop that was left has set.
stopped <- ".stopped"

going_on <- function(holds) function(inner) tf$logical_and(tf$logical_not(get(stopped, inner)), holds(inner))

# The values at the end of a loop, by name.
traced_loop <- function(holds, body, env, precision, counter) {
  refuse_jumps(body, "a loop")
  names <- Filter(function(name) has_value(name, env), assigned_names(body))
  carried <- c(counter$name, names)
  filled <- function(values) {
    inner <- new.env(parent = env)
    for (i in seq_along(values)) assign(carried[[i]], values[[i]], envir = inner)
    inner
  }
  step <- function(...) {
    inner <- filled(list(...))
    eval(body, inner)
    for (name in counter$name) assign(name, counter$rounds$after(get(name, inner)), envir = inner)
    lapply(carried, get, envir = inner)
  }
  start <- lapply(names, function(name) started(get(name, envir = env), precision, name))
  if (!is.null(counter)) start <- c(list(counter$rounds$first()), start)
  found <- tf$while_loop(function(...) holds(filled(list(...))), step, start)
  found <- as_items(found, length(start))
  names(found) <- carried
  found[names]
}

# A loop carries tensors. Numbers of R take the precision of the tensors that the loop is about, like those beside
# tensors in operators; without any, or with several, that of tf$constant().
started <- function(value, precision, name) {
  if (is.null(value)) complain("`", name, "` is NULL before a loop over tensors; give it a first value of its type")
  if (is_compound(value)) {
    return(value) # such as a TensorArray
  }
  tf$convert_to_tensor(precise(value, precision))
}

# A number of R's beside tensors of one precision.
precise <- function(value, precision) {
  if (is.double(value) && !is.null(precision)) as_tensor(value, precision) else value
}

values_of <- function(expr, env) mget(all.vars(expr), env, ifnotfound = list(NULL), inherits = TRUE)

precision_of <- function(values) {
  floats <- Filter(function(x) is_tensor(x) && x$dtype$is_floating, values)
  dtypes <- unique(vapply(floats, function(x) x$dtype$name, ""))
  if (length(dtypes) == 1L) dtypes
}

r_for <- function(var, seq, body) {
  var <- substitute(var)
  body <- substitute(body)
  env <- parent.frame()
  if (inherits(seq, "twinflow_ragged")) seq <- reticulate::iterate(seq)
  if (!is_tensor(seq)) {
    return(eval(as.call(list(base::`for`, var, seq, without_next(body))), env))
  }
  counter <- paste0(".at_", var)
  rounds <- call_python(bridge("rounds"), as_tensor(seq), call = call("for", var, quote(tensor), quote(...)))
  body <- bquote({
    .(var) <- .(rounds$item)(.(as.name(counter)))
    .(body)
  })
  holds <- function(inner) rounds$there(get(counter, inner))
  traced_while(holds, body, env, c(seq, values_of(body, env)), list(name = counter, rounds = rounds))
}

r_repeat <- function(body) {
  eval(as.call(list(base::`repeat`, without_next(substitute(body)))), parent.frame())
}

r_and <- function(x, y) {
  x <- as_condition(x)
  if (is_symbolic(x)) {
    return(tf$logical_and(x, as_condition(y)))
  }
  if (!x) FALSE else if (is_symbolic(y <- as_condition(y))) y else x && y
}

r_or <- function(x, y) {
  x <- as_condition(x)
  if (is_symbolic(x)) {
    return(tf$logical_or(x, as_condition(y)))
  }
  if (x) TRUE else if (is_symbolic(y <- as_condition(y))) y else x || y
}

r_switch <- function(EXPR, ...) {
  if (is_symbolic(EXPR)) {
    complain("a tensor cannot decide in switch()", i = "tf$switch_case(index, functions) chooses by a number from 0")
  }
  switch(EXPR, ...)
}

control_flow <- list(
  `if` = r_if, `while` = r_while, `for` = r_for, `repeat` = r_repeat, `&&` = r_and, `||` = r_or, switch = r_switch,
  .no_else = function() NULL
)

# The names to which an expression assigns, functions inside it left out.
assigned_names <- function(expr) {
  if (!is.call(expr) || identical(expr[[1L]], quote(`function`))) {
    return(character())
  }
  head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
  own <- if (head %in% assignments) target_name(expr[[2L]])
  unique(c(own, unlist(lapply(as.list(expr)[-1L], function(part) {
    if (is_missing_index(part)) character() else assigned_names(part)
  }))))
}

# Those of base R and of magrittr.
assignments <- c("<-", "=", "for", "%<>%")

# x of x, x[i], x$y: what an assignment changes.
target_name <- function(target) {
  while (is.call(target)) target <- target[[2L]]
  as.character(target)
}

# The names that have a value after an `if`, whichever branch it takes.
settled_names <- function(branches, env) {
  sets <- lapply(branches, assigned_names)
  Filter(
    function(name) all(vapply(sets, function(set) name %in% set, NA)) || has_value(name, env),
    unique(unlist(sets))
  )
}

# Functions do not count: `row`, `t` or `df` are some of R's.
has_value <- function(name, env) exists(name, envir = env) && !is.function(get(name, envir = env))

ends_in_assignment <- function(expr) {
  while (is.call(expr) && identical(expr[[1L]], quote(`{`)) && length(expr) > 1L) expr <- expr[[length(expr)]]
  is_call_to(expr, c(assignments, "while"))
}

refuse_jumps <- function(expr, statement) {
  jumps <- Filter(function(jump) has_jump(expr, jump), c("return", "break", "next"))
  if (length(jumps)) {
    complain(
      jumps[[1L]], " inside of ", statement, " on a tensor cannot be traced; ",
      "give the value as that of the `if`, or carry a condition along"
    )
  }
}
