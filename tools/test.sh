#!/usr/bin/env bash
# tools/test.sh [STEP...]: runs these steps, all of them by default, and says at the end how each went.
set -euo pipefail
# shellcheck source=tools/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

ALL=(ruff mypy pytest lintr testthat guide rcheck)

declare -A WHAT=(
  [ruff]="Python's style (ruff)"
  [mypy]="Python's types (mypy)"
  [pytest]="Python's tests, with R in the same process (pytest)"
  [quick]="Python's tests, without those that take long (pytest --quick)"
  [lintr]="R's style (lintr)"
  [testthat]="R's tests (testthat)"
  [guide]="the guide's outputs, in Python and in R"
  [rcheck]="the R package, built and checked (R CMD check)"
)
declare -A MEND=(
  [ruff]=".venv/bin/ruff check --fix . ; .venv/bin/ruff format . ; then: make lint"
  [mypy]="mend the types shown above; then: make lint"
  [pytest]="one test alone: . tools/env.sh && pytest tests/FILE.py -k NAME; then: make pytest"
  [quick]="one test alone: . tools/env.sh && pytest tests/FILE.py -k NAME; then: make quick"
  [lintr]="mend the lines shown above; then: make lint"
  [testthat]="mend the tests shown above; then: make rtest"
  [guide]="mend what is shown above; then: make guide"
  [rcheck]="read build/rcheck/twinflow.Rcheck/00check.log; then: make rcheck"
)

results=()
failed=0
run_step() {
  local name=$1 number=$2 count=$3 start=$SECONDS how=passed
  local log="$ROOT/build/logs/test-$name.log"
  say "[$number/$count] ${WHAT[$name]}"
  if ! bash "$ROOT/tools/step.sh" "$name" 2>&1 | tee "$log"; then
    how=FAILED
    failed=$((failed + 1))
    printf '\nFAILED: %s\n  mend: %s\n' "${WHAT[$name]}" "${MEND[$name]}"
  fi
  results+=("$(printf '%-8s %4d s  %s' "$how" $((SECONDS - start)) "${WHAT[$name]}")")
}

# The closing line of pytest's, without its frame, when pytest was one of the steps.
pytest_line() {
  local log="$ROOT/build/logs/test-pytest.log"
  [[ " $* " == *" pytest "* ]] && grep -E '^=.* in [0-9.]+s.*=$' "$log" | tail -n 1
}

steps=("$@")
[[ $# -gt 0 ]] || steps=("${ALL[@]}")
mkdir -p "$ROOT/build/logs"
number=0
for name in "${steps[@]}"; do
  number=$((number + 1))
  run_step "$name" "$number" "${#steps[@]}"
done

say "summary"
for line in "${results[@]}"; do note "$line"; done
pytest_line "${steps[@]}" || true
if [[ $failed -gt 0 ]]; then
  echo "twinflow: $failed of ${#steps[@]} steps FAILED, in $SECONDS s"
  exit 1
fi
echo "twinflow: ${#steps[@]} of ${#steps[@]} steps passed, in $SECONDS s"
