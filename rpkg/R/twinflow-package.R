#' @useDynLib twinflow, .registration = TRUE, .fixes = "C_"
#' @keywords internal
"_PACKAGE"
NULL
