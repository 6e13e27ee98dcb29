core_test("devices", {
  for (name in c("CPU:0", "/CPU:0", "cpu:0", "/device:CPU:0", "GPU:0", "CPU:5")) {
    expect_match(with(tf$device(name), as_tensor(1)$device), "^/job:localhost/replica:0/task:0/device:")
  }
  expect_error(with(tf$device("foo"), as_tensor(1)), "Unknown attribute 'foo'")
  expect_error(with(tf$device("CPU:0"), stop("boom")), "boom")
  local({
    with(tf$device("CPU:0"), made_here <- as_tensor(1))
    expect_tensor(made_here, 1, "float64")
  })
})

core_test("configuration", {
  config <- tf_config()
  expect_s3_class(config, "tensorflow_config")
  expect_named(config, c("available", "version", "version_str", "location", "python", "python_version"))
  expect_output(print(config), "TensorFlow v.*\nPython v")
  expect_s3_class(tf_version(), "package_version")
  expect_output(gpu <- tf_gpu_configured(), "GPU device name")
  expect_type(gpu, "logical")
  expect_silent(tf_gpu_configured(verbose = FALSE))
  expect_output(twinflow_sitrep(), "numpy")
  expect_match(why_no_gpu(), "^GPU: none[.] ", all = TRUE)
})

core_test("names of the original package", {
  expect_error(use_session_with_seed(42), "set_random_seed")
  expect_error(train(1), "no applicable method")
  expect_error(train_and_evaluate(1), "no applicable method")
  expect_true(reticulate::py_has_attr(use_compat("v2"), "Variable"))
  expect_true(reticulate::py_has_attr(use_compat("v1"), "Session"))
  attached <- as.environment("package:twinflow")
  expect_true(reticulate::py_has_attr(attached$tf, "Session"))
  use_compat("v2")
  expect_false(reticulate::py_has_attr(attached$tf, "Session"))
  expect_error(install_twinflow(cuda = 9), "12 or 13")
})

test_that("library() is silent", {
  skip_on_cran()
  code <- shQuote("invisible(library(twinflow))")
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("-e", code), stdout = TRUE, stderr = TRUE))
  expect_identical(said, character())
})

test_that("a Python that lacks something is explained", {
  skip_on_cran()
  python <- Sys.which("python3")
  skip_if_not(nzchar(python))
  empty <- withr::local_tempdir()
  status <- system2(python, c("-m", "venv", "--without-pip", empty), stdout = FALSE, stderr = FALSE)
  skip_if_not(status == 0L)
  withr::local_envvar(RETICULATE_PYTHON = file.path(empty, "bin", "python"), PYTHONPATH = NA)
  code <- shQuote("library(twinflow); cat(twinflow_available(), ''); print(tf_config())")
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("-e", code), stdout = TRUE, stderr = TRUE))
  said <- paste(said, collapse = " ")
  expect_match(said, "FALSE .*no numpy and no ml_dtypes")
  expect_match(said, "install_twinflow")
})

core_test("seeds", {
  set_random_seed(42)
  a <- runif(1)
  x <- as.array(tf$random$uniform(shape(3)))
  set_random_seed(42)
  expect_identical(runif(1), a)
  expect_identical(as.array(tf$random$uniform(shape(3))), x)
})

core_test("command lines", {
  expect_identical(parse_arguments(c("--a=1", "--b", "2", "rest")), list(a = 1L, b = 2L))
  expect_identical(parse_arguments(c("--x=true.txt")), list(x = "true.txt"))
  expect_identical(parse_arguments("--nested-dashes=1000"), list(nested_dashes = 1000L))
  for (case in list(
    list("[1,2,3]", 1:3), list("[1, 2.5]", list(1L, 2.5)), list("['a,b', c]", c("a,b", "c")),
    list("[1, a]", list(1L, "a")),
    list("[[1, 2], [3]]", list(1:2, 3L)), list("{a: 1, b: [1, 2]}", list(a = 1L, b = 1:2)), list("[]", list()),
    list("true", TRUE), list("no", FALSE), list("1e-3", 0.001), list("T", "T"), list("\"1\"", "1"), list("a=b", "a=b")
  )) {
    expect_identical(parse_arguments(paste0("--x=", case[[1L]])), list(x = case[[2L]]))
  }
  expect_identical(parse_arguments(c("--x=null", "--y=~")), list())
})

core_test("garbage does not pile up: ten thousand operations on 4 MB stay under 600 MB", {
  skip_on_cran()
  skip_if_not(file.exists("/proc/self/status"))
  script <- withr::local_tempfile(fileext = ".R", lines = c(
    "suppressPackageStartupMessages(library(twinflow))",
    "one <- as_tensor(1)",
    "x <- as_tensor(runif(524288))",
    "for (i in 1:5000) y <- x + one",
    "for (i in 1:4000) y <- tf$add(x, one)",
    "for (i in 1:700) y <- tf$Variable(x)",
    "for (i in 1:300) y <- as_tensor(runif(524288))",
    "cat(gsub('[^0-9]', '', grep('VmHWM', readLines('/proc/self/status'), value = TRUE)))"
  ))
  said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script), stdout = TRUE)
  expect_lt(as.numeric(said) / 1024, 600)
})

core_test("a seed is one number", {
  for (seed in list(1:2, "a", NULL, NA)) expect_error(set_random_seed(seed), "one number", class = "twinflow_error")
})

core_test("a dtype is one R object", {
  expect_identical(tf$float32, tf$float32)
  expect_true(tf$float32 == as_tensor(1, "float32")$dtype)
})

core_test("functions of R's own are traced, too", {
  expect_tensor(tf_function(sqrt)(as_tensor(4)), 2, "float64")
  expect_tensor(tf_function(`+`)(as_tensor(1), as_tensor(2)), 3, "float64")
  expect_tensor(tf_function(rev)(as_tensor(c(1, 2))), c(2, 1), "float64")
})
