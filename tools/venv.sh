#!/usr/bin/env bash
# The virtual environment .venv: twinflow itself (editable), the test tools, and rpy2 for the parity tests.
set -euo pipefail
# shellcheck source=tools/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

OLDEST_PYTHON=3.10
CHECK_PYTHON='
import sys, sysconfig, venv, ensurepip
from pathlib import Path
shared = bool(sysconfig.get_config_var("Py_ENABLE_SHARED"))
headers = Path(sysconfig.get_path("include"), "Python.h").exists()
print("%d.%d.%d" % sys.version_info[:3], int(shared), int(headers), sys.executable)
'

# The Python to build on, as "VERSION SHARED HEADERS PATH". R can embed it only if it has a shared library.
find_python() {
  local candidate facts version shared headers rest
  for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
    facts="$(PATH="$(outer_path)" "$candidate" -c "$CHECK_PYTHON" 2>/dev/null)" || continue
    read -r version shared headers rest <<<"$facts"
    if version_ge "$version" "$OLDEST_PYTHON" && [[ $shared$headers == 11 ]]; then
      printf '%s\n' "$version $rest"
      return 0
    fi
  done
  return 1
}

# rpy2 3.6 needs a symbol that R has from 4.5 on; the last one before it works with older R.
rpy2_pin() {
  local r_version
  r_version="$(Rscript --vanilla -e 'cat(as.character(getRversion()))')"
  if version_ge "$r_version" 4.5; then echo 'rpy2>=3.6'; else echo 'rpy2==3.5.17'; fi
}

build_venv() {
  local python=$1 pin=$2
  rm -f "$VENV/.stamp"
  if ! stamped "$VENV/.python" "$python $ROOT"; then
    note "creating .venv with $python"
    rm -rf "$VENV"
    quietly build/logs/venv.log "$python" -m venv "$VENV" ||
      die "the virtual environment could not be created" "install the package python3-venv, or set PYTHON=/path/to/python3"
    stamp "$VENV/.python" "$python $ROOT"
  fi
  note "pip install: twinflow (editable), its test tools, $pin"
  quietly build/logs/pip.log "$VENV/bin/python" -m pip install --disable-pip-version-check \
    --editable '.[test]' "$pin" ||
    die "pip could not install into .venv (build/logs/pip.log)" "is PyPI reachable? see: $VENV/bin/python -m pip config list"
}

cd "$ROOT"
found="$(find_python)" || die "no usable Python: it takes >= $OLDEST_PYTHON with venv, headers and a shared libpython" \
  "apt-get install python3 python3-venv python3-dev, or set PYTHON=/path/to/python3 (pyenv: build with --enable-shared)"
read -r version python <<<"$found"
pin="$(rpy2_pin)"
key="$version $python $pin $(sha256sum <pyproject.toml) $ROOT"
if ! stamped "$VENV/.stamp" "$key"; then
  build_venv "$python" "$pin"
  stamp "$VENV/.stamp" "$key"
fi
