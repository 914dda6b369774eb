#!/usr/bin/env bash
# deploy/setup.sh with a made-up dpkg-query, apt-get, sudo and id in front of the real ones.
set -uo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# fake NAME BODY: a program for the next run.
fake() {
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# A machine with nothing but what setup.sh itself calls. Every call of apt-get is written down.
new_machine() {
  rm -rf "$work/bin" "$work/apt-get.log"
  mkdir "$work/bin"
  : >"$work/apt-get.log"
  local tool
  for tool in bash env; do ln -s "$(command -v "$tool")" "$work/bin/$tool"; done
  fake dpkg-query 'echo installed'
  fake apt-get "echo 'Unpacking...'; echo \"\$DEBIAN_FRONTEND \$*\" >>'$work/apt-get.log'"
  fake id 'echo 0'
}

run_setup() {
  output=$(env -i PATH="$work/bin" bash deploy/setup.sh 2>&1)
  status=$?
}

# expect WHAT CONDITION...
expect() {
  local what=$1
  shift
  "$@" && return
  failures=$((failures + 1))
  echo "FAILED: $what; status $status, output: $output"
  cat "$work/apt-get.log"
}

contains() { [[ $1 == *"$2"* ]]; }

new_machine
run_setup
expect "quiet when all is there" [ "$status$output" = 0 ]
expect "installs nothing then" [ ! -s "$work/apt-get.log" ]

new_machine
fake dpkg-query 'for last; do :; done; case $last in ninja-build|ccache) exit 1;; *) echo installed;; esac'
run_setup
expect "root installs" [ "$status" = 0 ]
expect "one line says what" [ "$output" = "setup.sh: installing ccache ninja-build" ]
log=$(cat "$work/apt-get.log")
expect "refreshes the lists" contains "$log" "update"
expect "exactly what is missing" \
  contains "$log" "noninteractive install -y -qq --no-install-recommends ccache ninja-build"

new_machine
fake dpkg-query 'exit 1'
fake id 'echo 1000'
run_setup
expect "neither root nor sudo is an error" [ "$status" = 1 ]
expect "that says what is missing" contains "$output" "libgtest-dev"
expect "and changes nothing" [ ! -s "$work/apt-get.log" ]

fake sudo 'exec "$@"'
run_setup
expect "sudo will do" [ "$status" = 0 ]
expect "installs by sudo" contains "$(cat "$work/apt-get.log")" "install"

new_machine
fake dpkg-query 'echo config-files' # removed, but not purged
run_setup
expect "a removed package is missing" contains "$(cat "$work/apt-get.log")" "libgtest-dev"

new_machine
fake dpkg-query 'exit 1'
fake apt-get 'echo "no route to the mirror"; exit 100'
run_setup
expect "a failed installation is an error" [ "$status" != 0 ]
expect "that shows what was said" contains "$output" "no route to the mirror"

new_machine
rm "$work/bin/dpkg-query"
run_setup
expect "another system is told the packages" contains "$output" "libgrpc++-dev"
expect "and is an error" [ "$status" = 1 ]

[ "$failures" = 0 ] && echo "all passed"
exit $((failures > 0))
