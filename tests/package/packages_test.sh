#!/usr/bin/env bash
# packages_test.sh FOLDER    every test of what `make package` left in FOLDER. What cannot run here is skipped, with the
# reason.
set -uo pipefail
here=$(realpath "$(dirname "$0")")
cd "$1" || exit 1
failed=0
try() {
  printf '==== %s\n' "$*"
  "$@"
  case $? in 0 | 77) ;; *) failed=1 && echo "==== FAILED: $*" ;; esac
}
try lintian --allow-root --fail-on error,warning -- *.deb
try bash "$here/bare_root.sh" triangulum-*-linux-*.tar.gz
try bash "$here/debian_root.sh" triangulum_*.deb triangulum-maps-dev_*.deb triangulum-*-linux-*.tar.gz "${CACHE:-}"
try bash "$here/container_test.sh" triangulum-*-linux-*.tar.gz
[ $failed -eq 0 ] && echo "All packages work."
exit $failed
