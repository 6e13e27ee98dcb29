# Data as R keeps it: data frames, dates and times, sparse matrices.

#' Convert a data frame to a tensor
#'
#' `as_tensor()` does not guess what a table means; this function says it: one
#' row for each row, one column for each column. All columns have to be numbers
#' or logical, or factors where `factors` says what becomes of them; factors, strings and dates are an error that
#' names them, and so is `NA` in columns of integers and logical values alone, unless `dtype` is a floating-point type,
#' which holds it as `NaN`.
#'
#' The other way, columns hold R's values: `data$pred <- as.vector(x)`. R puts a tensor into a data frame without a
#' word, but takes it for one value, and says "corrupt data frame" when that is printed; tibbles refuse it.
#'
#' @param data a data frame or tibble.
#' @param dtype a dtype; by default bool for logical columns alone, int32 for
#'   integers, float64 otherwise.
#' @param factors `"codes"`: a column of the numbers of the levels, counted from 0, as losses and `tf$one_hot()` take
#'   them; `"one_hot"`: a column for each level, 1 where the row has it.
#' @return A tensor of rank 2.
#' @seealso [model.matrix()] makes a matrix of a formula, with contrasts and interactions; `as_tensor()` takes it.
#' @export
#' @examples
#' if (twinflow_available()) {
#'   frame_to_tensor(head(cars))
#'   frame_to_tensor(iris[c(1, 51), ], factors = "one_hot")
#'   as_tensor(model.matrix(~ Species, iris[c(1, 51), ]))
#' }
frame_to_tensor <- function(data, dtype = NULL, factors = c("error", "codes", "one_hot")) {
  if (!is.data.frame(data)) complain("`data` must be a data frame", x = it_is(data))
  factors <- match.arg(factors)
  if (factors != "error") data <- with_numbered_factors(data, factors)
  plain <- vapply(data, is_plain_column, NA)
  if (!all(plain)) {
    complain(
      "columns of `data` must be numbers or logical",
      x = paste("these are not:", toString(names(data)[!plain])),
      i = c(
        "leave them out, or convert them first",
        if (any(vapply(data, is.factor, NA))) "For factors, say factors = \"codes\" or factors = \"one_hot\"."
      )
    )
  }
  missing_in <- vapply(data, function(x) !is.double(x) && anyNA(x), NA)
  if (any(missing_in) && is.null(dtype) && !any(vapply(data, is.double, NA))) {
    complain(
      "integer and logical columns of `data` must have no NA",
      x = paste("there is NA in", toString(names(data)[missing_in])),
      i = "frame_to_tensor(data, \"float64\") makes it NaN, na.omit(data) leaves the rows out"
    )
  }
  columns <- if (length(data)) unlist(lapply(data, as.vector), use.names = FALSE) else numeric()
  make_tensor(matrix(columns, nrow(data), length(data)), dtype, NULL, sys.call())
}

# A data frame with each factor as its codes, or as a column for each of its levels.
with_numbered_factors <- function(data, as) {
  columns <- lapply(names(data), function(name) {
    x <- data[[name]]
    if (!is.factor(x)) {
      return(data[name])
    }
    if (anyNA(x)) complain("NA in the factor ", name, "; na.omit(data) leaves the rows out", call = sys.call(-3L))
    if (as == "codes") {
      return(stats::setNames(list(as.integer(x) - 1L), name))
    }
    stats::setNames(lapply(levels(x), function(level) as.integer(x == level)), paste0(name, levels(x)))
  })
  as.data.frame(do.call(c, lapply(columns, as.list)), optional = TRUE)
}

is_plain_column <- function(x) (is.numeric(x) || is.logical(x)) && !is.object(x) && length(dim(x)) < 2L

# Dates and times have no dtype of their own. With a dtype they are what R keeps: days for dates,
# seconds for times, since the beginning of 1970 in UTC.
#' @export
as_tensor.Date <- function(x, dtype = NULL, ..., shape = NULL) {
  tensor_of_times(x, dtype, shape, sys.call())
}

#' @export
as_tensor.POSIXt <- function(x, dtype = NULL, ..., shape = NULL) {
  tensor_of_times(as.POSIXct(x), dtype, shape, sys.call())
}

tensor_of_times <- function(x, dtype, shape, call) {
  if (!is.null(dtype)) {
    return(make_tensor(as.numeric(x), dtype, shape, call))
  }
  if (length(x) != 1L) x <- lapply(seq_along(x), function(i) x[[i]])
  call_python(bridge("retensor"), x, dtype, dims_argument(shape), call = call)
}

#' Sparse matrices and sparse tensors
#'
#' `as_tensor()` makes a SparseTensor of a sparse matrix of the Matrix package,
#' with its stored values in TensorFlow's order, row by row. Dense matrices of
#' that package become ordinary tensors. `sparse_matrix()` goes the other way;
#' `as.array()`, `as.matrix()` and `as.vector()` give dense values of R.
#'
#' Functions that leave zeros as they are, such as `abs()` and `sqrt()`, change the stored values alone. Sums, means,
#' extremes and `is.na()` are those of the dense tensor.
#'
#' @param x a SparseTensor; for `sparse_matrix()` one of rank 2.
#' @param mode as in [as.vector()].
#' @param ... passed on to the methods for arrays and tensors.
#' @return `sparse_matrix()`: a sparse matrix. `dim()` and `length()` are those of the dense tensor.
#' @name sparse-matrices
#' @export
#' @examples
#' if (twinflow_available() && requireNamespace("Matrix", quietly = TRUE)) {
#'   m <- Matrix::sparseMatrix(i = c(1, 3), j = c(2, 1), x = c(5, 7))
#'   s <- as_tensor(m)
#'   tf$sparse$to_dense(s)
#'   sparse_matrix(s)
#' }
sparse_matrix <- function(x) {
  if (!inherits(x, "twinflow_sparse")) complain("`x` must be a SparseTensor", x = it_is(x))
  dims <- as.integer(x$dense_shape)
  if (length(dims) != 2L) complain("`x` must have rank 2 to become a matrix", x = paste("it has rank", length(dims)))
  indices <- as.array(x$indices)
  Matrix::sparseMatrix(i = indices[, 1L] + 1L, j = indices[, 2L] + 1L, x = as.vector(x$values), dims = dims)
}

#' @rdname sparse-matrices
#' @export
dim.twinflow_sparse <- function(x) dim.twinflow_tensor(x)

#' @rdname sparse-matrices
#' @export
length.twinflow_sparse <- function(x) length.twinflow_tensor(x)

#' @rdname sparse-matrices
#' @export
as.array.twinflow_sparse <- function(x, ...) as.array(dense(x), ...)

dense <- function(x) tf$sparse$to_dense(tf$sparse$reorder(x))

#' @rdname sparse-matrices
#' @export
as.matrix.twinflow_sparse <- function(x, ...) as.matrix(as.array(x), ...)

#' @rdname sparse-matrices
#' @export
as.vector.twinflow_sparse <- function(x, mode = "any") as.vector(dense(x), mode)

#' @rdname sparse-matrices
#' @export
Math.twinflow_sparse <- function(x, ...) {
  f <- get(.Generic, baseenv())
  if (startsWith(.Generic, "cum") || !identical(f(0), 0)) {
    complain(.Generic, "() leaves no zeros: see tf$sparse$to_dense()", call = group_call(sys.call(), .Generic))
  }
  x$with_values(f(x$values, ...))
}

#' @rdname sparse-matrices
#' @export
Summary.twinflow_sparse <- function(x, ...) get(.Generic, baseenv())(dense(x), ...)

#' @rdname sparse-matrices
#' @export
mean.twinflow_sparse <- function(x, ...) mean(dense(x), ...)

#' @rdname sparse-matrices
#' @export
is.na.twinflow_sparse <- function(x) is.na(dense(x))

#' @rdname sparse-matrices
#' @export
`[.twinflow_sparse` <- function(x, ...) {
  complain("a SparseTensor has no elements: tf$sparse$slice() takes parts of it, tf$sparse$to_dense() makes a tensor")
}

#' @rdname sparse-matrices
#' @export
t.twinflow_sparse <- function(x) tf$sparse$transpose(x)

#' @export
as_tensor.sparseMatrix <- function(x, dtype = NULL, ..., shape = NULL) {
  if (!is.null(shape)) complain("a sparse matrix keeps its shape; see tf$sparse$reshape()")
  x <- methods::as(methods::as(methods::as(x, "generalMatrix"), "CsparseMatrix"), "TsparseMatrix")
  places <- order(x@i, x@j)
  values <- if ("x" %in% methods::slotNames(x)) x@x else rep(TRUE, length(x@i))
  indices <- as_tensor(cbind(x@i, x@j)[places, , drop = FALSE], "int64")
  tf$SparseTensor(indices, as_tensor(array(values[places]), dtype), as_tensor(dim(x), "int64"))
}

#' @export
as_tensor.Matrix <- function(x, dtype = NULL, ..., shape = NULL) {
  make_tensor(as.matrix(x), dtype, shape, sys.call())
}
