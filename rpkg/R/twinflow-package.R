#' @keywords internal
"_PACKAGE"
NULL
