#!/usr/bin/env bash
# lint.sh format                 formats every source file
# lint.sh layout                 lists files with other formatting; exit 1 if there are any
# lint.sh rules                  the rules of the house (tests/rules)
# lint.sh tidy [BUILD_FOLDER]    clang-tidy over the .cpp files of the program, with the flags of that build (build/dev),
#                                which is no unity build
# lint.sh all [BUILD_FOLDER]     the last three
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}

folders() { for folder in app packaging render sim tests; do [ ! -d "$folder" ] || echo "$folder"; done; }
sources() { find $(folders) -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0; }

layout() {
  sources | xargs -0 -n 16 -P "$jobs" clang-format --dry-run -Werror
  echo "layout: every file matches .clang-format"
}

tidy() {
  local build=${1:-build/dev} commands
  commands=$(mktemp -d)
  trap "rm -rf '$commands'" EXIT
  # The files of the tree alone, without those that the build makes; and without the precompiled headers of g++, which
  # clang cannot read and which would hide a missing #include. Files of a room are read 12 at a time, as in a unity
  # build, because most of the time goes into headers. Those that instantiate a part of a class, or include
  # themselves for every instruction set (here for one), stand alone.
  python3 - "$build/compile_commands.json" "$commands" <<'PY' |
import json, os, re, sys
commands, groups, together = sys.argv[2], {}, 12
for entry in json.load(open(sys.argv[1])):
    file, name = entry["file"], os.path.relpath(entry["file"])
    if name.endswith(".cpp") and name.split("/")[0] in ("app", "render", "sim"):
        command = re.sub(r" -Winvalid-pch| -include \S*cmake_pch\.hxx| -o \S+", "", entry["command"]).replace(file, "FILE")
        alone = file if re.search(r"foreach_target.h|^template class", open(file).read(), re.M) else ""
        groups.setdefault((command, entry["directory"], alone or os.path.dirname(name)), []).append(file)
if not groups:
    sys.exit("clang-tidy: that build has no file of the program by itself. Use one without unity builds: build/dev.")
units = []
for (command, directory, _), files in sorted(groups.items()):
    files = sorted(set(files))  # two programs may be made of the same file
    for k in range(0, len(files), together):
        unit = f"{commands}/{len(units)}.cpp"
        open(unit, "w").write("".join(f'#include "{file}"\n' for file in files[k:k + together]))
        units.append({"file": unit, "directory": directory, "command": command.replace("FILE", unit)})
json.dump(units, open(commands + "/compile_commands.json", "w"))
sys.stdout.write("".join(unit["file"] + "\0" for unit in units))
PY
    xargs -0 -n 1 -P "$jobs" clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option \
      --extra-arg=-DHWY_COMPILE_ONLY_STATIC -p "$commands" --config-file=.clang-tidy --checks=-bugprone-suspicious-include \
      --header-filter='/(app|render|sim|tests)/[^ ]*\.(hpp|cuh|cpp)$' 2>/dev/null
  echo "clang-tidy: nothing found"
}

case "${1:-}" in
  format) sources | xargs -0 -n 16 -P "$jobs" clang-format -i ;;
  layout) layout ;;
  rules) python3 -B tests/rules/house_rules.py ;;
  tidy) tidy "${2:-}" ;;
  all) layout; python3 -B tests/rules/house_rules.py; tidy "${2:-}" ;;
  *) sed -n '2,7s/^# //p' "$0" >&2; exit 2 ;;
esac
