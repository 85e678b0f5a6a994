#!/usr/bin/env bash
# debian_root.sh PROGRAM_DEB MAPS_DEB ARCHIVE [CACHE]    installs both packages into a fresh Debian 12 with nothing in it,
# uses them, and removes them again; then takes the steps of the Apptainer recipe there, with the archive
#
# fresh_root.sh says what it takes; exits 77 without. CACHE: where the fresh system is kept for the next time, as an
# archive.
set -euo pipefail
program=$(realpath "$1") maps=$(realpath "$2") archive=$(realpath "$3") cache=${4:-}
here=$(realpath "$(dirname "$0")")
. "$here/fresh_root.sh"
make_root bookworm "$cache"

says() {  # says PATTERN COMMAND...
  step "${@:2}"
  grep -qE "$1" "$work/said" || { echo "FAILED: it printed no line with $1:"; cat "$work/said"; exit 1; }
}

cp "$program" "$maps" "$root/tmp/"
inside find /usr /etc -xdev ! -path '/usr/share/mime/*' | sort >"$work/before"
step inside apt-get update
step inside apt-get install -y --no-install-recommends "/tmp/$(basename "$program")" "/tmp/$(basename "$maps")"
says 'install ok installed' inside dpkg -s triangulum
if inside dpkg-query -W -f='${Package}\n' | grep -E '^(libglfw3|libx11-6|libgl1|libopenmpi3|libcairo2|librsvg2-2)$'; then
  echo "FAILED: these are opened at run time, and the package depends on them"
  exit 1
fi
says 'no-window 7' inside sh -c 'triangulum view; echo no-window $?'
says 'install GLFW' inside sh -c 'DISPLAY=:9 triangulum view || true'
step inside dpkg --audit
says '^triangulum [0-9]' inside triangulum --version
says 'lambda-stream' inside triangulum list maps
says 'energy' inside triangulum run plummer:n=500 --steps 20 --backend cpu --save-every 20 --snapshot '/tmp/state_{step}.hdf5'
says 'energy' inside triangulum run --restart /tmp/state_20.hdf5 --steps 5 --backend cpu
says 'passed' inside triangulum verify --quick --backend cpu
says 'TRIANGULUM' inside sh -c 'zcat /usr/share/man/man1/triangulum.1.gz'  # minbase has no man
step inside bash -n /usr/share/bash-completion/completions/triangulum

# The maps, by the compiler of this system and from nowhere but their package.
step cmake -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$root/usr" \
  -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DWANTED_VERSION="$(dpkg-deb -f "$maps" Version)"
step cmake --build "$work/consumer"
says 'tetra: 20 tiles' "$work/consumer/consumer"

step inside apt-get purge -y triangulum triangulum-maps-dev
inside find /usr /etc -xdev ! -path '/usr/share/mime/*' | sort >"$work/after"
left=$(comm -13 "$work/before" "$work/after" | grep -i triangulum || true)
[ -z "$left" ] || { printf 'FAILED: left behind:\n%s\n' "$left"; exit 1; }
echo "Both packages install, work and go without a trace."

recipe=$here/../../packaging/triangulum.def
section() { awk -v name="%$1" '/^%/ { on = $1 == name; next } on' "$recipe"; }
read -r from to <<<"$(section files)"
[ "$from" = triangulum.tar.gz ]
cp "$archive" "$root$to"
for part in post environment test; do
  commands=$(section $part)
  [ -n "$commands" ] || { echo "FAILED: the recipe has no %$part"; exit 1; }
  step inside sh -ec "$commands"
done
says 'lambda-stream' inside sh -ec "$(section runscript)" triangulum list maps
echo "The steps of the Apptainer recipe work in a fresh Debian."
