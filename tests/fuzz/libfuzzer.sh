#!/usr/bin/env bash
# libfuzzer.sh BUILD_FOLDER SECONDS [TARGET...]    every target when none is named
#
# Runs tests/fuzz/harness.cpp under clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer. The code for files,
# scenes and the command line is compiled here; the rest of the program comes from the build in BUILD_FOLDER, as
# fuzz_driver is linked there (ninja -C BUILD_FOLDER fuzz_driver).
# libFuzzer keeps new inputs in BUILD_FOLDER/fuzz/corpus, failures in BUILD_FOLDER/fuzz/failures.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/../.."
build=$(realpath "$1") seconds=$2
shift 2
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(tab csv npy hdf5 tipsy xyz ply vtp pvd csv-points npy-points scene options law mapfile)
out=$build/fuzz
mkdir -p "$out/objects" "$out/corpus" "$out/failures"

sources=(sim/{base,text,laws,model,files,io,scene,fractal}/*.cpp sim/backend/bench.cpp
         app/options/option*.cpp app/support/option_values.cpp
         app/session/demo_table.cpp app/bench/bench_plan.cpp tests/fuzz/harness.cpp)
flags=(-std=c++20 -O1 -g -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS -I. "-I$build"/{version,app/embedded,sim/scene/embedded,sim/fractal/embedded}
       -DTOML_HEADER_ONLY=1 -DTOML_ENABLE_FORMATTERS=0 '-DTOML_ASSERT(x)=static_cast<void>(0)' -DFMT_SHARED $(pkg-config --cflags hdf5 2>/dev/null || echo -I/usr/include/hdf5/serial))
checked=(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
# toml++ asserts what a file such as `[[[T2` breaks, and reports it all the same where NDEBUG leaves assertions out.
# Our objects come first, so that the linker prefers the instrumented code to the build's libraries. Of a unity build it
# then meets some functions twice, and takes the first.
objects=() stale=()
for source in "${sources[@]}"; do
  [[ $source == *_absent.cpp ]] && continue  # what this system has is compiled instead
  object=$out/objects/${source//\//_}.o
  objects+=("$object")
  [ "$object" -nt "$source" ] && [ -z "$(find sim app -name '*.hpp' -newer "$object" -print -quit)" ] && continue
  stale+=("$source" "$object")
done
# shellcheck disable=SC2016 # the inner shell expands them
[ ${#stale[@]} -eq 0 ] || printf '%s\0' "${stale[@]}" | xargs -0 -n 2 -P "$(nproc)" \
  bash -c 'clang++ "${@:1:$#-2}" -c "${@: -2:1}" -o "${@: -1}"' clang++ "${flags[@]}" "${checked[@]}"
libraries=$(ninja -C "$build" -t commands fuzz_driver | sed -n '$s/.* -o bin\/fuzz_driver \(.*\) && :$/\1/p')
# shellcheck disable=SC2086 # a list of words
(cd "$build" && clang++ -fsanitize=fuzzer,address,undefined -Wl,--allow-multiple-definition "${objects[@]}" $libraries -o "$out/fuzz")

export ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=1:detect_leaks=0
failed=()
for target in "${targets[@]}"; do
  mkdir -p "$out/corpus/$target"
  echo "== $target"
  TRI_FUZZ=$target "$out/fuzz" "$out/corpus/$target" "tests/fuzz/seeds/$target" -max_total_time="$seconds" -max_len=65536 \
    -rss_limit_mb=2048 -timeout=20 -print_final_stats=0 -artifact_prefix="$out/failures/$target-" 2>&1 | tail -3 ||
    failed+=("$target")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}; their inputs are in $out/failures" >&2; exit 1; }
