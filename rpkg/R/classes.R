# The R classes of Python's objects. One S3 class serves tensors and variables; the names that code
# written for TensorFlow asks for with inherits() follow it.

class_aliases <- c(
  twinflow._src.core.tensor.EagerTensor = "tensorflow.python.framework.ops.EagerTensor",
  twinflow._src.graph.symbolic.SymbolicTensor = "tensorflow.python.framework.ops.SymbolicTensor",
  twinflow.Tensor = "tensorflow.python.framework.tensor.Tensor",
  twinflow.Variable = "tensorflow.python.ops.variables.Variable",
  twinflow.TensorShape = "tensorflow.python.framework.tensor_shape.TensorShape",
  twinflow.dtypes.DType = "tensorflow.python.framework.dtypes.DType",
  twinflow.IndexedSlices = "tensorflow.python.framework.indexed_slices.IndexedSlices",
  twinflow.data.DatasetV2 = "tensorflow.python.data.ops.dataset_ops.DatasetV2",
  twinflow.GradientTape = "tensorflow.python.eager.backprop.GradientTape",
  twinflow._src.function.function.Function =
    "tensorflow.python.eager.polymorphic_function.polymorphic_function.Function"
)

class_heads <- list(
  twinflow.Tensor = c("twinflow_tensor", "tensorflow.tensor"),
  twinflow.Variable = c("twinflow_tensor", "tensorflow.tensor"),
  twinflow._src.variables.handle.HandleTensor = c("twinflow_tensor", "tensorflow.tensor"),
  twinflow.TensorShape = "twinflow_shape",
  twinflow.dtypes.DType = "twinflow_dtype",
  twinflow.SparseTensor = "twinflow_sparse",
  twinflow.RaggedTensor = "twinflow_ragged",
  twinflow.data.DatasetV2 = c("twinflow_dataset", "tf_dataset"),
  twinflow.errors.OpError = "twinflow_error",
  twinflow._src.r_bridge.session.RError = "twinflow_error"
)

# How many names of class_heads stand before the name of the class itself.
head_counts <- list2env(
  lapply(stats::setNames(class_heads, vapply(class_heads, `[[`, "", 1L)), length),
  parent = emptyenv()
)

known_classes <- new.env(parent = emptyenv())

# reticulate asks this for every object it wraps, so what was seen before is looked up.
r_classes <- function(classes) {
  seen <- known_classes[[classes[[1L]]]]
  if (is.null(seen)) learn_classes(classes) else seen
}

# Only the core's own classes and Python's are remembered: a user may define a class anew under the same name.
learn_classes <- function(classes) {
  first <- classes[[1L]]
  classes <- own_classes(classes)
  if (!any(startsWith(classes, "twinflow."))) {
    if (all(startsWith(classes, "python.builtin."))) assign(first, classes, envir = known_classes)
    return(classes)
  }
  out <- unique(c(heads_of(classes), unlist(lapply(classes, names_of_class))))
  last <- "python.builtin.object"
  if (!"twinflow_error" %in% out) out <- c(setdiff(out, last), "twinflow_object", last)
  if (startsWith(classes[[1L]], "twinflow.")) {
    assign(first, out, envir = known_classes)
    if (all(startsWith(setdiff(classes, last), "twinflow."))) assign(out[[1L]], TRUE, envir = classes_of_core)
  }
  out
}

# Classes, by the first of their names, that are the core's alone: R has no values for their objects.
classes_of_core <- new.env(parent = emptyenv())

# The core's own names of classes, which have TensorFlow's after use_twinflow().
own_classes <- function(classes) {
  if (is.null(namespaces$own_class_names) || !any(startsWith(classes, "tensorflow."))) {
    return(classes)
  }
  as.character(unlist(namespaces$own_class_names(as.list(classes))))
}

heads_of <- function(classes) {
  unlist(unname(class_heads[intersect(names(class_heads), classes)]))
}

names_of_class <- function(class) {
  if (class %in% names(class_aliases)) {
    return(c(class_aliases[[class]], class))
  }
  if (startsWith(class, "twinflow.errors.")) {
    short <- sub("^twinflow[.]errors[.]", "", class)
    return(c(short, paste0("tensorflow.python.framework.errors_impl.", short), class))
  }
  class
}
