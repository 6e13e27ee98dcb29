# Rscript rcover.R PACKAGE: which part of the R code the tests reach; nothing where covr is not installed.
package <- commandArgs(trailingOnly = TRUE)[[1L]]
if (!requireNamespace("covr", quietly = TRUE)) {
  cat("covr is not installed: no coverage of the R code\n")
  quit()
}
Sys.setenv(NOT_CRAN = "true")
found <- covr::package_coverage(package, type = "tests", quiet = TRUE)
each <- covr::coverage_to_list(found)
cat(sprintf("%6.1f %%  %s\n", sort(each$filecoverage), names(sort(each$filecoverage))), sep = "")
cat(sprintf("%6.1f %%  all R code\n", each$totalcoverage))
