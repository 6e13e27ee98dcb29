#' Read and plot TensorBoard logs
#'
#' `read_events()` gives the summaries of event files, which `tf$summary` and
#' TensorFlow write, as a data frame; the `plot()` method draws its scalars. Neither
#' needs TensorBoard.
#'
#' @param path a directory, with those below it, or an event file.
#' @param x what `read_events()` gave, or some of its rows.
#' @param ... passed on to `plot()` for each tag.
#' @return A data frame of class `twinflow_events`, a row for each summary, with the
#'   columns `run` (the directory below `path`), `tag`, `step`, `wall_time` (seconds
#'   since 1970), `value` (`NA` for what is no scalar) and `plugin`, such as
#'   `"scalars"` or `"histograms"`. The method gives `x`, invisibly.
#' @export
#' @examples
#' if (twinflow_available()) {
#'   logs <- file.path(tempdir(), "logs")
#'   writer <- tf$summary$create_file_writer(logs)
#'   with(writer$as_default(), {
#'     for (step in 1:5) tf$summary$scalar("loss", 1 / step, step = step)
#'   })
#'   events <- read_events(logs)
#'   events[c("step", "tag", "value")]
#'   plot(events)
#' }
read_events <- function(path) {
  path <- one_path(path)
  if (!file.exists(path)) complain("there is no file or directory ", sQuote(path, FALSE))
  columns <- reticulate::import("twinflow._src.r_bridge.events")$columns(path.expand(path))
  column <- function(name, as) as(unlist(columns[[name]], use.names = FALSE))
  events <- data.frame(
    run = column("run", as.character), tag = column("tag", as.character),
    step = column("step", as.numeric), wall_time = column("wall_time", as.numeric),
    value = column("value", as.numeric), plugin = column("plugin", as.character)
  )
  events$value[is.nan(events$value) & events$plugin != "scalars"] <- NA_real_
  class(events) <- c("twinflow_events", class(events))
  events
}

#' @rdname read_events
#' @export
plot.twinflow_events <- function(x, ...) {
  scalars <- x[!is.na(x$value), , drop = FALSE]
  if (!nrow(scalars)) complain("there are no scalars to draw")
  runs <- sort(unique(scalars$run))
  for (tag in unique(scalars$tag)) draw_tag(scalars[scalars$tag == tag, , drop = FALSE], tag, runs, ...)
  invisible(x)
}

# Draws the scalars of one tag, a line for each run.
draw_tag <- function(scalars, tag, runs, ...) {
  graphics::plot(range(scalars$step), range(scalars$value), type = "n", xlab = "step", ylab = tag, ...)
  for (run in intersect(runs, scalars$run)) {
    rows <- scalars[scalars$run == run, , drop = FALSE]
    rows <- rows[order(rows$step), , drop = FALSE]
    graphics::lines(rows$step, rows$value, type = "o", pch = 20L, col = match(run, runs))
  }
  if (length(runs) > 1L) graphics::legend("topright", runs, col = seq_along(runs), lty = 1L, bty = "n")
}
