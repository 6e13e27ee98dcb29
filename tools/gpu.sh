#!/usr/bin/env bash
# tools/gpu.sh test|bench|all [ARGUMENTS]: the tests and the measurements of a GPU, on a bare machine with an NVIDIA
# driver and Python. Where the Python at hand has what is needed it is used as it is; else build/gpu gets it.
# "all" runs both in less than ten minutes and writes machine.txt, bench.txt and tests.txt to $OUT or build/gpu-report, each
# line when it is known: measurements first, while nothing else runs.
set -euo pipefail
# shellcheck source=tools/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$ROOT"

PYTHON="${PYTHON:-python3}"
NEEDED='import cupy, ml_dtypes, numpy, pytest'

# The extra that goes with the driver: the CUDA version that it can run, as its own tool says.
extra() {
  local version
  version="$(nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9]*\).*/\1/p' | head -n 1)"
  [[ -n $version ]] || { echo "There is no NVIDIA driver here: nvidia-smi does not answer." >&2; exit 1; }
  if ((version >= 13)); then echo cuda13; else echo cuda12; fi
}

if ! "$PYTHON" -c "$NEEDED" 2>/dev/null; then
  which="$(extra)"
  [[ -x build/gpu/bin/python ]] || "$PYTHON" -m venv build/gpu
  PYTHON=build/gpu/bin/python
  unset CUDA_PATH CUDA_HOME # the compiler comes along, and wants the headers that come with it
  "$PYTHON" -c "$NEEDED" 2>/dev/null || "$PYTHON" -m pip install --quiet -e ".[$which]" "pytest>=8.2"
fi

export PYTHONPATH="$ROOT/python:$ROOT${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONDONTWRITEBYTECODE=1

# One process's share of the tests, in as many processes as it takes: one that a test ends is followed by another.
# share I PARTS END ARGUMENTS...
share() {
  local i=$1 parts=$2 end=$3 code=0 bad=0 left
  shift 3
  for _ in 1 2 3 4 5 6 7 8; do
    left=$((end - $(date +%s)))
    ((left > 5)) || break
    code=0
    # Ended in time, so that what was found until then is told (tests/gpu/conftest.py).
    TWINFLOW_GPU_PART="$i/$parts" TWINFLOW_GPU_DONE="build/gpu-tests/$i.done" timeout -k 15 "$left" \
      "$PYTHON" -m pytest -q -W default -p no:cacheprovider tests/gpu "$@" >>"build/gpu-tests/$i.txt" 2>&1 || code=$?
    ((code == 0 || code == 5)) || bad=1 # 5: a part without tests, or without any that are left
    if grep -qs '^FINISHED' "build/gpu-tests/$i.done"; then break; fi # else a test ended the process
  done
  return "$bad"
}

what="$1"
shift
case "$what" in
  # Most of the time goes into compiling CuPy's kernels: several processes share the tests, CuPy keeps what they make.
  test)
    parts="${TWINFLOW_GPU_PARTS:-$(($(nproc) < 16 ? $(nproc) : 16))}"
    rm -rf build/gpu-tests
    mkdir -p build/gpu-tests
    pids=()
    end=$(($(date +%s) + ${TWINFLOW_GPU_SECONDS:-3600}))
    for ((i = 0; i < parts; i++)); do
      share "$i" "$parts" "$end" "$@" &
      pids+=($!)
    done
    bad=0
    for pid in "${pids[@]}"; do wait "$pid" || bad=1; done
    count() { cat build/gpu-tests/*.done 2>/dev/null | grep -c "^$1"$'\t' || true; }
    if ! compgen -G "build/gpu-tests/*.txt" >/dev/null; then
      echo "There was no time left for the tests."
      exit 1
    fi
    echo "begun $(count BEGUN), passed $(count PASSED), failed $(count FAILED), skipped $(count SKIPPED), broke the device $(count BROKEN)"
    # What was begun and has no end hung, or ended its process.
    cat build/gpu-tests/*.done 2>/dev/null | awk -F '\t' '{ if ($1 == "BEGUN") open[$2] = 1; else delete open[$2] } END { for (t in open) print "NO END " t }' || true
    grep -hE '^(FAILED|ERROR|SKIPPED|E  )' build/gpu-tests/*.txt | sort | uniq -c | sort -rn | head -n "${TWINFLOW_GPU_LINES:-200}" || true
    grep -hE ' (apart|agree to the bit)|^[A-Z][A-Za-z0-9]+ +(b?float|complex)[0-9]+ ' build/gpu-tests/*.txt | sort -u || true
    tail -qn 1 build/gpu-tests/*.txt
    exit "$bad"
    ;;
  all)
    out="${OUT:-build/gpu-report}"
    mkdir -p "$out"
    rm -f "$out/bench.txt"
    {
      nvidia-smi
      "$PYTHON" -c 'import sys, cupy, numpy; print(sys.version); print("NumPy", numpy.__version__); cupy.show_config()'
    } >"$out/machine.txt" 2>&1 || true
    bad=0 end=$((SECONDS + ${TWINFLOW_BENCH_SECONDS:-260}))
    # In several processes: what breaks the device in one, or hangs, leaves the others their figures.
    for groups in calls mlp "elementwise reductions products" convolutions "short_products copies chains"; do
      left=$((end - SECONDS))
      ((left > 5)) || break
      # shellcheck disable=SC2086
      timeout -k 5 "$((left < 90 ? left : 90))" "$PYTHON" -u -m tests.perf.gpu $groups 2>&1 | tee -a "$out/bench.txt" || bad=1
    done
    left=$((${TWINFLOW_GPU_SECONDS:-570} - SECONDS - 20))
    TWINFLOW_GPU_SECONDS=$left PYTHON="$PYTHON" "$ROOT/tools/gpu.sh" test "$@" >"$out/tests.txt" 2>&1 || bad=1
    cat build/gpu-tests/*.done >"$out/each.txt" 2>/dev/null || true
    cat "$out"/{machine,tests}.txt
    exit "$bad"
    ;;
  bench) exec "$PYTHON" -m tests.perf.gpu "$@" ;;
  *) echo "tools/gpu.sh test|bench|all" >&2; exit 2 ;;
esac
