#!/usr/bin/env bash
# System packages (Debian and its kin): installs the missing ones, and only those.
# system.sh [PACKAGE...]: these packages; without any, the ones that the project needs.
set -euo pipefail
# shellcheck source=tools/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

# R with its compilers; pandoc for the vignettes.
PACKAGES=(r-base-core r-base-dev pandoc)
# What reticulate is built on.
for name in rcpp rcpptoml here jsonlite matrix png rappdirs rlang withr; do
  PACKAGES+=("r-cran-$name")
done
# What the R package's tests, help pages and vignettes use.
for name in testthat knitr rmarkdown cli lintr roxygen2 bit64 codetools pillar tibble; do
  PACKAGES+=("r-cran-$name")
done

# Debian's own Python comes without the module venv, its headers and its shared library.
python_packages() {
  local python
  python="$(PATH="$(outer_path)" command -v "${PYTHON:-python3}" || true)"
  case "$python" in
    "" | /usr/bin/* | /bin/*) printf '%s\n' python3 python3-venv python3-dev ;;
  esac
}

missing_packages() {
  local name
  for name in "$@"; do
    [[ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" == installed ]] || printf '%s\n' "$name"
  done
}

install_packages() {
  local -a apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600)
  local -a install=(install -y --no-install-recommends "$@")
  local by_hand="apt-get update && apt-get install -y --no-install-recommends $*"
  if [[ $EUID -ne 0 ]]; then
    have sudo || die "system packages are missing, and there is neither root nor sudo here" \
      "as root: $by_hand" "then run the same make target again"
    sudo -v || die "sudo did not let us install system packages" "as root: $by_hand"
    apt=(sudo "${apt[@]}")
  fi
  note "installing: $*"
  quietly build/logs/apt-update.log "${apt[@]}" update || note "apt-get update had trouble; going on"
  quietly build/logs/apt-install.log "${apt[@]}" "${install[@]}" ||
    die "apt-get could not install the system packages (build/logs/apt-install.log)" "as root: $by_hand"
}

# Elsewhere than on Debian the same things have to be there already.
require_by_hand() {
  local command
  for command in R Rscript pandoc cc make "${PYTHON:-python3}"; do
    have "$command" || die "'$command' was not found, and there is no apt-get here to install it" \
      "install R with its headers, a C++ compiler, pandoc and Python >= 3.10 by your system's means"
  done
}

cd "$ROOT"
if [[ $# -gt 0 ]]; then
  install_packages "$@"
  exit 0
fi
if ! have apt-get || ! have dpkg-query; then
  require_by_hand
  exit 0
fi
mapfile -t wanted < <(python_packages)
mapfile -t missing < <(missing_packages "${PACKAGES[@]}" "${wanted[@]}")
if [[ ${#missing[@]} -gt 0 ]]; then
  install_packages "${missing[@]}"
fi
