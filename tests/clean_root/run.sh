#!/usr/bin/env bash
# From bare Debians 12 to programs. In the first, spc's package is made: by examples/quickstart.sh, cmake --install and
# cpack. The second has lintian look at it. Then docs/cmake.md, docs/make.md, docs/meson.md, docs/howto.md and
# docs/python.md have one each, with the packages that the page names and no others, in which the tests of pages build what
# it shows; of docs/python.md the blocks ahead of PyTorch run.
#
#     tests/clean_root/run.sh [--deb FILE] [cmake|make|meson|howto|python]...
#
# as root; FILE is a package that is there, beside which lies that of Python.
#
# In build/clean_root stay downloads, the compiler's cache, the package, the log, and the root of the step that failed.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/setup.sh"

work=$spc_build/clean_root
deb=
declare -A tests=(
  [cmake]="build_systems_test.Pages.test_cmake build_systems_test.Rebuilds.test_cmake_with_ninja
    build_libraries_test.Pages.test_cmake build_libraries_test.Pages.test_matrices_by_columns
    build_libraries_test.Rebuilds.test_cmake_with_ninja"
  [make]="build_systems_test.Pages.test_make build_systems_test.Rebuilds.test_make build_systems_test.Halves
    build_systems_test.Pages.test_installed_examples_build
    build_libraries_test.Pages.test_make build_libraries_test.Rebuilds.test_make"
  [meson]="build_systems_test.Pages.test_meson build_systems_test.Rebuilds.test_meson
    build_libraries_test.Pages.test_meson"
  [python]=
  [howto]="howto_test build_systems_test.Pages.test_the_lines_of_the_readme
    build_systems_test.Rebuilds.test_cmake_with_makefiles")

# say WORD...: what is done next, after how many seconds.
say() {
  echo "== ${SECONDS} s: $*" | tee -a "$work/log"
}

# inside COMMAND...: runs it in the present root; what it prints goes to the log.
inside() {
  if ! chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
    DEBIAN_FRONTEND=noninteractive "$@" >>"$work/log" 2>&1; then
    tail -n 30 "$work/log" >&2
    echo "error: '$*' failed in $root; all that was printed is in $work/log" >&2
    return 1
  fi
}

# fresh NAME: makes a bare Debian the present root.
fresh() {
  root=$work/$1
  rm -rf --one-file-system "$root"
  mkdir -p "$root"
  tar -xf "$work/base.tar" -C "$root"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  cat >"$root/etc/apt/apt.conf.d/90clean-root" <<'END'
APT { Install-Recommends "false"; Keep-Downloaded-Packages "true"; Get::Assume-Yes "true"; }
END
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/90clean-root" # half of the time is waiting for the disk
  mount -t proc proc "$root/proc"
  mount -t devpts devpts "$root/dev/pts"
  share archives /var/cache/apt/archives
  share lists /var/lib/apt/lists
  inside apt-get update
}

# share NAME FOLDER: a folder of the present root that all roots of all walks share.
share() {
  mkdir -p "$work/$1" "$root$2"
  mount --bind "$work/$1" "$root$2"
}

# leave: removes the present root.
leave() {
  umount "$root"/{proc,dev/pts,var/cache/apt/archives,var/lib/apt/lists}
  if mountpoint -q "$root/root/.cache/ccache"; then
    umount "$root/root/.cache/ccache"
  fi
  rm -rf --one-file-system "$root"
}

# make_package: builds spc, installs it, and makes the package `deb`.
make_package() {
  fresh package
  share ccache /root/.cache/ccache
  git -C "$spc_root" ls-files -z | tar -C "$spc_root" --null -T - -c | tar -x --one-top-level="$root/spc"
  say "the first command of the README, examples/quickstart.sh"
  inside /spc/examples/quickstart.sh
  say "cmake --install, cpack"
  inside cmake -DSPC_BUILD_TESTS=OFF /spc/build
  inside cmake --install /spc/build --prefix /opt/spc
  inside /opt/spc/bin/spc formats csr
  inside apt-get install dpkg-dev file
  inside env -C /spc cpack --config build/CPackConfig.cmake
  rm -f "$work"/{spc,python3-spc}_*.deb
  cp "$root"/spc/{spc,python3-spc}_*.deb "$work"
  deb=$(echo "$work"/spc_*.deb)
  leave
}

# walk PAGE: installs what the page says, as it says it, and runs its tests.
walk() {
  fresh "$1"
  cp "$deb" "$root/root"
  local install cases
  install=$(grep -m 1 -o 'apt install ./spc_[^`]*' "$spc_root/docs/$1.md")
  if [ "$1" = python ]; then
    cp "${deb%/*}"/python3-"${deb##*/}" "$root/root"
    install+=" python3-scipy" # the page's operands
  fi
  say "$1: $install"
  inside sh -c "cd && $install"
  if [ "$1" = python ]; then
    walk_python
    leave
    return
  fi
  read -r -d '' -a cases <<<"${tests[$1]}" || true
  say "$1: the tests"
  TMPDIR=$root/root SPC_CLEAN_ROOT=$root PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$spc_root/tests/cli \
    python3 -m unittest -v "${cases[@]}" 2>&1 | tee -a "$work/log"
  inside apt-get purge spc
  leave
}

# walk_python: runs the page's blocks.
walk_python() {
  say "python: python3 -m spc, and the page's blocks"
  inside python3 -m spc
  sed '/^## Operators of PyTorch/,$d' "$spc_root/docs/python.md" | sed -n '/^```python$/,/^```$/p' | grep -v '^```' \
    >"$root/root/page.py"
  inside env -C /root python3 page.py
  inside apt-get purge python3-spc spc
}

if [ "$(id -u)" -ne 0 ]; then
  echo "error: this takes root, for mmdebstrap and chroot" >&2
  exit 2
fi
if [ -z "${SPC_OWN_MOUNTS:-}" ]; then
  SPC_OWN_MOUNTS=1 exec unshare --mount "$0" "$@" # mounts go with the process
fi
if [ "${1:-}" = --deb ]; then
  deb=$(realpath -e "${2:?--deb has no file}")
  shift 2
fi
for page in "$@"; do
  if [ -z "${tests[$page]+known}" ]; then
    echo "error: '$page' is none of the pages: ${!tests[*]}" >&2
    exit 2
  fi
done

spc_packages mmdebstrap python3
mkdir -p "$work"
exec {lock}>"$work/lock"
if ! flock -n "$lock"; then
  echo "error: another walk is going on in $work" >&2
  exit 1
fi
: >"$work/log"
if [ ! -f "$work/base.tar" ]; then
  say "a bare Debian 12"
  mmdebstrap --quiet --variant=minbase --format=tar bookworm "$work/base.tar.new" "deb http://deb.debian.org/debian bookworm main" \
    "deb http://deb.debian.org/debian-security bookworm-security main" >>"$work/log" 2>&1
  mv "$work/base.tar.new" "$work/base.tar"
fi
if [ -z "$deb" ]; then
  make_package
fi

fresh lintian
cp "$deb" "$root/root"
say "lintian, of $(basename "$deb"), which depends on $(dpkg-deb -f "$deb" Depends)"
inside apt-get install lintian
inside lintian --fail-on error --allow-root "/root/$(basename "$deb")"
leave

if [ $# -eq 0 ]; then
  set -- cmake make meson howto python
fi
for page in "$@"; do
  walk "$page"
done
say "done"
