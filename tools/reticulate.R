# Rscript reticulate.R LIBRARY OLDEST: install reticulate from the configured CRAN, if it answers soon.
args <- commandArgs(trailingOnly = TRUE)
library <- args[[1L]]
oldest <- args[[2L]]

options(timeout = 20, Ncpus = 2L)
if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
  utils::chooseCRANmirror(graphics = FALSE, ind = 1L, local.only = TRUE)
}
offered <- tryCatch(
  utils::available.packages(),
  warning = function(w) NULL,
  error = function(e) NULL
)
if (is.null(offered) || !"reticulate" %in% rownames(offered)) {
  message("CRAN does not answer, or has no reticulate for this R")
  quit(status = 1L)
}

options(timeout = 300)
utils::install.packages("reticulate", lib = library, available = offered)
good <- requireNamespace("reticulate", lib.loc = library, quietly = TRUE) &&
  utils::packageVersion("reticulate", lib.loc = library) >= oldest
quit(status = !good)
