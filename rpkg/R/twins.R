#' Base R's functions of vectors and matrices
#'
#' These functions of base R and stats are no generics. The ones here take tensors and variables, and are the usual
#' ones for everything else: base R's, or those of a package that was attached before, such as Matrix.
#'
#' `rowSums()` and its relatives, `pmin()`, `pmax()`, `diag()`, `ifelse()`, `%in%` of a tensor, and `%*%`,
#' `crossprod()` and `tcrossprod()` in versions of R that have no methods for them give tensors, with gradients where
#' there are any. What R computes with values gives R values: `rank()`, `which.max()`, `which.min()`, `nchar()`.
#'
#' @param x,y tensors, variables or what base R's function takes.
#' @param na.rm leave out `NA` and `NaN`?
#' @param dims how many dims are rows, as in [base::rowSums()].
#' @param table values to look for: a tensor or a vector.
#' @param test a logical vector or a bool tensor. Where it is a tensor, both `yes` and `no` are evaluated.
#' @param yes,no values, which broadcast.
#' @param ... for `pmin()`, `pmax()` and `cat()` tensors and R values; otherwise further arguments of the usual
#'   function.
#' @param file,sep,fill,labels,append as in [base::cat()].
#' @return See above. `x %in% table` of a plain `x` is a logical vector. `cat()` writes the values of tensors, and what
#'   those are that have none yet.
#' @name matrix-functions
#' @examples
#' if (twinflow_available()) {
#'   m <- as_tensor(matrix(1:6 + 0, 2))
#'   rowSums(m)
#'   pmax(m, 3)
#'   ifelse(m > 2, m, 0)
#'   m %*% c(1, 0, 1)
#'   cat("the largest is number", which.max(m), "of", m, "\n")
#' }
NULL

# The function of that name without this package: that of a package attached before it, or R's own.
usual <- function(name) {
  attached <- match("package:twinflow", search(), nomatch = 1L)
  get(name, parent.env(as.environment(attached)), mode = "function")
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

#' @rdname matrix-functions
#' @export
rowSums <- function(x, na.rm = FALSE, dims = 1L) {
  rowSums <- usual("rowSums")
  if (is_tensor(x)) over_dims("sum", x, na.rm, dims, TRUE) else rowSums(x, na.rm, dims)
}

#' @rdname matrix-functions
#' @export
colSums <- function(x, na.rm = FALSE, dims = 1L) {
  colSums <- usual("colSums")
  if (is_tensor(x)) over_dims("sum", x, na.rm, dims, FALSE) else colSums(x, na.rm, dims)
}

#' @rdname matrix-functions
#' @export
rowMeans <- function(x, na.rm = FALSE, dims = 1L) {
  rowMeans <- usual("rowMeans")
  if (is_tensor(x)) over_dims("mean", x, na.rm, dims, TRUE) else rowMeans(x, na.rm, dims)
}

#' @rdname matrix-functions
#' @export
colMeans <- function(x, na.rm = FALSE, dims = 1L) {
  colMeans <- usual("colMeans")
  if (is_tensor(x)) over_dims("mean", x, na.rm, dims, FALSE) else colMeans(x, na.rm, dims)
}

# The first `dims` dims stay (those of rows), or the others do.
over_dims <- function(generic, x, na_rm, dims, of_rows) {
  rank <- length(dim(x))
  if (rank < 2L) complain("'x' must be an array of at least two dimensions")
  if (dims < 1L || dims >= rank) complain("invalid 'dims'")
  reduce(generic, list(x), if (of_rows) seq(dims + 1L, rank) else seq_len(dims), FALSE, na_rm, entering_call())
}

#' @rdname matrix-functions
#' @export
pmin <- function(..., na.rm = FALSE) {
  pmin <- usual("pmin")
  if (any_tensor(...)) extremes("least", list(...), na.rm) else pmin(..., na.rm = na.rm)
}

#' @rdname matrix-functions
#' @export
pmax <- function(..., na.rm = FALSE) {
  pmax <- usual("pmax")
  if (any_tensor(...)) extremes("greatest", list(...), na.rm) else pmax(..., na.rm = na.rm)
}

extremes <- function(name, items, na_rm) {
  call_python(bridge(name), lapply(unname(items), operand), na_rm, call = entering_call())
}

#' @rdname matrix-functions
#' @export
`%in%` <- function(x, table) {
  `%in%` <- usual("%in%")
  if (!is_tensor(x)) {
    return(x %in% (if (is_tensor(table)) as.vector(table) else table))
  }
  call_python(bridge("among"), x, operand(table), call = sys.call())
}

#' @rdname matrix-functions
#' @export
diag <- function(x = 1, ...) {
  diag <- usual("diag")
  if (missing(x)) {
    return(diag(...))
  }
  if (is_tensor(x)) call_python(bridge("diagonal"), x, call = sys.call()) else diag(x, ...)
}

#' @rdname matrix-functions
#' @export
ifelse <- function(test, yes, no) {
  ifelse <- usual("ifelse")
  if (!is_tensor(test)) {
    return(ifelse(test, yes, no))
  }
  if (!is_tensor(yes) && !is_tensor(no)) {
    storage.mode(yes) <- typeof(c(yes[0L], no[0L]))
    yes <- as_tensor(yes)
  }
  call_python(bridge("ifelse"), test, operand(yes), operand(no), call = sys.call())
}

#' @rdname matrix-functions
#' @export
rank <- function(x, ...) {
  rank <- usual("rank")
  x <- as_r(x)
  rank(x, ...)
}

#' Where a tensor is TRUE
#'
#' Base R's `which()` for vectors, and for bool tensors.
#'
#' @param x a logical vector, or a bool tensor or variable.
#' @param arr.ind,useNames as in [base::which()].
#' @return Positions as R counts them.
#' @export
#' @examples
#' if (twinflow_available()) which(as_tensor(c(1, 5, 7)) > 2)
which <- function(x, arr.ind = FALSE, useNames = TRUE) {
  which <- usual("which")
  if (is_tensor(x)) {
    if (x$dtype$name != "bool") complain("which() takes a bool tensor, not one of ", x$dtype$name)
    x <- as.array(x)
  }
  which(x, arr.ind, useNames)
}

#' @rdname matrix-functions
#' @export
which.max <- function(x) {
  which.max <- usual("which.max")
  x <- as_r(x)
  which.max(x)
}

#' @rdname matrix-functions
#' @export
which.min <- function(x) {
  which.min <- usual("which.min")
  x <- as_r(x)
  which.min(x)
}

#' @rdname matrix-functions
#' @export
nchar <- function(x, ...) {
  nchar <- usual("nchar")
  x <- as_r(x)
  nchar(x, ...)
}

#' @rdname matrix-functions
#' @export
cat <- function(..., file = "", sep = " ", fill = FALSE, labels = NULL, append = FALSE) {
  cat <- usual("cat")
  if (!any_of(is_python, ...)) {
    return(cat(..., file = file, sep = sep, fill = fill, labels = labels, append = append))
  }
  items <- lapply(list(...), function(x) if (is_python(x) && !is_tensor(x)) format(x) else values_of_tensor(x))
  do.call(cat, c(items, list(file = file, sep = sep, fill = fill, labels = labels, append = append)))
}

# R has methods for the matrix product since 4.3, for the other two since 4.4: there base R's own do.

#' @rdname matrix-functions
#' @export
`%*%` <- if (getRversion() >= "4.3.0") {
  base::`%*%`
} else {
  function(x, y) {
    `%*%` <- usual("%*%")
    if (any_tensor(x, y)) product("%*%", x, y) else x %*% y
  }
}

#' @rdname matrix-functions
#' @export
crossprod <- if (getRversion() >= "4.4.0") {
  base::crossprod
} else {
  function(x, y = NULL, ...) {
    crossprod <- usual("crossprod")
    if (any_tensor(x, y)) product("crossprod", x, y) else if (missing(y)) crossprod(x, ...) else crossprod(x, y, ...)
  }
}

#' @rdname matrix-functions
#' @export
tcrossprod <- if (getRversion() >= "4.4.0") {
  base::tcrossprod
} else {
  function(x, y = NULL, ...) {
    tcrossprod <- usual("tcrossprod")
    if (any_tensor(x, y)) product("tcrossprod", x, y) else if (missing(y)) tcrossprod(x, ...) else tcrossprod(x, y, ...)
  }
}

product <- function(generic, x, y) {
  call_python(verb(generic), operand(x), operand(y), call = entering_call())
}
