#!/usr/bin/env bash
# From a fresh clone to a tuned kernel: sets the machine up, builds, and runs `alt demo`.
set -euo pipefail
cd "$(dirname "$0")/.."

deploy/setup.sh
deploy/build.sh release alt alt-server alt-worker # the tests are not needed
exec build/release/bin/alt demo "$@"
