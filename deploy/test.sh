#!/usr/bin/env bash
# Sets the machine up, builds the release preset and runs all tests.
#   --no-perf   leaves out the tests of speed, which need an otherwise idle machine
set -euo pipefail
cd "$(dirname "$0")/.."

perf=yes
case "${1:-}" in
  "") ;;
  --no-perf) perf=no ;;
  *)
    echo "usage: deploy/test.sh [--no-perf]" >&2
    exit 2
    ;;
esac

deploy/setup.sh
deploy/build.sh release
ctest --preset release --label-exclude perf --parallel "$(nproc)" --no-tests=error
# Alone: their numbers mean nothing while other tests run.
[ $perf = no ] || ctest --preset release --label-regex perf --parallel 1
