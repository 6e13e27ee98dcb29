# What an R user sees where Python, or what it needs, is missing: in sessions of their own.

fresh_session <- function(lines, python) {
  script <- withr::local_tempfile(lines = c("library(twinflow)", lines), fileext = ".R")
  rscript <- file.path(R.home("bin"), "Rscript")
  env <- c(paste0("RETICULATE_PYTHON=", python), "R_PROFILE_USER=")
  how <- c("--no-save", "--no-restore", script)
  suppressWarnings(system2(rscript, how, stdout = TRUE, stderr = TRUE, env = env, timeout = 120))
}

one_string <- function(lines) gsub("[[:space:]]+", " ", paste(lines, collapse = " "))

# A virtual environment without any packages, made with the Python that is in use.
empty_environment <- function(folder) {
  python <- reticulate::py_config()$python
  made <- suppressWarnings(system2(python, c("-m", "venv", "--without-pip", folder), stdout = FALSE, stderr = FALSE))
  if (made != 0L) skip("this Python has no module venv")
  file.path(folder, "bin", "python")
}

core_test("a Python that is not there is named, with what to do", {
  skip_on_cran()
  said <- one_string(fresh_session("tf$constant(1)", "/nowhere/python"))
  expect_match(said, "Error: Python could not be started: .*/nowhere/python.* does not exist[.] install_twinflow\\(\\)")
  said <- one_string(fresh_session(c("cat(twinflow_available())", "twinflow_sitrep()"), "/nowhere/python"))
  expect_match(said, "FALSE.*twinflow [0-9.]+ reticulate [0-9.]+ Python could not be started.*RETICULATE_PYTHON=/now")
})

core_test("a Python that lacks NumPy is named, at first use and not by library()", {
  skip_on_cran()
  skip_on_os("windows")
  python <- empty_environment(withr::local_tempdir())
  lacks <- "library is there .*Error: Python [0-9.]+ \\(.*\\) is in use, but has no numpy and no ml_dtypes"
  said <- one_string(fresh_session(c("cat('library is there ')", "as_tensor(1)"), python))
  expect_match(said, lacks)
  script <- withr::local_tempfile(fileext = ".R", lines = c(
    "reticulate::py_run_string('x = 1')", "library(twinflow)", "cat('library is there ')", "tf$constant(1)"
  ))
  said <- one_string(fresh_session(sprintf("source('%s')", script), python))
  expect_match(said, lacks)
})

core_test("a Python that is too old is named", {
  skip_on_cran()
  skip_on_os("windows")
  python <- empty_environment(withr::local_tempdir())
  ahead <- "utils::assignInNamespace('oldest_python', package_version('99.0'), 'twinflow')"
  said <- one_string(fresh_session(c(ahead, "tf$constant(1)"), python))
  expect_match(said, "is too old: twinflow needs 99.0 or newer")
})

core_test("library() loads neither reticulate nor Python; reticulate may come before or after it", {
  skip_on_cran()
  python <- reticulate::py_config()$python
  loaded <- "cat('reticulate' %in% loadedNamespaces(), '')"
  lent <- "stopifnot(identical(tuple, reticulate::tuple), identical(twinflow::`%as%`, reticulate::`%as%`))"
  core <- c("reticulate::py_run_string('import twinflow; print(twinflow.float32)')", "print(tf$constant(1)$dtype)")
  dtype <- "tf.float32"
  expect_identical(fresh_session(c(loaded, "library(reticulate)", loaded), python), "FALSE TRUE ")
  expect_identical(fresh_session(c(loaded, "dtype <- tf$float32", "cat('')", loaded), python), "FALSE TRUE ")
  expect_identical(fresh_session(c(lent, core), python), c("<dtype: 'float32'>", dtype))
  ahead <- c("detach('package:twinflow', unload = TRUE)", "library(reticulate)", "library(twinflow)")
  expect_identical(fresh_session(c(ahead, core), python), c("<dtype: 'float32'>", dtype))
  running <- c(ahead[1:2], "invisible(py_run_string('x = 1'))", ahead[3L])
  expect_identical(fresh_session(c(running, core), python), c("<dtype: 'float32'>", dtype))
})

test_that("install_twinflow() says what it cannot do", {
  expect_error(install_twinflow(cuda = 11), "must be NULL, 12 or 13", class = "twinflow_error")
  expect_error(create_environment("x", "numpy", ">=99", python = NULL), "no Python >=99 was found")
  expect_match(how_to_use("r-twinflow"), "finds it by itself")
  expect_match(how_to_use("mine"), "use_virtualenv(\"mine\")", fixed = TRUE)
})

# Takes half a minute and fetches Python packages, so only where it is asked for.
test_that("install_twinflow() makes an environment in which the core runs", {
  skip_if_not(nzchar(Sys.getenv("TWINFLOW_TEST_INSTALL")), "TWINFLOW_TEST_INSTALL is not set: no packages are fetched")
  folder <- withr::local_tempdir()
  withr::local_envvar(WORKON_HOME = folder)
  path <- install_twinflow()
  expect_identical(install_twinflow(), path) # brings up to date what is there
  said <- fresh_session("print(as_tensor(1:3) + 1L)", file.path(path, "bin", "python"))
  expect_identical(said[length(said)], "tf.Tensor([2 3 4], shape=(3), dtype=int32)")
})
