#!/usr/bin/env bash
# lint.sh format                 formats every source file
# lint.sh layout                 lists files with other formatting; exit 1 if there are any
# lint.sh rules                  the rules of the house (tests/rules)
# lint.sh tidy [BUILD_FOLDER]    clang-tidy over the .cpp files of the program, with the flags of that build (build/release)
# lint.sh all [BUILD_FOLDER]     the last three
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}

folders() { for folder in app render sim tests; do [ ! -d "$folder" ] || echo "$folder"; done; }
sources() { find $(folders) -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0; }

layout() {
  sources | xargs -0 -n 16 -P "$jobs" clang-format --dry-run -Werror
  echo "layout: every file matches .clang-format"
}

tidy() {
  local build=${1:-build/release} commands
  commands=$(mktemp -d)
  trap "rm -rf '$commands'" EXIT
  # The files of the tree alone, without those that the build makes; and without the precompiled headers of g++, which
  # clang cannot read and which would hide a missing #include.
  python3 - "$build/compile_commands.json" "$commands" <<'PY' |
import json, os, re, sys
entries = {}
for entry in json.load(open(sys.argv[1])):
    name = os.path.relpath(entry["file"])
    if name.endswith(".cpp") and name.split("/")[0] in ("app", "render", "sim"):
        entry["command"] = re.sub(r" -Winvalid-pch| -include \S*cmake_pch\.hxx", "", entry["command"])
        entries[name] = entry
json.dump(list(entries.values()), open(sys.argv[2] + "/compile_commands.json", "w"))
sys.stdout.write("".join(name + "\0" for name in sorted(entries)))
PY
    xargs -0 -n 1 -P "$jobs" clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p "$commands" 2>/dev/null
  echo "clang-tidy: nothing found"
}

case "${1:-}" in
  format) sources | xargs -0 -n 16 -P "$jobs" clang-format -i ;;
  layout) layout ;;
  rules) python3 -B tests/rules/house_rules.py ;;
  tidy) tidy "${2:-}" ;;
  all) layout; python3 -B tests/rules/house_rules.py; tidy "${2:-}" ;;
  *) sed -n '2,6s/^# //p' "$0" >&2; exit 2 ;;
esac
