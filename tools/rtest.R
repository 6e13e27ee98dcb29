# Rscript rtest.R FOLDER: the tests of the installed R package; any failure or warning fails.
folder <- commandArgs(trailingOnly = TRUE)[[1L]]
Sys.setenv(NOT_CRAN = "true")
testthat::test_dir(
  folder,
  package = "twinflow",
  load_package = "installed",
  reporter = testthat::ProgressReporter$new(show_praise = FALSE, update_interval = Inf),
  stop_on_failure = TRUE,
  stop_on_warning = TRUE
)
