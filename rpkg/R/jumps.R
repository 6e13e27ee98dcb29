# `return`, `break` and `next` that depend on tensors: a graph has no jumps, so what would be jumped over moves into
# the other branch of the `if`. `if (c) return(a); b` is `if (c) a else b`.

# The body of a function without return() in the `if`s of its last statements.
without_returns <- function(body) rearranged(body, "return", function(jump) if (length(jump) > 1L) jump[[2L]])

# An expression in which the functions that it makes have no such return() either.
with_inner_functions <- function(expr) {
  if (is_call_to(expr, "function")) {
    expr[[3L]] <- without_returns(with_inner_functions(expr[[3L]]))
  } else if (is.call(expr)) {
    for (i in seq_along(expr)) if (is.call(expr[[i]])) expr[[i]] <- with_inner_functions(expr[[i]])
  }
  expr
}

# The body of a loop without break and next; one that is left sets `stopped`.
without_breaks <- function(body, stopped) {
  rearranged(body, c("break", "next"), function(jump) {
    if (identical(jump[[1L]], quote(`break`))) call("<-", as.name(stopped), TRUE)
  })
}

# The body of a loop of R's without next. A break stays: whether it is reached, R has to know.
without_next <- function(body) rearranged(body, "next", function(jump) NULL)

# A block whose jumps are the last thing that happens, as what `instead` makes of them. What follows an `if` with a
# jump goes into its branches.
rearranged <- function(body, jumps, instead) {
  if (!has_jump(body, jumps)) {
    return(body)
  }
  statements <- if (is_block(body)) as.list(body)[-1L] else list(body)
  done <- list()
  while (length(statements)) {
    one <- statements[[1L]]
    statements <- statements[-1L]
    if (has_jump(one, jumps)) {
      return(block(c(done, list(jump_of(one, statements, jumps, instead)))))
    }
    done <- c(done, list(one))
  }
  block(done)
}

# A statement with a jump, and what follows it, as one statement.
jump_of <- function(one, rest, jumps, instead) {
  if (is_call_to(one, jumps)) {
    return(instead(one))
  }
  if (is_block(one)) {
    return(rearranged(block(c(as.list(one)[-1L], rest)), jumps, instead))
  }
  if (!is_call_to(one, "if")) {
    return(block(c(list(one), rest))) # one that cannot be moved: refused where a tensor decides
  }
  branch <- function(expr) rearranged(block(c(if (!is.null(expr)) list(expr), rest)), jumps, instead)
  call("if", one[[2L]], branch(one[[3L]]), branch(if (length(one) > 3L) one[[4L]]))
}

block <- function(statements) {
  if (length(statements) == 1L) statements[[1L]] else as.call(c(list(quote(`{`)), statements))
}

is_call_to <- function(expr, names) is.call(expr) && is.symbol(expr[[1L]]) && as.character(expr[[1L]]) %in% names

is_block <- function(expr) is_call_to(expr, "{")

# Whether a jump of an expression leaves it: those of functions and loops inside are their own.
has_jump <- function(expr, jumps) {
  if (!is.call(expr) || is_call_to(expr, "function")) {
    return(FALSE)
  }
  if (is_call_to(expr, jumps)) {
    return(TRUE)
  }
  if (is_call_to(expr, c("for", "while", "repeat"))) jumps <- intersect(jumps, "return")
  parts <- Filter(function(part) !is_missing_index(part), as.list(expr)[-1L])
  length(jumps) > 0L && any(vapply(parts, has_jump, NA, jumps = jumps))
}
