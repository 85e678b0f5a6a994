#!/usr/bin/env bash
# container_test.sh ARCHIVE    builds both images of packaging/Containerfile from the archive and runs the program in them
#
# BASE names the image to build them on, for a machine without a registry; exits 77 where there is no buildah, or no base.
set -euo pipefail
archive=$(realpath "$1")
recipe=$(realpath "$(dirname "$0")/../../packaging/Containerfile")
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
