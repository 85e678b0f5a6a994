#!/usr/bin/env bash
# Tests in a fresh system with nothing in it:
# fresh_root.sh build SUITE [COMPILER [ARCHIVE]]
#     `make run` and `make test`, as they are typed there after `apt-get install make`. COMPILER: g++ (default), or a
#     package of the suite with another: g++-15, clang-19. About an hour on two cores.
# fresh_root.sh headers SUITE PACKAGES [ARCHIVE]
#     every map header by compilers of the suite. PACKAGES: as one word: "g++-13 clang-17".
# fresh_root.sh packages PROGRAM_DEB MAPS_DEB PROGRAM_ARCHIVE [ARCHIVE]
#     installs both packages into Debian 12, uses them, and removes them again; then takes the steps of the Apptainer
#     recipe there, with the archive of the program.
#
# SUITE: bookworm (Debian 12), trixie (13), testing, noble (Ubuntu 24.04). Takes root, mounts and a mirror of the system
# (debootstrap); exits 77 without. ARCHIVE: where the fresh system is kept for the next time. PIP_CERT, where it is set,
# names the certificates that pip takes in there too.
set -euo pipefail
here=$(realpath "$(dirname "$0")") top=$(realpath "$(dirname "$0")/../..")
[ "$(id -u)" -eq 0 ] || { echo "skipped: debootstrap takes root"; exit 77; }
work=$(mktemp -d)
root=$work/root
clean_up() {
  for place in "$root/dev/pts" "$root/dev/shm" "$root/sys" "$root/proc"; do umount "$place" 2>/dev/null || true; done
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

# make_root SUITE [ARCHIVE] makes $root, and inside COMMAND... runs there as root. All of it is gone when the script ends.
make_root() {
  local suite=$1 archive=${2:-} components=main from=()
  # Ubuntu's script has the name of its first release that it was written for; Debian 12 does not know the newer names.
  [ "$suite" != noble ] || { components=main,universe from=(http://archive.ubuntu.com/ubuntu gutsy); }
  mkdir "$root"
  if [ -n "$archive" ] && [ -e "$archive" ]; then
    tar -C "$root" -xf "$archive"
  elif ! debootstrap --variant=minbase --components="$components" "$suite" "$root" "${from[@]}" >"$work/log" 2>&1; then
    tail -n 5 "$work/log"
    echo "skipped: debootstrap reaches no mirror of $suite"
    exit 77
  elif [ -n "$archive" ]; then
    mkdir -p "$(dirname "$archive")"
    tar -C "$root" -cf "$archive" .
  fi
  cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
  # An installed system knows its own name; without it, ranks of MPI wait seconds for an answer when they start.
  printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(uname -n)" >"$root/etc/hosts"
  [ -z "${PIP_CERT:-}" ] || cp "$PIP_CERT" "$root/etc/pip-certificates.crt"
  echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99mirror"  # a mirror may be an old snapshot
  mkdir -p "$root/dev/shm" "$root/dev/pts"
  ln -sfn pts/ptmx "$root/dev/ptmx"
  mount -t proc proc "$root/proc" && mount -t sysfs -o ro sysfs "$root/sys" && mount -t tmpfs tmpfs "$root/dev/shm" &&
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" ||
    { echo "skipped: this system allows no mounts"; exit 77; }
}

inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${PIP_CERT:+PIP_CERT=/etc/pip-certificates.crt} ${variables:-} \
    chroot "$root" "$@"
}
step() { printf '%s\n' "$*"; "$@" >"$work/said" 2>&1 || { echo "FAILED:"; tail -n 30 "$work/said"; exit 1; }; }
says() {  # says PATTERN COMMAND...
  step "${@:2}"
  grep -qE "$1" "$work/said" || { echo "FAILED: it printed no line with $1:"; cat "$work/said"; exit 1; }
}

build() {
  local suite=$1 compiler=${2:-g++} archive=${3:-}
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
}

headers() {
  local suite=$1 packages=$2 archive=${3:-}
  make_root "$suite" "$archive"
  mkdir "$root/src"
  git -C "$top" ls-files sim cmake tests CMakeLists.txt LICENSE | tar -C "$top" -cf - -T - | tar -C "$root/src" -xf -
  step inside apt-get update
  # shellcheck disable=SC2086
  step inside apt-get install -y --no-install-recommends python3 $packages
  local first=${packages%% *}
  inside python3 -B /src/tests/package/sources_test.py /src "${first/clang/clang++}" compilers
}

packages() {
  local program maps archive left recipe from to part commands
  program=$(realpath "$1") maps=$(realpath "$2") archive=$(realpath "$3")
  make_root bookworm "${4:-}"
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

  recipe=$top/packaging/triangulum.def
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
}

[[ ${1:-} =~ ^(build|headers|packages)$ ]] || { sed -n '2,15s/^# \?//p' "$0" >&2; exit 2; }
"$@"
