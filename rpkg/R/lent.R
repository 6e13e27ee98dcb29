# Functions of reticulate that this package exports too, as others built on reticulate do.

#' Functions re-exported from reticulate
#'
#' These functions come from the package reticulate, where they are documented: [reticulate::%as%],
#' [reticulate::array_reshape()], [reticulate::as_iterator()], [reticulate::dict()], [reticulate::import()],
#' [reticulate::iter_next()], [reticulate::iterate()], [reticulate::np_array()], [reticulate::py_require()],
#' [reticulate::tuple()], [reticulate::use_condaenv()], [reticulate::use_python()], [reticulate::use_virtualenv()].
#'
#' The first use of one of them, or of [tf], loads reticulate.
#'
#' @name reexports
#' @aliases %as% array_reshape as_iterator dict import iter_next iterate np_array py_require tuple use_condaenv
#'   use_python use_virtualenv
#' @export %as% array_reshape as_iterator dict import iter_next iterate np_array py_require tuple
#' @export use_condaenv use_python use_virtualenv
#' @keywords internal
NULL

lent_by_reticulate <- c(
  "%as%", "array_reshape", "as_iterator", "dict", "import", "iter_next", "iterate", "np_array", "py_require", "tuple",
  "use_condaenv", "use_python", "use_virtualenv"
)

# Exports whose values are found when they are looked at: to load reticulate takes longer than all else that library()
# does. Bound again in what imports them, so they stay as lazy there.
bind_late <- function(scope) {
  makeActiveBinding("tf", the_core, scope)
  lapply(lent_by_reticulate, function(name) {
    found <- NULL
    makeActiveBinding(name, function() {
      if (is.null(found)) found <<- getExportedValue("reticulate", name)
      found
    }, scope)
  })
}
