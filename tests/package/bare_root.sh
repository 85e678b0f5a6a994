#!/usr/bin/env bash
# bare_root.sh ARCHIVE    unpacks the archive of the program into a root that holds glibc and nothing else, not even a
# shell, and runs it there
#
# Takes root, or user namespaces. Exits 77 where the system allows neither.
set -euo pipefail
archive=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/{proc,tmp,opt,lib64,usr/lib/"$(uname -m)"-linux-gnu}
# The loader and libc by the names that programs have for them, and where they look.
cp -L "$(ldd /bin/true | sed -n 's/^[ \t]*\(\/[^ ]*ld-linux[^ ]*\).*/\1/p')" "$root/lib64/"
for library in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1; do
  cp -L "/lib/$(uname -m)-linux-gnu/$library" "$root/usr/lib/$(uname -m)-linux-gnu/"
done
mkdir "$root/dev"
: >"$root/dev/null"  # a file does, where nobody may make a device
tar -C "$root/opt" -xzf "$archive"
program=$(cd "$root" && ls -d opt/*/bin/triangulum)

# inside COMMAND...: with / and the processes of its own, and no variable
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(--map-root-user)
inside() {
  unshare "${as_root[@]}" --mount --pid --fork -- sh -c 'mount -t proc proc "$0/proc" && exec env -i "$(PATH=$PATH:/usr/sbin command -v chroot)" "$@"' \
    "$root" "$root" "$@" </dev/null
}
if ! unshare "${as_root[@]}" --mount --pid --fork -- sh -c 'mount -t proc proc "$0"' "$root/proc" 2>/dev/null; then
  echo "skipped: this system lets nobody make a root of his own"
  exit 77
fi

failed=0
expect() {  # expect PATTERN ARGUMENT...: the program ends well and prints a line that matches
  local pattern=$1 said
  shift
  if ! said=$(inside "/$program" "$@" 2>&1); then
    printf 'FAILED: triangulum %s:\n%s\n' "$*" "$said"
    failed=1
  elif ! grep -qE "$pattern" <<<"$said"; then
    printf 'FAILED: triangulum %s printed no line with %s:\n%s\n' "$*" "$pattern" "$said"
    failed=1
  else
    printf 'triangulum %s\n' "$*"
  fi
}
expect '^triangulum [0-9]+\.[0-9]+' --version
expect 'lambda-stream' list maps
expect 'plummer' list scenes
expect 'energy' run plummer:n=500 --steps 20 --backend cpu --save-every 20 --snapshot '/tmp/state_{step}.hdf5'
# The snapshot is read by a process of its own, with the HDF5 library that is part of the program.
expect 'energy' run --restart /tmp/state_20.hdf5 --steps 5 --backend cpu
expect '' convert /tmp/state_20.hdf5 /tmp/state.vtp
expect '^window +not available: there is no display' info
expect "passed" verify --quick --backend cpu
exit $failed
