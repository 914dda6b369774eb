#!/usr/bin/env bash
# Installs the Debian 12 packages that building and testing ALT needs, those that are missing only.
# Says nothing when all is there. As root or with sudo.
set -euo pipefail

packages=(
  # To build
  ca-certificates ccache cmake g++ git lld-19 ninja-build pkgconf python3
  # Libraries; deploy/cmake/AltThirdParty.cmake says what for
  libabsl-dev libcli11-dev libcpp-httplib-dev libgrpc++-dev libhwloc-dev libprotobuf-dev
  libseccomp-dev libspdlog-dev libsqlite3-dev libssl-dev llvm-19-dev nlohmann-json3-dev
  prometheus-cpp-dev protobuf-compiler protobuf-compiler-grpc
  # To link kernels at run time
  binutils
  # To test
  libbenchmark-dev libgtest-dev librapidcheck-dev libz3-dev
)

# Prints those of its arguments that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      echo "$package"
  done
}

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: this is no Debian. ALT needs these packages of Debian 12, or their like:" >&2
  printf '  %s\n' "${packages[@]}" >&2
  exit 1
fi

mapfile -t missing < <(missing_packages "${packages[@]}")
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: these packages are missing, and there is neither root nor sudo. As root:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

# What the package manager says is of interest only when it fails.
quietly() {
  local output
  output=$("$@" 2>&1) || {
    printf '%s\n' "$output" "setup.sh: failed: $*" >&2
    return 1
  }
}

echo "setup.sh: installing ${missing[*]}" >&2
quietly "${as_root[@]}" apt-get update -qq
# sudo drops the environment, hence env.
quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}"
