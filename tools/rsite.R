# Rscript rsite.R PACKAGE FOLDER: the site of the R package, without the network.
arguments <- commandArgs(trailingOnly = TRUE)
site <- normalizePath(arguments[[2L]], mustWork = FALSE)
setwd(arguments[[1L]]) # the vignettes are a link, which pkgdown follows from here alone
options(pkgdown.internet = FALSE)
pkgdown::build_site(
  ".",
  override = list(destination = site), preview = FALSE, install = FALSE, new_process = FALSE, examples = FALSE
)
