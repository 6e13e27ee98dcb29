/* The routines that R calls. */

#include <R.h>
#include <Rinternals.h>
#include <R_ext/Rdynload.h>

SEXP twinflow_fresh_array(SEXP type, SEXP dims);
SEXP twinflow_call_of(SEXP call, SEXP f);
SEXP twinflow_kinds(SEXP arguments);

static const R_CallMethodDef by_call[] = {
  {"call_of", (DL_FUNC) &twinflow_call_of, 2},
  {"fresh_array", (DL_FUNC) &twinflow_fresh_array, 2},
  {NULL, NULL, 0}
};

static const R_ExternalMethodDef by_external[] = {
  {"kinds", (DL_FUNC) &twinflow_kinds, -1},
  {NULL, NULL, 0}
};

void R_init_twinflow(DllInfo *library) {
  R_registerRoutines(library, NULL, by_call, NULL, by_external);
  R_useDynamicSymbols(library, FALSE);
}
