#!/usr/bin/env bash
# libfuzzer.sh BUILD_FOLDER SECONDS [TARGET...]    every target when none is named
#
# Drives tests/fuzz/harness.cpp with clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer. What reads files
# (sim/io and sim/scene) is compiled here, the rest is taken from a build that is there already. The command line, which
# needs the whole program, is fed by ctest alone (fuzz.options).
# What libFuzzer finds new is kept in BUILD_FOLDER/fuzz/corpus, failures in BUILD_FOLDER/fuzz/failures.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/../.."
build=$1 seconds=$2
shift 2
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(tab csv npy hdf5 tipsy xyz ply vtp pvd csv-points npy-points scene)
out=$build/fuzz
mkdir -p "$out/objects" "$out/corpus" "$out/failures"

flags=(-std=c++20 -O1 -g -fno-omit-frame-pointer -I. "-I$build/sim/scene/embedded" "-I$build/version"
       -DTOML_HEADER_ONLY=1 -DTOML_ENABLE_FORMATTERS=0 -DFMT_SHARED $(pkg-config --cflags hdf5 2>/dev/null || echo -I/usr/include/hdf5/serial))
checked=(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
compile() {
  local object=$out/objects/$(echo "$1" | tr / _).o
  [ "$object" -nt "$1" ] || clang++ "${flags[@]}" "${checked[@]}" -c "$1" -o "$object"
}
for source in sim/io/*.cpp sim/scene/*.cpp tests/fuzz/harness.cpp; do compile "$source"; done
parse=$(nm "$out/objects/tests_fuzz_harness.cpp.o" | grep -o '_ZN3tri3app13parse_options[^ ]*' | head -1)
clang++ -fsanitize=fuzzer,address,undefined "$out"/objects/*.o "$build"/sim/scene/CMakeFiles/tri_scene.dir/embedded/*.o \
  "$build/sim/libtri_sim.a" -lfmt -lhdf5_serial -ldl -lpthread -Wl,--defsym,"$parse=abort" -o "$out/fuzz"

export ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=1:detect_leaks=0
for target in "${targets[@]}"; do
  mkdir -p "$out/corpus/$target"
  echo "== $target"
  TRI_FUZZ=$target "$out/fuzz" "$out/corpus/$target" "tests/fuzz/seeds/$target" -max_total_time="$seconds" -max_len=65536 \
    -rss_limit_mb=2048 -timeout=20 -print_final_stats=0 -artifact_prefix="$out/failures/$target-" 2>&1 | tail -3
done
