/* What is among the arguments of a call of Python's: looked at for each of them, which takes R ten times as long. */

#include <R.h>
#include <Rinternals.h>

/* As in R/guard.R. */
enum { NOTHING = 0, HAS_NAMES = 1, HAS_X = 2, HAS_DELICATE = 4, HAS_LONG = 8, HAS_FLOATX = 16 };

static int has_na(SEXP x) {
  SEXP call = PROTECT(lang2(install("anyNA"), x));
  int found = asLogical(eval(call, R_BaseEnv)) == TRUE;
  UNPROTECT(1);
  return found;
}

/* Would reticulate change a value? That is a missing one which is no double, and integers of bit64's. */
static int is_delicate(SEXP x) {
  switch (TYPEOF(x)) {
  case VECSXP:
    if (isObject(x)) return inherits(x, "integer64");
    for (R_xlen_t i = 0; i < XLENGTH(x); i++)
      if (is_delicate(VECTOR_ELT(x, i))) return 1;
    return 0;
  case LGLSXP:
    return has_na(x);
  case INTSXP:
    return inherits(x, "integer64") || (!inherits(x, "factor") && has_na(x));
  case STRSXP:
    return has_na(x);
  case REALSXP:
    return isObject(x) && inherits(x, "integer64");
  default:
    return 0;
  }
}

static int is_long(SEXP x, R_xlen_t from) {
  int type = TYPEOF(x);
  return (type == REALSXP || type == INTSXP || type == LGLSXP || type == CPLXSXP) && XLENGTH(x) >= from;
}

/* Has somebody chosen a float type for the session? */
static int has_floatx(void) {
  return GetOption1(install("twinflow.floatx")) != R_NilValue;
}

/* .External(kinds, length from which a vector is long, ...): a sum of the kinds there are; a long one may have
 * attributes. */
SEXP twinflow_kinds(SEXP arguments) {
  arguments = CDR(arguments);
  R_xlen_t from = (R_xlen_t) asInteger(CAR(arguments));
  int kinds = has_floatx() ? HAS_FLOATX : NOTHING;
  for (arguments = CDR(arguments); arguments != R_NilValue; arguments = CDR(arguments)) {
    SEXP x = CAR(arguments);
    if (TAG(arguments) != R_NilValue) {
      const char *name = CHAR(PRINTNAME(TAG(arguments)));
      kinds |= name[0] == 'x' && name[1] == 0 ? HAS_NAMES | HAS_X : HAS_NAMES;
    }
    if (isFunction(x) ? !inherits(x, "python.builtin.object") : is_delicate(x)) kinds |= HAS_DELICATE;
    if (is_long(x, from)) kinds |= HAS_LONG;
  }
  return ScalarInteger(kinds);
}

/* A call with another function in its place, and without what is behind a last comma. */
SEXP twinflow_call_of(SEXP call, SEXP f) {
  SEXP changed = PROTECT(shallow_duplicate(call));
  SETCAR(changed, f);
  for (SEXP at = changed; CDR(at) != R_NilValue; at = CDR(at))
    if (CDDR(at) == R_NilValue && CADR(at) == R_MissingArg) {
      SETCDR(at, R_NilValue);
      break;
    }
  UNPROTECT(1);
  return changed;
}
