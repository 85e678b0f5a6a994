#!/usr/bin/env bash
# packages_test.sh FOLDER    every test of what `make package` left in FOLDER. What cannot run here is skipped, with the
# reason. Each test is a shell of its own, which exits 77 then.
set -uo pipefail
here=$(realpath "$(dirname "$0")")
cd "$1" || exit 1

# in_bare_root ARCHIVE: unpacks the archive of the program into a root that holds glibc and nothing else, not even a
# shell, and runs it there. Takes root, or user namespaces.
in_bare_root() (
  set -e
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
)

# in_containers ARCHIVE: builds both images of packaging/Containerfile from the archive and runs the program in them.
# BASE names the image to build them on, for a machine without a registry.
in_containers() (
  set -e
  archive=$(realpath "$1")
  recipe=$(realpath "$here/../../packaging/Containerfile")
  command -v buildah >/dev/null || { echo "skipped: there is no buildah"; exit 77; }
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cp "$archive" "$work/"
  for target in cpu cuda; do
    base=()
    [ -z "${BASE:-}" ] || base=(--build-arg "CPU_BASE=$BASE" --build-arg "CUDA_BASE=$BASE")
    if ! buildah build --quiet --isolation chroot --target $target "${base[@]}" -t "triangulum-test-$target" -f "$recipe" \
        "$work" >"$work/log" 2>&1; then
      tail -n 5 "$work/log"
      grep -qiE 'pinging|dial tcp|no such host|unauthorized|toomanyrequests' "$work/log" || exit 1
      echo "skipped: no registry to get the base image of '$target' from; name another one in BASE"
      exit 77
    fi
    container=$(buildah from "triangulum-test-$target")
    buildah run --isolation chroot "$container" -- triangulum run plummer:n=500 --steps 5 --backend cpu | grep -q '^energy'
    [ "$(buildah inspect --format '{{.OCIv1.Config.Entrypoint}}' "$container")" = "[/usr/local/bin/triangulum]" ]
    buildah rm "$container" >/dev/null
    buildah rmi "triangulum-test-$target" >/dev/null
    echo "the image '$target' builds and runs"
  done
)

failed=0
try() {
  printf '==== %s\n' "$*"
  "$@"
  case $? in 0 | 77) ;; *) failed=1 && echo "==== FAILED: $*" ;; esac
}
try lintian --allow-root --fail-on error,warning -- *.deb
try in_bare_root triangulum-*-linux-*.tar.gz
try bash "$here/fresh_root.sh" packages triangulum_*.deb triangulum-maps-dev_*.deb triangulum-*-linux-*.tar.gz "${CACHE:-}"
try in_containers triangulum-*-linux-*.tar.gz
[ $failed -eq 0 ] && echo "All packages work."
exit $failed
