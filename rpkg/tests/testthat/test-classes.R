core_test("code written for TensorFlow finds its classes", {
  x <- as_tensor(1)
  v <- tf$Variable(1)
  expect_identical(class(x)[1:2], c("twinflow_tensor", "tensorflow.tensor"))
  expect_identical(class(v)[1:2], c("twinflow_tensor", "tensorflow.tensor"))
  expect_s3_class(x, "tensorflow.python.framework.ops.EagerTensor")
  expect_s3_class(v, "tensorflow.python.ops.variables.Variable")
  expect_s3_class(shape(1), "tensorflow.python.framework.tensor_shape.TensorShape")
  expect_s3_class(tf$float32, "tensorflow.python.framework.dtypes.DType")
  expect_true(reticulate::py_to_r(x)$dtype == "float64")
})

core_test("the classes that have another name here exist", {
  # The class of tf$data$Dataset has TensorFlow's name, DatasetV2, which is no name of the namespace.
  for (class in setdiff(c(names(class_aliases), names(class_heads)), "twinflow.data.DatasetV2")) {
    module <- reticulate::import(sub("[.][^.]*$", "", class))
    expect_true(reticulate::py_has_attr(module, sub("^.*[.]", "", class)), label = class)
  }
  expect_s3_class(tf$GradientTape(), "tensorflow.python.eager.backprop.GradientTape")
  expect_s3_class(tf$data$Dataset$range(2L), "tensorflow.python.data.ops.dataset_ops.DatasetV2")
})

core_test("errors can be caught by name", {
  caught <- function(code, class) tryCatch(code, condition = function(e) inherits(e, class))
  expect_true(caught(tf$reshape(1:6, c(4L, 2L)), "InvalidArgumentError"))
  expect_true(caught(tf$reshape(1:6, c(4L, 2L)), "twinflow_error"))
  expect_true(caught(tf$reshape(1:6, c(4L, 2L)), "tensorflow.python.framework.errors_impl.InvalidArgumentError"))
  expect_true(caught(as_tensor(1:4) + 1:2, "tensorflow.python.framework.errors_impl.InvalidArgumentError"))
  expect_true(caught(as_tensor(list(1, "a")), "ValueError"))
  expect_true(caught(as_tensor(list(1, "a")), "python.builtin.ValueError"))
  withr::local_options(twinflow.backtrace = TRUE)
  expect_error(as_tensor(1:4) + 1:2, "Python backtrace")
})

core_test("Python code in the session has the same core", {
  skip_on_cran()
  main <- reticulate::py_run_string("import twinflow as tf_in_python")
  expect_identical(main$tf_in_python$`__file__`, tf$`__file__`)
  main$x <- as_tensor(1:3)
  reticulate::py_run_string("y = x + 1")
  expect_tensor(main$y, 2:4, "int32")
  expect_identical(reticulate::py_id(main$x), reticulate::py_id(main$x))
})

test_that("a class that is not the core's is left alone", {
  expect_identical(r_classes(c("a.B", "python.builtin.object")), c("a.B", "python.builtin.object"))
})

core_test("R6 may ask tensors whether they are objects of its own, as it does to copy what holds them", {
  expect_null(tf$constant(1)$.__enclos_env__)
  expect_null(tf$Variable(1)$.__enclos_env__)
})
