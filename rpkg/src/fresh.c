/* Vectors that Python is about to fill. R's own vector() writes zeros first, which costs as much as half a copy. */

#include <R.h>
#include <Rinternals.h>

static R_xlen_t size_of(SEXP dims) {
  double size = 1;
  for (R_xlen_t i = 0; i < XLENGTH(dims); i++) size *= INTEGER(dims)[i];
  if (size > R_XLEN_T_MAX) error("an array of %g values is longer than any of R's vectors", size);
  return (R_xlen_t) size;
}

/* An array of numbers whose values are not set yet: of no use but to be overwritten as a whole.
 * type: "double", "integer", "logical" or "complex". dims: integers, none of them negative. */
SEXP twinflow_fresh_array(SEXP type, SEXP dims) {
  SEXPTYPE kind = str2type(CHAR(asChar(type)));
  if (kind != REALSXP && kind != INTSXP && kind != LGLSXP && kind != CPLXSXP)
    error("only vectors of numbers are left unset, not of type %s", CHAR(asChar(type)));
  SEXP values = PROTECT(allocVector(kind, size_of(dims)));
  setAttrib(values, R_DimSymbol, dims);
  UNPROTECT(1);
  return values;
}
