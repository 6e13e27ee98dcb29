#' Run a task of a cluster
#'
#' Starts the server of a task of a cluster in this process, and waits until the
#' process is ended. Its clients, in R or Python, place variables and computation
#' there by `tf$device("/job:ps/task:0")`, `tf$distribute$ParameterServerStrategy()`
#' and the like. It runs what they send as graphs: neither their code nor R is
#' needed in it, and the same can be had by `python -m twinflow.task`.
#'
#' @param arguments the arguments of the command: `"--job"` and `"--index"` name
#'   the task, `"--spec"` a file with the text of the environment variable
#'   `TF_CONFIG`, which describes the cluster by default, and `"--address"` a
#'   `host:port` for a task alone.
#' @return Nothing: it does not return.
#' @export
#' @examples
#' \dontrun{
#' # Rscript -e 'twinflow::task_main()' --job ps --index 0 --address localhost:2222
#' task_main(c("--job", "ps", "--address", "localhost:2222"))
#' }
task_main <- function(arguments = commandArgs(TRUE)) {
  stopifnot(twinflow_available())
  invisible(reticulate::import("twinflow.task")$main(as.list(arguments)))
}
