#' Determinants, variances, quantiles and norms of tensors
#'
#' These functions return tensors with gradients, so a likelihood written with them can be differentiated. `det()` uses
#' `determinant()`. `var()`, `cov()`, `cor()`, `sd()` and `norm()` are not generic in R: [attach_verbs()] adds versions
#' that take tensors.
#'
#' @param x a tensor or variable. A vector is one variable; the columns of a matrix are as many.
#' @param logarithm the logarithm of the modulus, as in [base::determinant()]?
#' @param na.rm leave out `NA` and `NaN`?
#' @param center,scale `TRUE`, `FALSE`, or a value for each column, as in [base::scale()].
#' @param probs probabilities.
#' @param names ignored: tensors have no names.
#' @param type 7, the default of [stats::quantile()].
#' @param ... ignored.
#' @return A tensor; `quantile()` a vector, as long as `probs`. `determinant()` gives a list of two tensors, `modulus`
#'   and `sign`. `scale()` gives a matrix; there are no attributes beside it.
#' @name statistics-of-tensors
#' @aliases det
#' @seealso `tf$linalg$slogdet()`, `tf$math$reduce_variance()`, which divides by n instead of n - 1, and
#'   `tf$linalg$svd()`, `tf$linalg$eigh()`, `tf$linalg$qr()` and `tf$norm()`, with gradients.
#' @examples
#' if (twinflow_available()) {
#'   s <- tf$Variable(matrix(c(2, 0.5, 0.5, 1), 2))
#'   with(tf$GradientTape() %as% tape, {
#'     l <- log(det(s))
#'   })
#'   tape$gradient(l, s)
#'   quantile(as_tensor(c(1, 4, 9)), c(0.25, 0.5))
#' }
NULL

#' @rdname statistics-of-tensors
#' @export
determinant.twinflow_tensor <- function(x, logarithm = TRUE, ...) {
  parts <- ask_python(bridge("determinant"), x, logarithm, call = sys.call())
  parts <- lapply(parts, marked_factor)
  attr(parts[[1L]], "logarithm") <- logarithm
  structure(list(modulus = parts[[1L]], sign = parts[[2L]]), class = "det")
}

# det() computes c(sign * exp(modulus)), and c() of a tensor is a list: the factors and their product carry a class
# whose c() is the tensor itself.
marked_factor <- function(x) {
  class(x) <- c("twinflow_factor", class(x))
  x
}

#' @export
Ops.twinflow_factor <- function(e1, e2) {
  out <- NextMethod()
  if (.Generic == "*" && inherits(e1, "twinflow_factor") && inherits(e2, "twinflow_factor")) marked_factor(out) else out
}

#' @export
Math.twinflow_factor <- function(x, ...) {
  out <- NextMethod()
  if (.Generic == "exp") marked_factor(out) else out
}

#' @export
c.twinflow_factor <- function(...) {
  if (...length() > 1L) {
    return(NextMethod())
  }
  x <- ..1
  class(x) <- setdiff(class(x), "twinflow_factor")
  x
}

#' @rdname statistics-of-tensors
#' @importFrom stats quantile
#' @export
quantile.twinflow_tensor <- function(x, probs = seq(0, 1, 0.25), na.rm = FALSE, names = TRUE, type = 7, ...) {
  if (!identical(as.numeric(type), 7)) complain("quantile() of a tensor has type 7 alone")
  call_python(bridge("quantile"), x, as_view(as.double(probs)), na.rm, call = sys.call())
}

#' @rdname statistics-of-tensors
#' @export
scale.twinflow_tensor <- function(x, center = TRUE, scale = TRUE) {
  parts <- ask_python(bridge("scale"), x, operand(center), operand(scale), call = sys.call())
  parts[[1L]]
}

only_pearson <- function(method) {
  if (match.arg(method, c("pearson", "kendall", "spearman"), several.ok = TRUE)[[1L]] != "pearson") {
    complain("of a tensor `method` is \"pearson\"; the others are piecewise constant: take as.array(x)")
  }
}

moments <- function(x, y, use, scaled = FALSE, deviation = FALSE) {
  call_python(bridge("moments"), operand(x), operand(y), use, scaled, deviation, call = entering_call())
}
