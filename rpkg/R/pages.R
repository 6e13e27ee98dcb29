# Help pages of what is under tf$: the overview, and the classes of which tools/make_r_pages.py knows nothing.

#' Everything under tf: functions, classes and namespaces by TensorFlow's names
#'
#' `tf` gives access to the Python core by TensorFlow's names: `tf$Variable()`, `tf$matmul()`, `tf$device()`. It is
#' loaded at first use. `help("tf$matmul")` opens the page of a function. So does `?matmul`, unless R has a function of
#' that name, and F1 on `tf$math$reduce_sum` in RStudio.
#'
#' reticulate converts the arguments: a double scalar or vector becomes float32, an array of doubles
#' float64, integers int32. [as_tensor()] keeps doubles (float64), and takes a dtype and a shape.
#' `options(twinflow.floatx = "float64")`, or `"float32"`, sets one type for all of these in a session: for doubles of
#' R, and for functions such as `tf$zeros()` whose `dtype` is float32 otherwise. `names(tf)` lists what
#' there is; `tf$math$<Tab>` completes.
#'
#' @section Pages:
#'
#' * [Variables][tf-Variable], [gradient tapes][tf-GradientTape], [devices][tf-device], [checkpoints][tf-train].
#'
#' Functions by namespace:
#'
#' * [`tf$name()`][tf-functions]: Create, convert, slice and combine tensors, gradients and functions.
#' * [`tf$autograph`][tf-autograph]: Control flow of traced functions.
#' * [`tf$bitwise`][tf-bitwise]: Bitwise and, or, xor and shifts of integers.
#' * [`tf$compat$v1`][tf-compat-v1]: Functions of TensorFlow 1.
#' * [`tf$compat$v1$image`][tf-compat-v1-image]: Image functions of TensorFlow 1.
#' * [`tf$compat$v1$nn`][tf-compat-v1-nn]: Neural network functions of TensorFlow 1.
#' * [`tf$compat$v1$summary`][tf-compat-v1-summary]: Summaries of TensorFlow 1.
#' * [`tf$config`][tf-config]: Devices, GPUs and placement.
#' * [`tf$config$experimental`][tf-config-experimental]: Memory and memory growth of GPUs.
#' * [`tf$config$optimizer`][tf-config-optimizer]: Optimization of graphs.
#' * [`tf$config$threading`][tf-config-threading]: Number of threads.
#' * [`tf$debugging`][tf-debugging]: Assertions and checks of numbers and shapes.
#' * [`tf$experimental`][tf-experimental]: Extension types, optional values and other experiments.
#' * [`tf$image`][tf-image]: Images: resize, crop, colour, decode and encode.
#' * [`tf$initializers`][tf-initializers]: Initial values of weights.
#' * [`tf$io`][tf-io]: Files, TFRecords, and parsing of examples.
#' * [`tf$io$gfile`][tf-io-gfile]: Files and directories.
#' * [`tf$keras$initializers`][tf-keras-initializers]: Initial values of weights, by Keras' names.
#' * [`tf$keras$losses`][tf-keras-losses]: Loss functions: cross-entropy, squared error, Huber.
#' * [`tf$keras$metrics`][tf-keras-metrics]: Metrics: accuracy, precision, recall, AUC.
#' * [`tf$keras$optimizers`][tf-keras-optimizers]: Optimizers: Adam, SGD, RMSprop and others.
#' * [`tf$keras$optimizers$schedules`][tf-keras-optimizers-schedules]: Learning rate schedules.
#' * [`tf$linalg`][tf-linalg]: Linear algebra: products, decompositions, solvers, norms.
#' * [`tf$math`][tf-math]: Mathematics, reductions and sums by segment.
#' * [`tf$math$special`][tf-math-special]: Bessel and other special functions.
#' * [`tf$nest`][tf-nest]: Nested lists of tensors.
#' * [`tf$nn`][tf-nn]: Neural networks: activations, convolutions, pooling, normalization.
#' * [`tf$quantization`][tf-quantization]: Quantization.
#' * [`tf$ragged`][tf-ragged]: Rows of different lengths.
#' * [`tf$random`][tf-random]: Random numbers, seeds and sampling.
#' * [`tf$random$experimental`][tf-random-experimental]: Stateless random numbers and generators.
#' * [`tf$sets`][tf-sets]: Unions, intersections and differences.
#' * [`tf$signal`][tf-signal]: Fourier transforms, windows and spectra.
#' * [`tf$sparse`][tf-sparse]: Sparse tensors.
#' * [`tf$strings`][tf-strings]: Strings: split, join, replace, convert.
#' * [`tf$summary`][tf-summary]: Logs for TensorBoard.
#' * [`tf$summary$experimental`][tf-summary-experimental]: Steps of logs for TensorBoard.
#' * [`tf$test`][tf-test]: Checks of the machine.
#' * [`tf$types$experimental`][tf-types-experimental]: Types of traced functions.
#' * [`Functions in small namespaces of tf`][tf-others].
#'
#' @format A Python module.
#' @seealso [as_tensor()], [twinflow_differences], `vignette("twinflow")`
#' @export
#' @examples
#' if (twinflow_available()) {
#'   tf$constant(c(1, 2, 3))
#'   tf$matmul(as_tensor(diag(2)), as_tensor(matrix(1:4 + 0, 2)))
#' }
#' @name tf
#' @aliases $,twinflow_module-method
#' @usage tf
NULL

#' Variables: tensors that change
#'
#' `tf$Variable(initial_value, trainable = NULL, name = NULL, dtype = NULL, shape = NULL)` creates a variable. It has a
#' value that can be assigned, and gradient tapes follow it. Operators and functions of R take it as they take a tensor.
#'
#' Numbers of R become float32, as in Python, arrays float64; `dtype = "float64"` says it. [as_tensor()] of numbers is
#' float64, so a model is best written in one type throughout.
#'
#' @section Methods:
#' \describe{
#' \item{`v$assign(value)`, `v$assign_add(delta)`, `v$assign_sub(delta)`}{change the value. `read_value = FALSE` returns
#'   nothing.}
#' \item{`v[i] <- value`, `v[1:2]$assign(value)`}{change a part, counted from 1.}
#' \item{`v$scatter_update(tf$IndexedSlices(values, indices))`, `v$scatter_nd_add(indices, updates)`}{change rows or
#'   elements, counted from 0.}
#' \item{`v$value()`, `v$read_value()`}{are tensors with the present value; `as.array(v)` is an R array.}
#' \item{`v$trainable`, `v$dtype`, `v$shape`, `v$name`, `v$device`}{describe it.}
#' }
#' @name tf-Variable
#' @aliases tf$Variable Variable variables
#' @seealso `vignette("variables")`, [tf-GradientTape], [save_checkpoint()]
#' @examples
#' if (twinflow_available()) {
#'   v <- tf$Variable(c(1, 2, 3), name = "weights")
#'   v$assign_add(c(1, 1, 1))
#'   v[2] <- 10
#'   v * 2
#' }
NULL

#' Gradient tapes: automatic differentiation
#'
#' `with(tf$GradientTape(persistent = FALSE, watch_accessed_variables = TRUE) %as% tape, code)` records what `code`
#' computes from trainable variables and from tensors that `tape$watch(x)` names. `tape$gradient(target, sources)`
#' gives the derivatives.
#'
#' A tape can be asked once, unless `persistent = TRUE`. `NULL` means that the target does not depend on the source.
#' Values that become R numbers (`as.array()`, `as.numeric()`) are constants to a tape; other functions that make R
#' numbers of a recorded tensor give a warning.
#'
#' @section Methods:
#' \describe{
#' \item{`tape$gradient(target, sources, output_gradients = NULL)`}{the gradient of the sum of `target`, a tensor for
#'   each source, in a list like `sources`.}
#' \item{`tape$jacobian(target, sources)`}{all derivatives: the dims of `target`, then those of the source.}
#' \item{`tape$watch(x)`}{records what is computed from a tensor, too.}
#' \item{`with(tape$stop_recording(), code)`}{leaves out what `code` computes.}
#' }
#' @name tf-GradientTape
#' @aliases tf$GradientTape GradientTape gradient jacobian autodiff
#' @seealso `vignette("autodiff")`, `vignette("likelihoods")`, `tf$stop_gradient()`, `tf$custom_gradient()`
#' @examples
#' if (twinflow_available()) {
#'   x <- tf$Variable(3)
#'   with(tf$GradientTape() %as% tape, y <- x^2 + sin(x))
#'   tape$gradient(y, x)
#' }
NULL

#' Choose a device: CPU or GPU
#'
#' `with(tf$device(name), code)` computes on a device: `"CPU:0"`, `"GPU:0"`, or `"/device:GPU:1"`. Without it, tensors
#' and variables are on the GPU where there is one.
#'
#' `tf$config$list_physical_devices()` lists what the machine has. A device that is not there gives way to another,
#' unless `tf$config$set_soft_device_placement(FALSE)` was called. `x$device` is where a tensor is.
#'
#' @name tf-device
#' @aliases tf$device device
#' @seealso `vignette("devices")`, [tf_gpu_configured()]
#' @examples
#' if (twinflow_available()) {
#'   with(tf$device("CPU:0"), x <- tf$constant(c(1, 2)))
#'   x$device
#' }
NULL

#' Checkpoints, and their numbering: tf$train
#'
#' `tf$train$Checkpoint(...)` names objects; `$save(prefix)` writes their values to numbered files, `$restore(path)`
#' reads them. `tf$train$CheckpointManager(checkpoint, directory, max_to_keep)` keeps the latest ones.
#' `tf$train$latest_checkpoint(directory)` is the path of the newest. [save_checkpoint()] and [load_checkpoint()] take
#' lists of R.
#'
#' @name tf-train
#' @aliases tf$train$Checkpoint tf$train$CheckpointManager tf$train$latest_checkpoint Checkpoint CheckpointManager
#' @seealso `vignette("checkpoints")`
#' @examples
#' if (twinflow_available()) {
#'   v <- tf$Variable(1)
#'   checkpoint <- tf$train$Checkpoint(v = v)
#'   path <- checkpoint$save(file.path(tempdir(), "training"))
#'   v$assign(0)
#'   checkpoint$restore(path)
#'   v
#' }
NULL

# The page of a name under tf, for F1 in RStudio: its address on the help server of this session.
help_address <- function(name, subtopic = NULL) {
  topic <- gsub(".", "$", sub("^(twinflow|tensorflow)", "tf", name), fixed = TRUE)
  page <- utils::help((topic), package = "twinflow")
  if (!length(page)) page <- utils::help("tf", package = "twinflow")
  port <- tools::startDynamicHelp(NA)
  if (!length(page) || port <= 0L) {
    return("")
  }
  paste0("http://127.0.0.1:", port, "/library/twinflow/html/", basename(page[[1L]]), ".html")
}
