#!/usr/bin/env bash
# The R package, installed into .rlib from rpkg/; again whenever a file of it or of the Python core has changed.
set -euo pipefail
# shellcheck source=tools/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

cd "$ROOT"
[[ -f rpkg/DESCRIPTION ]] || die "rpkg/DESCRIPTION is not there" "git checkout rpkg"

# One line that changes with any file that gets installed: name and content. Tests and vignettes do not.
contents() {
  find rpkg python/twinflow \( -path rpkg/tests -o -path rpkg/vignettes -o -name __pycache__ -o -name '.*_cache' -o -name '*.o' -o -name '*.so' \) -prune -o -type f -print0 |
    LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
}

mkdir -p "$RLIB"
key="$(Rscript --version 2>&1) $(contents)"
stamped "$RLIB/.twinflow" "$key" && exit 0
note "R CMD INSTALL rpkg"
rm -rf "$RLIB"/00LOCK* "$RLIB/.twinflow"
# Cores of an hour ago, and their bytecode: with each change there is another one.
for unpacked in "$R_USER_CACHE_DIR/R/twinflow" "$PYTHONPYCACHEPREFIX$R_USER_CACHE_DIR/R/twinflow"; do
  if [[ -d "$unpacked" ]]; then find "$unpacked" -mindepth 1 -maxdepth 1 -mmin +60 -exec rm -rf {} +; fi
done
quietly build/logs/rpackage.log R CMD INSTALL --no-test-load --library="$RLIB" rpkg ||
  die "the R package could not be installed (build/logs/rpackage.log)" "fix the error above, then: make setup"
stamp "$RLIB/.twinflow" "$key"
