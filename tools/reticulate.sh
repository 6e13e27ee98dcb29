#!/usr/bin/env bash
# reticulate >= 1.41: the one that R finds if it is new enough, else this Debian's package if that is, else one built
# into .rlib, from CRAN where it answers, else from the source package of a newer Debian suite.
set -euo pipefail
# shellcheck source=tools/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

OLDEST=1.41
NEWER_SUITES=(trixie sid)
WORK="$ROOT/build/reticulate"

good_enough() {
  Rscript --vanilla -e "
    new <- requireNamespace('reticulate', quietly = TRUE) && packageVersion('reticulate') >= '$OLDEST'
    quit(status = !new)" >/dev/null 2>&1
}

from_apt() {
  local candidate
  have apt-cache && { [[ $EUID -eq 0 ]] || have sudo; } || return 1
  candidate="$(LC_ALL=C apt-cache policy r-cran-reticulate | awk '/Candidate:/ { print $2 }')"
  [[ $candidate == [0-9]* ]] && version_ge "$candidate" "$OLDEST" || return 1
  tools/system.sh r-cran-reticulate && good_enough
}

from_cran() {
  note "trying the configured CRAN, for .rlib"
  quietly build/logs/reticulate-cran.log Rscript --no-save --no-restore tools/reticulate.R "$RLIB" "$OLDEST" 2>/dev/null
}

# The address from which apt takes this Debian; nothing about it is written here.
debian_uri() {
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
    awk '$2 !~ /-/ { print $1; exit }'
}

# Fetch only the upstream tarball of the source package, with apt's state in a folder of our own.
fetch_from_debian() {
  local uri=$1 suite=$2
  rm -rf "$WORK" && mkdir -p "$WORK"/{lists/partial,cache/archives/partial,source}
  printf 'deb-src %s %s main\n' "$uri" "$suite" >"$WORK/sources.list"
  local -a apt=(apt-get -q -o "Dir::Etc::SourceList=$WORK/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$WORK/lists" -o "Dir::Cache=$WORK/cache" -o APT::Sandbox::User=
    -o Acquire::Languages=none)
  "${apt[@]}" update
  (cd "$WORK/source" && "${apt[@]}" source --tar-only --download-only r-cran-reticulate)
}

from_debian() {
  local uri suite tarball
  have apt-get || return 1
  uri="$(debian_uri)"
  [[ -n $uri ]] || return 1
  for suite in "${NEWER_SUITES[@]}"; do
    note "taking the source of Debian's package in $suite, for .rlib"
    quietly "build/logs/reticulate-fetch-$suite.log" fetch_from_debian "$uri" "$suite" || continue
    tarball="$(find "$WORK/source" -name '*.orig.tar.*' | head -n 1)"
    [[ -n $tarball ]] || continue
    mkdir "$WORK/unpacked"
    tar -xf "$tarball" -C "$WORK/unpacked" --strip-components=1
    note "building it (about a minute)"
    if quietly build/logs/reticulate-build.log \
      env MAKEFLAGS="-j$(nproc)" R CMD INSTALL --library="$RLIB" "$WORK/unpacked" && good_enough; then
      rm -rf "$WORK"
      return 0
    fi
  done
  return 1
}

cd "$ROOT"
mkdir -p "$RLIB"
key="$(Rscript --version 2>&1) $OLDEST $ROOT"
stamped "$RLIB/.reticulate" "$key" && exit 0
if ! good_enough; then
  note "reticulate >= $OLDEST is not there: looking for one"
  rm -rf "$RLIB"/00LOCK* "$RLIB/reticulate"
  from_apt || from_cran || from_debian || die "no reticulate >= $OLDEST could be installed (build/logs/reticulate-*.log)" \
    "make CRAN or Debian's source packages reachable, or install.packages('reticulate') in R yourself"
fi
stamp "$RLIB/.reticulate" "$key"
