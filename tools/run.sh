#!/usr/bin/env bash
# tools/run.sh COMMAND...: runs it in the project's environment, in the project's root.
set -euo pipefail
# shellcheck source=tools/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

cd "$ROOT"
exec "$@"
