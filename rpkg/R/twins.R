#' Attach rowSums(), pmax(), dnorm() and other functions for tensors
#'
#' These functions of base R and stats are not generic, and `library(twinflow)` does not mask them. `attach_verbs()`
#' attaches versions that take tensors and variables, and call the usual function for everything else: R's own, or that
#' of a package attached before, such as Matrix. `detach_verbs()` removes them. Your scripts and functions see what is
#' attached; the code of packages does not, and can take functions from the list that `tensor_verbs()` returns.
#'
#' `rowSums()` and its relatives, `sweep()`, `pmin()`, `pmax()`, `diag()`, `ifelse()`, `outer()`, `%o%`, `%in%` of a
#' tensor, `var()`, `cov()`, `cor()`, `sd()`, `norm()`, and `%*%`, `crossprod()` and `tcrossprod()` in versions of R
#' that have no methods for them (before 4.3 and 4.4) give tensors, with gradients where there are any. What R computes
#' with values gives R values: `rank()`, `which()`, `which.max()`, `which.min()`, `nchar()`, `sprintf()`, `cat()`.
#'
#' `dnorm()`, `pnorm()`, `qnorm()`, `rnorm()` and their relatives, `beta()`, `lbeta()`, `choose()` and `lchoose()` are
#' those of [tf_dnorm()][tf_distributions].
#'
#' Without them there are `tf$matmul()`, `sum(x, axis = 2)`, `tf$maximum()`, `tf$where()`, `tf$linalg$diag_part()`,
#' `tf$math$reduce_variance()`, and `as.array(x)` or `format(x)` for what needs values of R.
#'
#' The methods take what the functions of base R and stats take. For tensors:
#'
#' * `ifelse()` evaluates both `yes` and `no`, which broadcast;
#' * `which()` takes a bool tensor, and gives positions as R counts them;
#' * `outer()` gives `FUN` tensors that broadcast, and the result has the dims of `X` and then those of `Y`;
#' * `cat()` writes the values of tensors, and what those are that have none yet;
#' * `var()`, `cov()` and `cor()` of vectors give a scalar, of matrices a matrix; `use` is one of `"everything"`,
#'   `"all.obs"`, `"complete.obs"` and `"na.or.complete"`, `method` is `"pearson"`.
#'
#' @param names which of these functions; by default all of them.
#' @param quiet do without the message that says what is masked?
#' @return `attach_verbs()` and `tensor_verbs()`: the functions as a named list, the former invisibly.
#'   `detach_verbs()`: were they attached? Invisibly.
#' @seealso [statistics-of-tensors] and [vector-methods] for functions that need none of this.
#' @export
#' @examples
#' if (twinflow_available()) {
#'   attach_verbs()
#'   m <- as_tensor(matrix(1:6 + 0, 2))
#'   rowSums(m)
#'   pmax(m, 3)
#'   ifelse(m > 2, m, 0)
#'   m %*% c(1, 0, 1)
#'   cat("the largest is number", which.max(m), "of", m, "\n")
#'   detach_verbs()
#' }
attach_verbs <- function(names = NULL, quiet = FALSE) {
  detach_verbs()
  verbs <- Filter(Negate(is.primitive), tensor_verbs(names))
  masked <- vapply(names(verbs), place_of, "")
  do.call("attach", list(verbs, name = verbs_on_path, warn.conflicts = FALSE))
  if (!quiet) {
    by_package <- split(names(verbs), masked)
    lines <- vapply(names(by_package), function(at) paste0("  ", at, ": ", toString(by_package[[at]])), "")
    message(paste(c("These functions take tensors now, and mask those of", lines), collapse = "\n"))
  }
  invisible(verbs)
}

#' @rdname attach_verbs
#' @export
detach_verbs <- function() {
  attached <- verbs_on_path %in% search()
  if (attached) detach(verbs_on_path, character.only = TRUE)
  invisible(attached)
}

verbs_on_path <- "twinflow:verbs"

#' @rdname attach_verbs
#' @export
tensor_verbs <- function(names = NULL) {
  if (!is.null(names) && !is.character(names)) complain("`names` must be names of functions, or NULL", x = it_is(names))
  unknown <- setdiff(names, names(twins))
  if (length(unknown)) {
    complain("`names` must be among those of tensor_verbs()", x = paste("these are not:", toString(unknown)))
  }
  chosen <- if (is.null(names)) twins else twins[names]
  Map(bound_to_usual, chosen, names(chosen))
}

# A function whose own name is, inside it, the usual one: what is found without it. Errors of that one name it as users
# do.
bound_to_usual <- function(twin, name) {
  if (is.primitive(twin)) {
    return(twin)
  }
  scope <- new.env(parent = topenv())
  assign(name, get(name, as.environment(place_of(name)), mode = "function"), envir = scope)
  environment(twin) <- scope
  twin
}

# The first package on the search path with a function of that name. Those of the user's own do not count.
place_of <- function(name) {
  packages <- grep("^package:", search(), value = TRUE)
  packages[[match(TRUE, vapply(packages, exists, NA, x = name, mode = "function", inherits = FALSE))]]
}

any_tensor <- function(...) any_of(is_tensor, ...)

# Asks each argument, up to the first that is such a value.
any_of <- function(.is, ...) {
  for (i in seq_len(...length())) {
    if (.is(...elt(i))) {
      return(TRUE)
    }
  }
  FALSE
}

# A tensor as R has such values: a vector where it has no dims but one.
as_r <- function(x) {
  if (!is_tensor(x)) {
    return(x)
  }
  values <- as.array(x)
  if (length(dim(values)) == 1L) as.vector(values) else values
}

# A tensor's values, or what it is where it has none yet.
values_of_tensor <- function(x) {
  if (!is_tensor(x)) {
    return(x)
  }
  if (is_symbolic(x)) as.character(x) else as.vector(x)
}

# R's own sprintf() takes as many values as an argument has before it becomes numbers or strings: of a tensor the names
# in its environment.
refuse_cut_text <- function(x, frame) {
  if (identical(sys.function(frame), base::sprintf) && isTRUE(length(x) > length(ls(x, all.names = TRUE)))) {
    complain(
      "sprintf() would show the first values alone: give it as.vector(x), or call attach_verbs() before",
      call = sys.call(frame)
    )
  }
}

# The first `dims` dims stay (those of rows), or the others do.
over_dims <- function(generic, x, na_rm, dims, of_rows) {
  rank <- length(dim(x))
  if (rank < 2L) complain("'x' must be an array of at least two dimensions")
  if (dims < 1L || dims >= rank) complain("invalid 'dims'")
  reduce(generic, list(x), if (of_rows) seq(dims + 1L, rank) else seq_len(dims), FALSE, na_rm, entering_call())
}

extremes <- function(name, items, na_rm) {
  call_python(bridge(name), lapply(unname(items), operand), na_rm, call = entering_call())
}

product <- function(generic, x, y) {
  call_python(verb(generic), operand(x), operand(y), call = entering_call())
}

combined <- function(x, y, f, ...) {
  left <- with_dims(x)
  right <- with_dims(y)
  dims <- c(dim(left), dim(right))
  out <- match.fun(f)(with_more_dims(left, length(dim(right))), right, ...)
  if (!anyNA(dims) && !identical(as.integer(dim(out)), as.integer(dims))) {
    complain("FUN has to work element by element on tensors that broadcast")
  }
  out
}

# The dims of `margin` get what there is for each of them; the others broadcast.
swept <- function(x, margin, stats, f, ...) {
  dims <- dim(x)
  if (!length(margin) || !all(margin %in% seq_along(dims)) || anyDuplicated(margin)) {
    complain("`MARGIN` must be numbers of dims, of which x has ", length(dims), x = it_is(margin))
  }
  size <- length(stats)
  if (!anyNA(c(size, dims[margin])) && size != 1L && size != prod(dims[margin])) {
    complain("`STATS` must have a value for each place of `MARGIN`", x = paste("it has", size, "values"))
  }
  if (!isTRUE(size == 1L)) {
    stats <- in_dims(stats, dims[margin])
    if (length(margin) > 1L) stats <- aperm(stats, order(margin))
    stats <- in_dims(stats, replace(rep(1L, length(dims)), margin, dims[margin]))
  }
  match.fun(f)(if (is_tensor(x)) x else as_tensor(x), stats, ...)
}

# The same values, in R's order, with other dims.
in_dims <- function(x, dims) {
  if (is_tensor(x)) dim(x) <- dims else x <- array(x, dims)
  x
}

# A vector as an array of one dim, a scalar as one of a single value.
with_dims <- function(x) {
  if (is_tensor(x)) {
    return(if (identical(dim(x), integer())) tf$reshape(x, 1L) else x)
  }
  if (is.null(dim(x))) as.array(x) else x
}

with_more_dims <- function(x, n) {
  if (!is_tensor(x)) {
    return(array(x, c(dim(x), rep(1L, n))))
  }
  for (i in seq_len(n)) x <- tf$expand_dims(x, -1L)
  x
}

# The functions that attach_verbs() offers. See bound_to_usual() for what their own names mean inside of them.
twins <- list(
  rowSums = function(x, na.rm = FALSE, dims = 1L) {
    if (is_tensor(x)) over_dims("sum", x, na.rm, dims, TRUE) else rowSums(x, na.rm, dims)
  },
  colSums = function(x, na.rm = FALSE, dims = 1L) {
    if (is_tensor(x)) over_dims("sum", x, na.rm, dims, FALSE) else colSums(x, na.rm, dims)
  },
  rowMeans = function(x, na.rm = FALSE, dims = 1L) {
    if (is_tensor(x)) over_dims("mean", x, na.rm, dims, TRUE) else rowMeans(x, na.rm, dims)
  },
  colMeans = function(x, na.rm = FALSE, dims = 1L) {
    if (is_tensor(x)) over_dims("mean", x, na.rm, dims, FALSE) else colMeans(x, na.rm, dims)
  },
  pmin = function(..., na.rm = FALSE) {
    if (any_tensor(...)) extremes("least", list(...), na.rm) else pmin(..., na.rm = na.rm)
  },
  pmax = function(..., na.rm = FALSE) {
    if (any_tensor(...)) extremes("greatest", list(...), na.rm) else pmax(..., na.rm = na.rm)
  },
  `%in%` = function(x, table) {
    if (is_tensor(x)) {
      return(call_python(bridge("among"), x, operand(table), call = sys.call()))
    }
    x %in% (if (is_tensor(table)) as.vector(table) else table)
  },
  diag = function(x = 1, ...) {
    if (missing(x)) {
      return(diag(...))
    }
    if (is_tensor(x)) call_python(bridge("diagonal"), x, call = sys.call()) else diag(x, ...)
  },
  ifelse = function(test, yes, no) {
    if (!is_tensor(test)) {
      return(ifelse(test, yes, no))
    }
    if (!is_tensor(yes) && !is_tensor(no)) {
      storage.mode(yes) <- typeof(c(yes[0L], no[0L]))
      yes <- as_tensor(yes)
    }
    call_python(bridge("ifelse"), test, operand(yes), operand(no), call = sys.call())
  },
  outer = function(X, Y, FUN = "*", ...) { # nolint: object_name_linter.
    if (any_tensor(X, Y)) combined(X, Y, FUN, ...) else outer(X, Y, FUN, ...)
  },
  `%o%` = function(X, Y) { # nolint: object_name_linter.
    if (any_tensor(X, Y)) combined(X, Y, "*") else X %o% Y
  },
  sweep = function(x, MARGIN, STATS, FUN = "-", check.margin = TRUE, ...) { # nolint: object_name_linter.
    if (any_tensor(x, STATS)) swept(x, MARGIN, STATS, FUN, ...) else sweep(x, MARGIN, STATS, FUN, check.margin, ...)
  },
  rank = function(x, ...) {
    x <- as_r(x)
    rank(x, ...)
  },
  which = function(x, arr.ind = FALSE, useNames = TRUE) {
    if (is_tensor(x)) {
      if (x$dtype$name != "bool") complain("which() takes a bool tensor, not one of ", x$dtype$name)
      x <- as.array(x)
    }
    which(x, arr.ind, useNames)
  },
  which.max = function(x) {
    x <- as_r(x)
    which.max(x)
  },
  which.min = function(x) {
    x <- as_r(x)
    which.min(x)
  },
  nchar = function(x, ...) {
    x <- as_r(x)
    nchar(x, ...)
  },
  cat = function(..., file = "", sep = " ", fill = FALSE, labels = NULL, append = FALSE) {
    if (!any_of(is_python, ...)) {
      return(cat(..., file = file, sep = sep, fill = fill, labels = labels, append = append))
    }
    items <- lapply(list(...), function(x) if (is_python(x) && !is_tensor(x)) format(x) else values_of_tensor(x))
    do.call(cat, c(items, list(file = file, sep = sep, fill = fill, labels = labels, append = append)))
  },
  sprintf = function(fmt, ...) {
    if (!any_tensor(...)) {
      return(sprintf(fmt, ...))
    }
    do.call("sprintf", c(list(fmt), lapply(list(...), values_of_tensor)), envir = environment())
  },
  var = function(x, y = NULL, na.rm = FALSE, use) {
    if (!any_tensor(x, y)) {
      return(if (missing(use)) var(x, y, na.rm) else var(x, y, na.rm, use))
    }
    if (missing(use)) use <- if (na.rm) "na.or.complete" else "everything"
    moments(x, y, use)
  },
  cov = function(x, y = NULL, use = "everything", method = c("pearson", "kendall", "spearman")) {
    if (!any_tensor(x, y)) {
      return(cov(x, y, use, method))
    }
    only_pearson(method)
    moments(x, y, use)
  },
  cor = function(x, y = NULL, use = "everything", method = c("pearson", "kendall", "spearman")) {
    if (!any_tensor(x, y)) {
      return(cor(x, y, use, method))
    }
    only_pearson(method)
    moments(x, y, use, scaled = TRUE)
  },
  sd = function(x, na.rm = FALSE) {
    if (!is_tensor(x)) {
      return(sd(x, na.rm))
    }
    moments(x, NULL, if (na.rm) "na.or.complete" else "everything", deviation = TRUE)
  },
  norm = function(x, type = c("O", "I", "F", "M", "2")) {
    if (is_tensor(x)) call_python(bridge("norm"), x, type[[1L]], call = sys.call()) else norm(x, type)
  }
)

# R has methods for the matrix product since 4.3, for the other two since 4.4: there they need no help.
twins$`%*%` <- if (getRversion() >= "4.3.0") {
  base::`%*%`
} else {
  function(x, y) if (any_tensor(x, y)) product("%*%", x, y) else x %*% y
}
twins$crossprod <- if (getRversion() >= "4.4.0") {
  base::crossprod
} else {
  function(x, y = NULL, ...) {
    if (any_tensor(x, y)) product("crossprod", x, y) else if (missing(y)) crossprod(x, ...) else crossprod(x, y, ...)
  }
}
twins$tcrossprod <- if (getRversion() >= "4.4.0") {
  base::tcrossprod
} else {
  function(x, y = NULL, ...) {
    if (any_tensor(x, y)) product("tcrossprod", x, y) else if (missing(y)) tcrossprod(x, ...) else tcrossprod(x, y, ...)
  }
}

twins <- c(twins, distribution_twins())
