#!/usr/bin/env bash
# tools/test_matrix.sh [3.MINOR | SUITE]...: the tests with each Python that is found (on the search path and pyenv's), once with the
# oldest and once with the newest NumPy that it can have; and, as root where debootstrap is, `make guide` and `make test` of what is
# committed, in a fresh Debian 13 (trixie) or another suite, as a new user. Everything is in build/matrix. All of it takes hours.
set -euo pipefail
# shellcheck source=tools/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$ROOT"

MATRIX="$ROOT/build/matrix"
# The oldest of what pyproject.toml allows that has wheels for a Python.
declare -A OLDEST=(
  [3.10]="numpy==2.2.* ml_dtypes==0.5.0 protobuf==5.26.*"
  [3.11]="numpy==2.2.* ml_dtypes==0.5.0 protobuf==5.26.*"
  [3.12]="numpy==2.2.* ml_dtypes==0.5.0 protobuf==5.26.*"
  [3.13]="numpy==2.2.* ml_dtypes==0.5.0 protobuf==5.26.*"
  [3.14]="numpy==2.3.2"
)
VERSIONS='
import platform, numpy, ml_dtypes
from google import protobuf
print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, ml_dtypes {ml_dtypes.__version__}, protobuf {protobuf.__version__}")'

rows=()
failed=0
# row RESULT SECONDS WHAT: a line of the table at the end.
row() {
  rows+=("$(printf '%-8s %5d s  %s' "$1" "$2" "$3")")
  [[ $1 != FAILED ]] || failed=$((failed + 1))
}

# One Python for each minor version from 3.10 on, as "MINOR PATH"; the newest where there are several.
pythons() {
  local candidate
  for candidate in $(compgen -c | grep -E '^python3(\.[0-9]+)?$' | sort -u) "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python; do
    "$candidate" -c '
import sys, venv, ensurepip
if sys.version_info >= (3, 10) and sys.implementation.name == "cpython":
    print("%d.%d.%d" % sys.version_info[:3], "%d.%d" % sys.version_info[:2], sys._base_executable or sys.executable)' 2>/dev/null || true
  done | sort -V -r | awk '!seen[$2]++ { print $2, $3 }' | sort -V
}

# with_numpy MINOR PYTHON WHICH [PIN...]: the tests in an environment of their own, those in tests/unit last.
with_numpy() {
  local minor=$1 python=$2 which=$3 start=$SECONDS how=passed part versions
  local home="$MATRIX/$minor-$which"
  shift 3
  say "Python $minor, the $which NumPy"
  rm -rf "$home"
  if ! quietly "$home.log" "$python" -m venv "$home" ||
    ! quietly "$home.log" "$home/bin/python" -m pip install --disable-pip-version-check --prefer-binary -e '.[test]' "$@"; then
    row FAILED $((SECONDS - start)) "Python $minor, the $which NumPy: no environment ($home.log)"
    return
  fi
  versions="$("$home/bin/python" -c "$VERSIONS")"
  for part in "tests --ignore=tests/unit" tests/unit; do
    # shellcheck disable=SC2086
    PYTHONPYCACHEPREFIX="$home/pycache" "$home/bin/python" -m pytest -q -p no:cacheprovider $part </dev/null 2>&1 |
      tee "$home-$(basename "$part").log" | tail -n 25 || how=FAILED
  done
  row "$how" $((SECONDS - start)) "$versions"
}

# both_numpys [MINOR]: with this Python, or with each.
both_numpys() {
  local minor python
  while read -r minor python; do
    [[ -z ${1:-} || $1 == "$minor" ]] || continue
    # shellcheck disable=SC2086
    [[ -z ${OLDEST[$minor]:-} ]] || with_numpy "$minor" "$python" oldest ${OLDEST[$minor]}
    with_numpy "$minor" "$python" newest
  done < <(pythons)
}

# in_debian FOLDER COMMAND: as the new user, without anything of this machine's environment but how pip and the network are reached.
in_debian() {
  local -a kept
  mapfile -t kept < <(env | grep -E '^(PIP_|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY)' || true)
  # shellcheck disable=SC2016
  unshare --mount --fork bash -c '
    root=$1 command=$2
    shift 2
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/dev/shm"
    exec chroot "$root" setpriv --reuid newcomer --regid newcomer --init-groups env -i HOME=/home/newcomer USER=newcomer \
      PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin "$@" bash -c "cd ~/twinflow && $command"' \
    in_debian "$1" "$2" "${kept[@]}" </dev/null
}

# A Debian with what a newcomer has: git, make, sudo, and this machine's names and certificates.
fresh_debian() {
  local suite=$1 root=$2 uri script=/usr/share/debootstrap/scripts
  # The address from which apt takes this Debian.
  # shellcheck disable=SC2016
  uri="$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' | awk '$2 !~ /-/ { print $1; exit }')"
  [[ -e $script/$suite ]] && script=$script/$suite || script=$script/sid
  rm -rf "$root" && mkdir -p "$root" &&
    debootstrap --variant=minbase --include=ca-certificates,git,make,sudo "$suite" "$root" "$uri" "$script" &&
    cp -L /etc/resolv.conf "$root/etc/resolv.conf" &&
    cp -r /usr/local/share/ca-certificates "$root/usr/local/share/" &&
    chroot "$root" update-ca-certificates &&
    chroot "$root" useradd --create-home --shell /bin/bash newcomer &&
    echo 'newcomer ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/newcomer" &&
    git clone -q "file://$ROOT" "$root/home/newcomer/twinflow" &&
    chroot "$root" chown -R newcomer: /home/newcomer/twinflow
}

DEBIAN_VERSIONS='. tools/env.sh
python -c "import platform, numpy; print(f\"Python {platform.python_version()}, NumPy {numpy.__version__}\", end=\", \")"
Rscript --vanilla -e "cat(\"R\", format(getRversion()), \"lintr\", format(packageVersion(\"lintr\")))"
'

debian() {
  local suite=$1 target start=$SECONDS how=passed
  local root="$MATRIX/debian-$suite"
  say "Debian $suite"
  if [[ $EUID -ne 0 ]] || ! have debootstrap || ! have unshare; then
    row "left out" 0 "Debian $suite: takes root and the package debootstrap"
    return
  fi
  if ! quietly "$root.log" fresh_debian "$suite" "$root"; then
    row FAILED $((SECONDS - start)) "Debian $suite: could not be set up ($root.log)"
    return
  fi
  for target in guide test; do
    in_debian "$root" "make $target" 2>&1 | tee "$root-$target.log" | tail -n 25 || how=FAILED
  done
  row "$how" $((SECONDS - start)) "Debian $suite: $(in_debian "$root" "$DEBIAN_VERSIONS" 2>&1 | tail -n 1)"
}

mkdir -p "$MATRIX"
if [[ $# -eq 0 ]]; then
  both_numpys
  debian trixie
fi
for part in "$@"; do
  case $part in
    3.*) both_numpys "$part" ;;
    *) debian "$part" ;;
  esac
done

say "summary"
for line in "${rows[@]}"; do note "$line"; done | tee "$MATRIX/summary.txt"
[[ $failed -eq 0 ]] || die "$failed of ${#rows[@]} parts" "see the logs in build/matrix"
