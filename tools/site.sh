#!/usr/bin/env bash
# site.sh: the site of Python and R in build/site, by MkDocs in an environment of its own and pkgdown where it is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=build/mkdocs
if [ ! -x $tool/bin/mkdocs ]; then
  .venv/bin/python -m venv $tool
  $tool/bin/pip install --quiet 'mkdocs>=1.6'
fi
tools/run.sh python tools/make_docs.py --reference docs/reference
$tool/bin/mkdocs build --quiet --clean --strict
if Rscript -e 'quit(status = !requireNamespace("pkgdown", quietly = TRUE))' 2> /dev/null; then
  tools/run.sh Rscript --no-save --no-restore tools/rsite.R rpkg build/site/r
else
  echo "the R package's pages are left out: pkgdown is not installed"
fi
echo "build/site/index.html"
