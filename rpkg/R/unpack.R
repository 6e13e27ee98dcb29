#' Assign the parts of a list or tensor to several names
#'
#' `c(a, b) %<-% values` gives each name its part: of a list, a vector, a shape,
#' or a tensor along its first axis. Names may be nested, `.` skips a part, and a
#' name that begins with `...` takes what the others leave, as in the package
#' zeallot.
#'
#' @param names names within `c()`, such as `c(a, c(b, .), ...rest)`; or one name.
#' @param values what they get.
#' @return `values`, invisibly.
#' @export
#' @examples
#' c(a, c(b, .)) %<-% list(1, 2:3)
#' if (twinflow_available()) {
#'   w <- tf$Variable(3)
#'   v <- tf$Variable(2)
#'   with(tf$GradientTape() %as% tape, y <- w^2 * v)
#'   c(dw, dv) %<-% tape$gradient(y, list(w, v))
#' }
`%<-%` <- function(names, values) {
  unpack(substitute(names), values, parent.frame(), sys.call())
  invisible(values)
}

unpack <- function(names, values, env, call) {
  if (!is_call_to(names, "c")) {
    if (!identical(names, quote(.))) eval(call("<-", names, call("quote", values)), env)
    return(NULL)
  }
  names <- as.list(names)[-1L]
  parts <- spread(parts_of(values), names, call)
  for (i in seq_along(names)) unpack(plain_name(names[[i]]), parts[[i]], env, call)
}

parts_of <- function(values) {
  if (is_tensor(values)) {
    return(tf$unstack(values))
  }
  as.list(values)
}

# A part for each name; the one with dots gets the list of what is left.
spread <- function(parts, names, call) {
  open <- which(vapply(names, has_dots, NA))
  left <- length(parts) - length(names) + length(open)
  if (length(open) > 1L || left < 0L || (!length(open) && left > 0L)) {
    complain(length(parts), " values for ", length(names), " names", call = call)
  }
  if (!length(open)) {
    return(parts)
  }
  before <- seq_len(open - 1L)
  taken <- open - 1L + seq_len(left)
  c(parts[before], list(parts[taken]), parts[setdiff(seq_along(parts), c(before, taken))])
}

has_dots <- function(name) is.symbol(name) && startsWith(as.character(name), "...")

plain_name <- function(name) {
  if (!has_dots(name)) {
    return(name)
  }
  rest <- sub("^[.]{3}", "", as.character(name))
  if (nzchar(rest)) as.name(rest) else quote(.)
}
