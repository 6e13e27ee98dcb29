#!/usr/bin/env bash
# The guides rendered to HTML, and the variables guide run in Python and in R side by side.
set -euo pipefail
# shellcheck source=tools/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

need() {
  [[ -f $1 ]] || die "$1 is not there" "git checkout $1"
}

render() {
  Rscript --no-save --no-restore -e '
    file <- commandArgs(trailingOnly = TRUE)
    rmarkdown::render(file, output_dir = "build", intermediates_dir = "build/vignettes", quiet = TRUE)' "$1"
}

cd "$ROOT"
need tests/run_guide.py
need vignettes/variables.Rmd
mkdir -p build/logs build/vignettes

# The outcome comes last, so that it is what one sees.
for vignette in vignettes/*.Rmd; do
  say "guide: $vignette as HTML"
  quietly build/logs/vignette.log render "$vignette" ||
    die "the vignette could not be rendered (build/logs/vignette.log)" "mend the chunk named above, then: make guide"
  note "written: build/$(basename "$vignette" .Rmd).html"
done

say "guide: every step in Python and in R"
python -m tests.run_guide </dev/null ||
  die "the guide's outputs differ, or one of its steps failed" "mend what is shown above, then: make guide"
