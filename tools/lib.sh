# shellcheck shell=bash
# Words and small helpers that the other scripts share. Source it after `set -euo pipefail`.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
export ROOT

say() { printf '==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }

# die WHAT [HOW TO MEND IT ...]: one line per argument, then stop.
die() {
  printf '\nFAILED: %s\n' "$1" >&2
  shift
  local line
  for line in "$@"; do printf '  mend: %s\n' "$line" >&2; done
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# stamped FILE KEY: true when FILE holds KEY, that is, when the step was done for these very inputs.
stamped() { [[ -f $1 && "$(<"$1")" == "$2" ]]; }
stamp() { printf '%s\n' "$2" >"$1"; }

# version_ge A B: true when version A >= version B.
version_ge() { [[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" == "$2" ]]; }

# quietly LOG COMMAND...: run it with its output in LOG; print the end of LOG when it fails.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  if "$@" >"$log" 2>&1 </dev/null; then return 0; fi
  printf '%s\n' "--- the end of $log:" >&2
  tail -n 40 "$log" >&2
  return 1
}
