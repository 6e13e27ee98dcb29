#!/usr/bin/env bash
# tools/gpu_on_host.sh [ARGUMENTS]: the tests of a GPU on a machine without one. CuPy runs, and each of its kernels and ours is
# compiled by the host's compiler (tests/onhost). Needs g++; CuPy, CUDA's headers and what tests need (420 MB) go into build/gpu-host.
# The first run compiles two thousand kernels: six minutes on two cores. What it compiled is kept in build/onhost.
set -euo pipefail
# shellcheck source=tools/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$ROOT"

have g++ || die "there is no g++" "install it: it compiles the kernels"
export PYTHON="$ROOT/build/gpu-host/bin/python"
if ! "$PYTHON" -c 'import cupy_backends, ml_dtypes, pytest' 2>/dev/null; then
  python3 -m venv build/gpu-host
  # CuPy without CUDA's libraries, which take 3 GB and which nothing here calls; one version, as its inside is known.
  quietly build/gpu-host.log "$PYTHON" -m pip install "cupy-cuda12x==14.2.*" nvidia-cuda-runtime-cu12 -e . "pytest>=8.2" "safetensors>=0.4"
fi
export CUPY_CACHE_DIR="$ROOT/build/onhost/cupy"
PYTEST_PLUGINS=tests.onhost.plugin exec tools/gpu.sh test "$@"
