#!/usr/bin/env bash
# One step of `make test`, by name. tools/test.sh runs them, times them and sums up.
set -euo pipefail
# shellcheck source=tools/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

step_ruff() { python -m ruff check . && python -m ruff format --check --quiet .; }

step_mypy() { python -m mypy; }

# In parallel; the seed of hashes is fixed so that each worker finds the tests in the same order.
step_pytest() { PYTHONHASHSEED=0 TWINFLOW_NEEDS_R=1 python -m pytest -n auto --maxprocesses 8 "$@" </dev/null; }

step_quick() { PYTHONHASHSEED=0 python -m pytest -q -n auto --maxprocesses 8 --quick "$@" </dev/null; }

step_lintr() { Rscript --no-save --no-restore tools/lint.R rpkg; }

step_testthat() { Rscript --no-save --no-restore tools/rtest.R rpkg/tests/testthat; }

step_guide() { python -m tests.run_guide </dev/null; }

step_rcheck() {
  local work=build/rcheck status
  rm -rf "$work" && mkdir -p "$work"
  (
    cd "$work"
    R CMD build "$ROOT/rpkg"
    # No clock is asked over the network, and a busy machine may be slow; an ERROR is judged below with the rest. Caches are
    # where users have them.
    env -u R_USER_CACHE_DIR -u PYTHONPYCACHEPREFIX _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_EXAMPLE_TIMING_THRESHOLD_=60 \
      R CMD check --no-manual twinflow_*.tar.gz || true
  )
  status="$(grep -h '^Status:' "$work/twinflow.Rcheck/00check.log" || echo 'Status: did not finish')"
  [[ $status == "Status: OK" ]] || die "R CMD check: $status" "read $work/twinflow.Rcheck/00check.log"
}

name=$1
shift
cd "$ROOT"
"step_$name" "$@"
