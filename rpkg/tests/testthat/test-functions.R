core_test("functions print as R calls them", {
  expect_output(print(tf$gradients), "unconnected_gradients = \"none\"", fixed = TRUE)
  expect_output(print(tf$matmul), "^matmul\\(a, b, transpose_a = FALSE, .*name = NULL\\)\n  Multiplies the matrices")
  expect_output(print(tf$Variable), "Variable(initial_value = NULL, trainable = NULL", fixed = TRUE)
  expect_identical(names(formals(tf$Variable))[1:2], c("initial_value", "trainable"))
  expect_identical(formals(tf$keras$optimizers$Adam)$learning_rate, 0.001)
  expect_output(print(tf$Variable(1)$assign), "^assign\\(value")
  square <- tf_function(function(x) x^2)
  expect_s3_class(square, "tensorflow.python.eager.polymorphic_function.polymorphic_function.Function")
  expect_identical(as.numeric(square(as_tensor(3))), 9)
  expect_output(print(square), "(x)", fixed = TRUE)
})

core_test("a session has a float type where it was set", {
  types <- function(...) vapply(list(...), function(x) x$dtype$name, "")
  withr::local_options(twinflow.floatx = "float64")
  expect_identical(types(tf$Variable(0), tf$Variable(c(1, 2)), tf$constant(1)), rep("float64", 3L))
  expect_identical(types(tf$zeros(shape(2)), tf$random$normal(shape(1)), tf$eye(2L)), rep("float64", 3L))
  expect_identical(
    types(tf$Variable(1, dtype = "float32"), tf$Variable(1L), tf$zeros(shape(1), tf$int32), tf$constant(TRUE)),
    c("float32", "int32", "int32", "bool")
  )
  withr::local_options(twinflow.floatx = "float32")
  expect_identical(types(as_tensor(1), as_tensor(diag(2)), tf$Variable(diag(2))), rep("float32", 3L))
  expect_identical(types(as_tensor(1L), as_tensor(1, "float64")), c("int32", "float64"))
  withr::local_options(twinflow.floatx = NULL)
  expect_identical(types(as_tensor(1), tf$constant(1)), c("float64", "float32"))
})

core_test("names under tf have help, and functions that are elsewhere say where", {
  page <- function(topic) basename(as.character(utils::help((topic), package = "twinflow")))
  expect_identical(page("tf$matmul"), page("matmul"))
  expect_identical(page("GradientTape"), "tf-GradientTape")
  expect_identical(page("Adam"), "tf-keras-optimizers")
  expect_identical(page("tf$math$reduce_sum"), "tf-math")
  gone <- list(evaluate, export_savedmodel, view_savedmodel, tensorboard, parse_flags, flags, run_dir, tf_probability)
  for (f in gone) {
    expect_error(f(1), "is not part of twinflow", class = "twinflow_elsewhere")
  }
  expect_error(tf$keras$Sequential, "use_twinflow()", fixed = TRUE)
})

core_test("attach_verbs() has the distributions", {
  verbs <- tensor_verbs(c("dnorm", "pbinom", "qexp", "choose"))
  expect_s3_class(verbs$dnorm(as_tensor(1), log = TRUE), "twinflow_tensor")
  expect_identical(verbs$dnorm(1, sd = 2), dnorm(1, sd = 2))
  expect_identical(verbs$choose(5, 2), 10)
  expect_equal(as.numeric(verbs$pbinom(2, 5L, as_tensor(0.5))), 0.5)
})
