#!/usr/bin/env bash
# Brings the working copy to where everything runs. Does only what is not done yet.
set -euo pipefail
# shellcheck source=tools/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# One set-up at a time in one working copy.
mkdir -p "$ROOT/build/logs"
exec 9>"$ROOT/build/setup.lock"
if have flock; then flock 9; fi

say "set-up: system packages"
"$ROOT/tools/system.sh"
say "set-up: .venv (Python)"
"$ROOT/tools/venv.sh"
say "set-up: .rlib (R): reticulate"
"$ROOT/tools/reticulate.sh"
say "set-up: .rlib (R): twinflow"
"$ROOT/tools/rpackage.sh"
