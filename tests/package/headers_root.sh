#!/usr/bin/env bash
# headers_root.sh SUITE PACKAGES [ARCHIVE]    every map header by the compilers of another system
#
# PACKAGES: compilers of the suite, as one word: "g++-13 clang-17". fresh_root.sh says what it takes; exits 77 without.
set -euo pipefail
suite=$1 packages=$2 archive=${3:-}
top=$(realpath "$(dirname "$0")/../..")
. "$top/tests/package/fresh_root.sh"
make_root "$suite" "$archive"
mkdir "$root/src"
git -C "$top" ls-files sim cmake tests CMakeLists.txt LICENSE | tar -C "$top" -cf - -T - | tar -C "$root/src" -xf -
step inside apt-get update
# shellcheck disable=SC2086
step inside apt-get install -y --no-install-recommends python3 $packages
first=${packages%% *}
inside python3 -B /src/tests/package/sources_test.py /src "${first/clang/clang++}" compilers
