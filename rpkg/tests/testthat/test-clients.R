core_test("Python packages that import TensorFlow get twinflow", {
  skip_on_cran()
  script <- withr::local_tempfile(fileext = ".R", lines = c(
    "suppressPackageStartupMessages(library(twinflow))",
    "use_twinflow()",
    "tensorflow <- reticulate::import('tensorflow')",
    "x <- tensorflow$constant(c(1, 2))",
    "cat(inherits(x, 'twinflow_tensor'), inherits(x, 'tensorflow.python.framework.ops.EagerTensor'), '\\n')",
    "print(x * 2)",
    "v <- tensorflow$Variable(3)",
    "cat(as.array(v + 1), inherits(v, 'tensorflow.python.ops.variables.Variable'), '\\n')",
    "wrong <- tryCatch(tensorflow$matmul(x, x), error = function(e) class(e)[1:3])",
    "cat('twinflow_error' %in% wrong || 'InvalidArgumentError' %in% wrong, '\\n')",
    "private <- reticulate::import('tensorflow.python.framework.ops')",
    "cat(reticulate::py_has_attr(private, 'EagerTensor'), '\\n')"
  ))
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE, stderr = TRUE))
  expect_identical(said[[1L]], "TRUE TRUE ")
  expect_identical(said[[2L]], "tf.Tensor([2. 4.], shape=(2), dtype=float32)")
  expect_identical(said[3:5], c("4 TRUE ", "TRUE ", "TRUE "))
})
