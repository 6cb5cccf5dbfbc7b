#!/usr/bin/env bash
# Installs the Debian 12 packages Gyre is built from. Does nothing, quickly, when all are there.
set -euo pipefail

packages=(
  build-essential cmake ninja-build ccache pkg-config python3
  libsystemc-dev libboost-dev libboost-test-dev libyaml-cpp-dev libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev
  libpng-dev libpugixml-dev libassimp-dev libelf-dev libdw-dev libfdt-dev libbenchmark-dev zlib1g-dev
  gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf clang-19 lld-19 gdb-multiarch
  opensbi u-boot-qemu valgrind libtbb-dev
)

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
install() { $sudo apt-get install -y --no-install-recommends "${missing[@]}" >/tmp/gyre-install.log 2>&1; }
install || { $sudo apt-get update -qq && install; } || {
  tail -n 20 /tmp/gyre-install.log
  echo "The packages could not be installed (log: /tmp/gyre-install.log). Gyre needs Debian 12 with its own archive." >&2
  exit 1
}
