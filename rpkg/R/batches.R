#' Batches of rows, in order or shuffled
#'
#' Splits tensors, arrays or a data frame into batches of rows to loop over: `for (batch in batches(data, 32)) ...`. All
#' parts of a list are split, and shuffled, alike. Data that are larger than memory are for the
#' [dataset verbs][dataset-sources].
#'
#' @param data a tensor, array or vector, or a list or data frame of these with as many rows each.
#' @param size the number of rows of a batch; the last one may have fewer.
#' @param shuffle put the rows in random order first? The order depends on R's seed, [set.seed()].
#' @param drop_last leave out a last batch that has fewer rows?
#' @return A list of batches, each like `data`: a tensor, or a list of tensors with the same names.
#' @seealso [training_steps()], [frame_to_tensor()]
#' @export
#' @examples
#' if (twinflow_available()) {
#'   x <- as_tensor(matrix(1:6, 3))
#'   for (batch in batches(list(x = x, y = c(1, 0, 1)), 2)) print(dim(batch$x))
#'   set.seed(1)
#'   batches(1:4, 2, shuffle = TRUE)
#' }
batches <- function(data, size, shuffle = FALSE, drop_last = FALSE) {
  check_arguments()
  is_list <- is.list(data) && !is_tensor(data)
  parts <- lapply(if (is_list) as.list(data) else list(data), as_rows)
  rows <- unique(vapply(parts, NROW, 1))
  if (length(rows) != 1L) {
    complain("the parts of `data` must have the same number of rows", x = paste("they have", toString(rows)))
  }
  order <- if (shuffle) sample.int(rows) else seq_len(rows)
  chunks <- split(order - 1L, (seq_len(rows) - 1L) %/% size)
  if (drop_last && rows %% size != 0) chunks <- chunks[-length(chunks)]
  unname(lapply(chunks, function(chunk) {
    batch <- lapply(parts, function(part) tf$gather(part, as_tensor(array(chunk))))
    if (is_list) batch else batch[[1L]]
  }))
}

# A tensor with rows; factors become codes that count from 0.
as_rows <- function(x) {
  x <- if (is.factor(x)) as_tensor(codes_of(x)) else as_tensor(x)
  if (!length(dim(x))) complain("`data` must have rows, which a scalar has not", call = sys.call(-2L))
  x
}

codes_of <- function(x) array(as.integer(x) - 1L)
