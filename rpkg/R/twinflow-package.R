#' twinflow: TensorFlow's tensors, variables and gradients in R
#'
#' Tensors with the names, results and printed text of TensorFlow, computed by NumPy, or by CuPy on a GPU. TensorFlow
#' itself is not needed.
#'
#' @section First steps:
#'
#' * [install_twinflow()] sets up Python once; [twinflow_sitrep()] shows what is used.
#' * [as_tensor()] makes tensors of R values, [`tf$Variable()`][tf-Variable] makes variables, and
#'   [as.array()][as.array.twinflow_tensor] gives R values back.
#' * [Operators and mathematics][Ops.twinflow_tensor], [sums and other reductions][reductions], [`x[i, j]`][extract] and
#'   [many functions of base R][vector-methods] take tensors.
#'   [attach_verbs()] adds functions that are not generic, such as `rowSums()`.
#' * [`tf$GradientTape()`][tf-GradientTape] differentiates, [optimizers][tf-keras-optimizers] minimize,
#'   [tf_function()] compiles, [tf_dnorm()] and its relatives are R's distributions for tensors.
#' * [frame_to_tensor()] and [batches()] prepare data frames for training loops, [datasets][dataset-sources] larger
#'   data; [save_checkpoint()] saves what was trained.
#' * [tf] is an index of everything else.
#'
#' @section Guides:
#'
#' Start with `vignette("twinflow")`, which lists the others. `vignette("arrays")` introduces tensors to users of R's
#' arrays, `vignette("variables")` follows TensorFlow's own guide, `vignette("likelihoods")` and
#' `vignette("classifier")` are complete programs.
#'
#' If you know the R package tensorflow, read [twinflow_differences] and `vignette("coming-from-tensorflow")`.
#'
#' @aliases twinflow
#' @useDynLib twinflow, .registration = TRUE, .fixes = "C_"
#' @keywords internal
"_PACKAGE"
