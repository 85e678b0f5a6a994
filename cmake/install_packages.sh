#!/usr/bin/env bash
# install_packages.sh GROUP...    installs missing packages of packages-debian.txt, and reports which and why
#
# Silent and quick if nothing is missing. Uses apt, as root or through sudo; if that is impossible it prints the
# names and the command, and exits with 1. TRI_NO_INSTALL=1 disables installation; any other value does so too, and is
# printed as the reason.
set -euo pipefail
list="$(dirname "$0")/packages-debian.txt"

wanted=() reasons=() to_ask=()
while read -r group package found_by reason; do
  case " $* " in *" $group "*) ;; *) continue ;; esac
  if [ "$found_by" != - ] && command -v "$found_by" >/dev/null; then continue; fi
  wanted+=("$package") reasons+=("$reason") to_ask+=("$found_by")
done < <(grep -v '^#' "$list")
[ ${#wanted[@]} -gt 0 ] || exit 0

missing=() lines=""
if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
  installed=" $(dpkg-query -W -f='${Package}:${db:Status-Status} ' "${wanted[@]}" 2>/dev/null || true) "
  for i in "${!wanted[@]}"; do
    case "$installed" in *" ${wanted[i]}:installed "*) continue ;; esac
    missing+=("${wanted[i]}")
    lines+="$(printf '  %-22s %s' "${wanted[i]}" "${reasons[i]}")"$'\n'
  done
  [ ${#missing[@]} -gt 0 ] || exit 0
else
  # Without apt only commands can be checked; CMake reports missing libraries.
  for i in "${!wanted[@]}"; do
    [ "${to_ask[i]}" != - ] || continue
    missing+=("${wanted[i]}")
    lines+="$(printf '  %-22s %s' "${to_ask[i]}" "${reasons[i]}")"$'\n'
  done
  [ ${#missing[@]} -gt 0 ] || exit 0
  printf 'Triangulum needs these commands, and they are not here:\n%s' "$lines" >&2
  echo "This system has no apt, so please install them with its own tools, then run make again." >&2
  exit 1
fi

install=(apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "${missing[@]}")
refuse() {
  printf 'Triangulum needs these packages, and they are not here:\n%s%s\n    sudo apt-get install %s\n' \
    "$lines" "$1 Please run, then make again:" "${missing[*]}" >&2
  exit 1
}
case ${TRI_NO_INSTALL:-} in
  '') ;;
  1) refuse "TRI_NO_INSTALL=1 says to install nothing." ;;
  *) refuse "$TRI_NO_INSTALL" ;;
esac
as_root=(env DEBIAN_FRONTEND=noninteractive)
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || refuse "Installing them takes root, and there is no sudo."
  # Without a terminal sudo cannot prompt for a password.
  [ -t 0 ] || sudo -n true 2>/dev/null || refuse "Installing them takes root, and sudo asks for a password."
  as_root=(sudo "${as_root[@]}")
fi

printf 'Installing what the build needs:\n%s' "$lines"
"${as_root[@]}" apt-get update -qq -o DPkg::Lock::Timeout=120 </dev/null ||
  echo "apt-get update had errors (above); going on with the lists that are there." >&2
"${as_root[@]}" "${install[@]}" -qq </dev/null >/dev/null ||
  { echo "apt could not install: ${missing[*]}. Its message is above." >&2; exit 1; }
echo "Installed."
