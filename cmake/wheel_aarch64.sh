#!/usr/bin/env bash
# Makes the Python package's wheel for Linux on aarch64, on Debian 12 for another processor: build/aarch64/spc-*_aarch64.whl.
#
#   cmake/wheel_aarch64.sh           makes it
#   cmake/wheel_aarch64.sh --test    and runs it under qemu, as tests/python/wheel_aarch64.py says
#
# What spc is linked with, and the Python that runs the test, are Debian's packages for arm64, unpacked in build/aarch64/sysroot:
# nothing of them is installed. All takes 4 GB, and as long as a build from nothing. SPC_AARCH64 names another folder than
# build/aarch64. SPDX-License-Identifier: Apache-2.0
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=setup.sh
source "$root/cmake/setup.sh"

# apt_get WORD...: apt-get for arm64, with lists, a cache and a state of its own: the system's stay as they are.
apt_get() {
  local state=$place/apt
  mkdir -p "$state/lists/partial" "$state/archives/partial"
  touch "$state/status"
  apt-get -qq -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::Cache="$state" \
    -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Install-Recommends=false -o APT::Sandbox::User=root \
    -o Debug::NoLocking=true "$@"
}

# unpack PACKAGE...: fills the sysroot with the packages and what they depend on.
unpack() {
  local archive link libraries=$sysroot/usr/lib/aarch64-linux-gnu
  apt_get update
  rm -rf "$sysroot"
  mkdir -p "$sysroot"
  apt_get --yes --download-only install "$@"
  for archive in "$place"/apt/archives/*.deb; do
    dpkg-deb --extract "$archive" "$sysroot"
  done
  # Links to absolute paths would lead out of it.
  while IFS= read -r link; do
    ln -sfnr "$sysroot$(readlink "$link")" "$link"
  done < <(find "$sysroot" -lname '/*')
  # Installing would put them there.
  ln -sr "$libraries/blas/libblas.so.3" "$libraries/lapack/liblapack.so.3" "$libraries"
}

# make_sysroot: where it is not there for the same packages. LLVM's are of the version that is installed here, whose
# mlir-tblgen reads their files.
make_sysroot() {
  local package packages=() llvm
  llvm=$(dpkg-query -W -f='${Version}' libmlir-22-dev)
  for package in llvm-22-dev libmlir-22-dev mlir-22-tools liblld-22-dev; do
    packages+=("$package=$llvm")
  done
  packages+=(libc6-dev libstdc++-12-dev libzstd-dev zlib1g-dev nlohmann-json3-dev libcli11-dev libspdlog-dev
    python3-numpy python3-scipy python3-pytest)
  if [ "$(cat "$place/packages" 2>/dev/null)" != "${packages[*]}" ]; then
    echo "== unpacking Debian's packages for arm64 in $sysroot"
    rm -f "$place/packages"
    unpack "${packages[@]}"
    echo "${packages[*]}" >"$place/packages"
  fi
}

# build_spc: what the wheel holds.
build_spc() {
  cmake -G Ninja -S "$root" -B "$place/build" --toolchain "$root/cmake/aarch64.cmake" -DCMAKE_SYSROOT="$sysroot" \
    -DCMAKE_BUILD_TYPE=Release -DSPC_BUILD_TESTS=OFF
  ninja -C "$place/build" -j "$(spc_jobs)" spc
}

case "$*" in
  '') ;;
  --test) spc_build_packages+=(qemu-user) ;;
  *) echo "usage: cmake/wheel_aarch64.sh [--test]" >&2 && exit 2 ;;
esac
mkdir -p "${SPC_AARCH64:-$spc_build/aarch64}"
place=$(cd "${SPC_AARCH64:-$spc_build/aarch64}" && pwd)
sysroot=$place/sysroot
spc_packages "${spc_build_packages[@]}"
make_sysroot
build_spc
rm -f "$place"/spc-*.whl
wheel=$place/$(SPC_BUILD=$place/build PYTHONPATH=$root/python/backend python3 -c \
  'import spc_wheel, sys; print(spc_wheel.build_wheel(sys.argv[1]))' "$place")
ls -l "$wheel"
if [ "$*" = --test ]; then
  exec python3 "$root/tests/python/wheel_aarch64.py" "$sysroot" "$wheel"
fi
