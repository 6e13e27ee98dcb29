# shellcheck shell=bash
# The environment in which everything of this project runs. Source it: `. tools/env.sh`.
# It names the project's own virtual environment and R library, and nothing outside the project.

# shellcheck source=tools/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export VENV="$ROOT/.venv"
export RLIB="$ROOT/.rlib"

# R: the project's library first; reticulate takes the project's Python.
export R_LIBS="$RLIB"
export RETICULATE_PYTHON="$VENV/bin/python"
# What the R package unpacks at first use stays out of the user's own cache.
export R_USER_CACHE_DIR="$ROOT/build/rcache"

# Python: the bytecode stays out of the source tree, which is also a part of the R package.
export PYTHONPYCACHEPREFIX="$ROOT/build/pycache"
# The search path without our own .venv/bin, to find the Python that it is built on.
outer_path() { printf '%s\n' "${PATH#"$VENV/bin:"}"; }
case ":$PATH:" in
  *":$VENV/bin:"*) ;;
  *) export PATH="$VENV/bin:$PATH" ;;
esac

# rpy2 (R inside Python) has to find R and its shared library.
if have R; then
  R_HOME="$(env -u R_HOME R RHOME)"
  export R_HOME
  case ":${LD_LIBRARY_PATH:-}:" in
    *":$R_HOME/lib:"*) ;;
    *) export LD_LIBRARY_PATH="$R_HOME/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ;;
  esac
fi

# Printed text is compared byte by byte: the character set must be UTF-8 on any machine.
if [[ "$(locale charmap 2>/dev/null)" != UTF-8 ]]; then
  export LC_ALL=C.UTF-8
fi
