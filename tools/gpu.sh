#!/usr/bin/env bash
# tools/gpu.sh test|bench|all [ARGUMENTS]: the tests and the measurements of a GPU, on a bare machine with an NVIDIA
# driver and Python. Where the Python at hand has what is needed it is used as it is; else build/gpu gets it.
# "all" runs both in less than ten minutes and writes machine.txt, tests.txt and bench.txt to $OUT or build/gpu-report.
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
  "$PYTHON" -c "$NEEDED" 2>/dev/null || "$PYTHON" -m pip install --quiet -e ".[$which]" "pytest>=8.2"
fi

export PYTHONPATH="$ROOT/python:$ROOT${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONDONTWRITEBYTECODE=1
what="$1"
shift
case "$what" in
  # Most of the time goes into compiling CuPy's kernels: several processes share the tests, CuPy keeps what they make.
  test)
    parts="${TWINFLOW_GPU_PARTS:-$(($(nproc) < 16 ? $(nproc) : 16))}"
    rm -rf build/gpu-tests
    mkdir -p build/gpu-tests
    pids=()
    for ((i = 0; i < parts; i++)); do
      # Ended in time, so that what was found until then is told (tests/gpu/conftest.py).
      TWINFLOW_GPU_PART="$i/$parts" timeout -k 15 "${TWINFLOW_GPU_SECONDS:-3600}" "$PYTHON" -m pytest -q -W default -p no:cacheprovider tests/gpu "$@" \
        >"build/gpu-tests/$i.txt" 2>&1 &
      pids+=($!)
    done
    bad=0
    for i in "${!pids[@]}"; do
      code=0
      wait "${pids[$i]}" || code=$?
      ((code == 0 || code == 5)) || bad=1 # 5: a part without tests
    done
    grep -hE '^(FAILED|ERROR|SKIPPED|E  )' build/gpu-tests/*.txt | sort | uniq -c | sort -rn | head -n "${TWINFLOW_GPU_LINES:-200}" || true
    grep -hE ' (apart|agree to the bit)|^[A-Z][A-Za-z0-9]+ +(b?float|complex)[0-9]+ ' build/gpu-tests/*.txt || true
    tail -qn 1 build/gpu-tests/*.txt
    exit "$bad"
    ;;
  all)
    out="${OUT:-build/gpu-report}"
    mkdir -p "$out"
    {
      nvidia-smi
      "$PYTHON" -c 'import sys, cupy, numpy; print(sys.version); print("NumPy", numpy.__version__); cupy.show_config()'
    } >"$out/machine.txt" 2>&1 || true
    bad=0
    TWINFLOW_GPU_SECONDS="${TWINFLOW_GPU_SECONDS:-390}" PYTHON="$PYTHON" "$ROOT/tools/gpu.sh" test "$@" >"$out/tests.txt" 2>&1 || bad=1
    timeout 170 "$PYTHON" -u -m tests.perf.gpu >"$out/bench.txt" 2>&1 || bad=1
    cat "$out"/{machine,tests,bench}.txt
    exit "$bad"
    ;;
  bench) exec "$PYTHON" -m tests.perf.gpu "$@" ;;
  *) echo "tools/gpu.sh test|bench|all" >&2; exit 2 ;;
esac
