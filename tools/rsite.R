# Rscript rsite.R PACKAGE FOLDER: the site of the R package, without the network.
arguments <- commandArgs(trailingOnly = TRUE)
options(pkgdown.internet = FALSE)
pkgdown::build_site(
  arguments[[1L]],
  override = list(destination = normalizePath(arguments[[2L]], mustWork = FALSE)),
  preview = FALSE, install = FALSE, new_process = FALSE, examples = FALSE
)
