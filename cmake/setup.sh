# shellcheck shell=bash disable=SC2034
# Sourced by examples/quickstart.sh and tests/run.sh: packages, then a configured build/. Does nothing twice.
# Debian 12; LLVM 22 comes from its security repository, which a stock installation has.
# SPDX-License-Identifier: Apache-2.0

spc_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
spc_build=$spc_root/build

# What it takes to configure and build spc, and to build the examples with it.
spc_build_packages=(g++ make cmake ninja-build ccache binutils llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools
  clang-22 lld-22 liblld-22-dev libzstd-dev zlib1g-dev nlohmann-json3-dev libcli11-dev libspdlog-dev catch2 python3)
# What examples/petsc needs besides, and its tests; MPI comes with PETSc.
spc_petsc_packages=(libpetsc-real-dev openmpi-bin python3-petsc4py-real python3-numpy)
# What the tests need besides.
spc_test_packages=(valgrind gdb git meson pkgconf libeigen3-dev libtbb-dev fish zsh qemu-user
  python3-numpy python3-scipy python3-h5py libhdf5-103-1 python3-torch python3-dask python3-mpi4py python3-pytest python3-venv
  "${spc_petsc_packages[@]}")

# spc_as_root COMMAND...: with sudo unless root already.
spc_as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "error: these packages are missing and neither root nor sudo is at hand: ${spc_missing[*]}" >&2
    return 1
  fi
}

# spc_packages PACKAGE...: installs those that are missing.
spc_packages() {
  spc_missing=()
  local package
  for package in "$@"; do
    if ! dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed; then
      spc_missing+=("$package")
    fi
  done
  if [ ${#spc_missing[@]} -eq 0 ]; then
    return 0
  fi
  echo "== installing ${spc_missing[*]}"
  spc_as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  spc_as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${spc_missing[@]}" >/dev/null
}

# spc_jobs: as many as there are processors, at 1.5 GB of free memory each.
spc_jobs() {
  local free jobs
  free=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo)
  jobs=$(nproc)
  if [ "$free" -lt "$jobs" ]; then
    jobs=$free
  fi
  echo $((jobs > 0 ? jobs : 1))
}

# spc_ninja TARGET...: configures build/ if that was not done, and builds; ninja configures anew where that is needed.
spc_ninja() {
  if [ ! -f "$spc_build/build.ninja" ]; then
    # clang reads precompiled headers in half of g++'s time, and lld links in a tenth of ld's. CC, CXX and LDFLAGS win.
    if [ -z "${CC:-}${CXX:-}" ]; then
      export CC=clang-22 CXX=clang++-22 LDFLAGS="${LDFLAGS--fuse-ld=lld-22}"
    fi
    cmake -G Ninja -S "$spc_root" -B "$spc_build" -DCMAKE_BUILD_TYPE=Release || return
  fi
  ninja -C "$spc_build" -j "$(spc_jobs)" "$@"
}

# spc_for_examples: SPC, the spc that examples run: the caller's, or that of build/, which is built where it is missing.
spc_for_examples() {
  if [ -n "${SPC:-}" ]; then
    return 0
  fi
  SPC=$spc_build/bin/spc
  if [ ! -x "$SPC" ]; then
    spc_packages "${spc_build_packages[@]}"
    spc_ninja spc
  fi
}
