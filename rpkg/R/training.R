#' Training loop with a progress bar
#'
#' Numbers from 1 to `n` to loop over. In interactive sessions with the package cli, a loop that takes longer than two
#' seconds shows a progress bar, with the present value of the loss where `show` names it.
#'
#' @param n the number of steps.
#' @param progress show a progress bar? By default in interactive sessions.
#' @param name the text of the bar.
#' @param show names of variables of the caller whose values the bar shows, such as `"loss"`: tensors of rank 0 or
#'   numbers.
#' @return A vector of whole numbers.
#' @export
#' @examples
#' total <- 0
#' for (i in training_steps(10)) total <- total + i
#' total
training_steps <- function(n, progress = interactive(), name = "Training", show = NULL) {
  if (!is_count(n, from = 0)) complain("`n` must be a whole number, 0 or more", x = it_is(n))
  if (!is.null(show) && !is.character(show)) {
    complain("`show` must be names of variables, such as \"loss\"", x = it_is(show))
  }
  steps <- seq_len(n)
  if (!isTRUE(progress) || !requireNamespace("cli", quietly = TRUE)) {
    return(steps)
  }
  if (is.null(show)) {
    return(cli::cli_progress_along(steps, name = name, .envir = parent.frame()))
  }
  # cli evaluates what is in braces in the frame of the loop, each time that it draws the bar.
  values <- paste0(" ", show, " {tryCatch(signif(as.numeric(", show, "), 4), error = function(e) \"\")}", collapse = "")
  bar <- "{cli::pb_name} {cli::pb_bar} {cli::pb_percent} {cli::pb_eta_str}"
  cli::cli_progress_along(steps, name = name, format = paste0(bar, values), .envir = parent.frame())
}

#' Pair gradients with variables
#'
#' Combines the first elements of all lists, then the second elements, and so on: the form in which an optimizer's
#' `apply_gradients()` takes gradients and variables. Named lists are matched by name.
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
    complain("the lists in `...` must have the same length", x = paste("they have", toString(sizes)))
  }
  labels <- names(lists[[1L]])
  if (!is.null(labels)) {
    lists <- lapply(lists, in_order_of, labels = labels)
  }
  .mapply(list, lists, NULL)
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
