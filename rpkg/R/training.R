#' The steps of a training loop
#'
#' Numbers from 1 to `n` to loop over. Where a person watches and the cli package
#' is installed, a loop that takes longer than two seconds shows a progress bar.
#'
#' @param n the number of steps.
#' @param progress show a progress bar? By default where R is interactive.
#' @param name what the bar says.
#' @return A vector of whole numbers.
#' @export
#' @examples
#' total <- 0
#' for (i in training_steps(10)) total <- total + i
#' total
training_steps <- function(n, progress = interactive(), name = "Training") {
  steps <- seq_len(n)
  if (!isTRUE(progress) || !requireNamespace("cli", quietly = TRUE)) {
    return(steps)
  }
  cli::cli_progress_along(steps, name = name, .envir = parent.frame())
}

#' Pair up lists
#'
#' The first elements of all lists together, then the second ones, and so on: as
#' an optimizer's `apply_gradients()` takes gradients and variables. Lists with
#' names are matched by name.
#'
#' @param ... lists of one length.
#' @return A list of lists.
#' @export
#' @examples
#' zip_lists(list(a = 1, b = 2), list(b = "two", a = "one"))
zip_lists <- function(...) {
  lists <- list(...)
  if (!length(lists)) {
    return(list())
  }
  sizes <- lengths(lists)
  if (any(sizes != sizes[[1L]])) {
    complain("the lists have different lengths: ", paste(sizes, collapse = ", "))
  }
  labels <- names(lists[[1L]])
  if (!is.null(labels)) {
    lists <- lapply(lists, in_order_of, labels = labels)
  }
  unname(lapply(seq_len(sizes[[1L]]), function(i) {
    lapply(lists, function(items) items[[i]])
  }))
}

in_order_of <- function(items, labels) {
  if (is.null(names(items))) {
    return(items)
  }
  if (!setequal(names(items), labels)) {
    complain(
      "the lists have different names: ", paste(labels, collapse = ", "),
      " and ", paste(names(items), collapse = ", "))
  }
  items[labels]
}
