#' Plot tensors
#'
#' The methods for R's arrays, for tensors and variables.
#'
#' @param x a tensor or variable of rank 1 or 2.
#' @param ... passed on to the method for vectors or matrices.
#' @return What the method for arrays returns, invisibly.
#' @export
#' @examples
#' if (twinflow_available()) {
#'   plot(as_tensor(c(1, 4, 9)))
#'   image(as_tensor(matrix(1:6 + 0, 2)))
#' }
plot.twinflow_tensor <- function(x, ...) {
  if (length(dim(x)) > 2L) complain("`x` must have rank 1 or 2 to be plotted", x = paste("it has rank", length(dim(x))))
  values <- as.array(x)
  plot(if (length(dim(values)) == 1L) as.vector(values) else values, ...)
}

#' @rdname plot.twinflow_tensor
#' @rawNamespace S3method(graphics::image, twinflow_tensor)
image.twinflow_tensor <- function(x, ...) {
  if (length(dim(x)) != 2L) complain("`x` must have rank 2 to be an image", x = paste("it has rank", length(dim(x))))
  graphics::image(as.array(x), ...)
}

#' @rdname plot.twinflow_tensor
#' @rawNamespace S3method(graphics::hist, twinflow_tensor)
hist.twinflow_tensor <- function(x, ...) graphics::hist(as.vector(x), ...)

#' @rdname plot.twinflow_tensor
#' @rawNamespace S3method(graphics::boxplot, twinflow_tensor)
boxplot.twinflow_tensor <- function(x, ...) graphics::boxplot(as.array(x), ...)

#' @rdname plot.twinflow_tensor
#' @param height as `x`.
#' @rawNamespace S3method(graphics::barplot, twinflow_tensor)
barplot.twinflow_tensor <- function(height, ...) {
  graphics::barplot(if (length(dim(height)) == 2L) as.matrix(height) else as.vector(height), ...)
}
