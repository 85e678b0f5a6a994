# Sourced: make_root SUITE [ARCHIVE] makes $root, a fresh Debian (bookworm, trixie, testing) or Ubuntu (noble) with
# nothing in it, and inside COMMAND... runs there as root. All of it is gone when the script ends.
#
# Takes root, mounts and a mirror of the system (debootstrap); exits 77 without. ARCHIVE: where the fresh system is kept
# for the next time. PIP_CERT, where it is set, names the certificates that pip takes in there too.
[ "$(id -u)" -eq 0 ] || { echo "skipped: debootstrap takes root"; exit 77; }
work=$(mktemp -d)
root=$work/root
clean_up() {
  for place in "$root/dev/pts" "$root/dev/shm" "$root/sys" "$root/proc"; do umount "$place" 2>/dev/null || true; done
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

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
