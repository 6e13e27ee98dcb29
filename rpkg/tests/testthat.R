library(testthat)
library(twinflow)

test_check("twinflow")
