#!/usr/bin/env bash
# Configures and builds one preset: deploy/build.sh [preset [target...]]; release by default.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
[ $# -eq 0 ] || shift
# Configuring is silent unless it fails.
if ! log=$(cmake --preset "$preset" 2>&1); then
  printf '%s\n' "$log" >&2
  exit 1
fi
exec cmake --build --preset "$preset" ${1:+--target "$@"}
