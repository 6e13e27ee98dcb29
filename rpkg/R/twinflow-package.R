#' twinflow: TensorFlow's tensors, variables and gradients in R
#'
#' Tensors with the names, results and printed text of TensorFlow, computed by NumPy, or by CuPy on a GPU. TensorFlow
#' itself is not needed.
#'
#' @section First steps:
#'
#' * [install_twinflow()] sets up Python once; [twinflow_sitrep()] says what is in use.
#' * [as_tensor()] makes tensors of R values, [`tf$Variable()`][tf-Variable] makes variables, and
#'   [as.array()][as.array.twinflow_tensor] gives R values back.
#' * [Operators and mathematics][Ops.twinflow_tensor], [sums and other reductions][reductions], [`x[i, j]`][extract] and
#'   [many functions of base R][vector-methods] take tensors.
#' * [`tf$GradientTape()`][tf-GradientTape] differentiates, [optimizers][tf-keras-optimizers] minimize,
#'   [tf_function()] compiles, [tf_dnorm()] and its relatives are R's distributions for tensors.
#' * [frame_to_tensor()] and [batches()] carry data frames into training loops, the [dataset verbs][dataset-sources]
#'   whatever is larger; [save_checkpoint()] keeps what was trained.
#' * [tf] lists all else by namespace.
#'
#' @section Guides:
#'
#' `vignette("twinflow")` is the first one, and names the others. `vignette("arrays")` shows tensors to users of R's
#' arrays, `vignette("variables")` follows TensorFlow's own guide, `vignette("likelihoods")` and
#' `vignette("classifier")` are whole programs.
#'
#' Those who know TensorFlow for R find the differences in [twinflow_differences] and
#' `vignette("coming-from-tensorflow")`.
#'
#' @aliases twinflow
#' @useDynLib twinflow, .registration = TRUE, .fixes = "C_"
#' @keywords internal
"_PACKAGE"
