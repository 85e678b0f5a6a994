#!/usr/bin/env bash
# build_root.sh SUITE [COMPILER [ARCHIVE]]    `make run` and `make test` in a fresh system, as they are typed there after
# `apt-get install make`
#
# SUITE: bookworm (Debian 12), trixie (13), testing, noble (Ubuntu 24.04). COMPILER: g++ (default), or a package of the
# suite with another: g++-15, clang-19. fresh_root.sh says what it takes; exits 77 without. About an hour on two cores.
set -euo pipefail
suite=$1 compiler=${2:-g++} archive=${3:-}
top=$(realpath "$(dirname "$0")/../..")
. "$top/tests/package/fresh_root.sh"
make_root "$suite" "$archive"

mkdir "$root/src"
git -C "$top" ls-files | tar -C "$top" --ignore-failed-read -cf - -T - 2>/dev/null | tar -C "$root/src" -xf -
step inside apt-get update
step inside apt-get install -y --no-install-recommends make
if [ "$compiler" != g++ ]; then
  if ! inside apt-cache show "$compiler" >/dev/null 2>&1; then
    echo "skipped: $suite has no $compiler"
    exit 77
  fi
  step inside apt-get install -y --no-install-recommends "$compiler"
  variables="CXX=${compiler/clang/clang++}"
fi
echo "make run"
inside make -C /src run
echo "make test"
inside make -C /src test
inside sh -c 'grep -h -E "^(CMAKE_CXX_COMPILER:|TRI_)" /src/build/release/CMakeCache.txt; cat /src/build/release/features.txt'
inside grep -qx gui=on /src/build/release/features.txt || { echo "FAILED: it was built without a window"; exit 1; }
echo "$suite with $compiler builds, runs and passes its tests."
