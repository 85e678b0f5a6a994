#!/usr/bin/env bash
# wheel_test.sh WHEEL PYTHON...    the tests of the module against a wheel, for each Python with the oldest NumPy that it
# has wheels of and with the newest: in fresh environments outside the checkout, with an empty set of variables.
#
# Without an index to get NumPy from, a sentence says what was left out, and that is no failure.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
wheel=$(realpath "$1")
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
for python in "$@"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || exit 1
  case $version in  # the first NumPy from 1.23 on with wheels for this Python
    3.10) oldest=1.23.0 ;; 3.11) oldest=1.23.2 ;; 3.12) oldest=1.26.0 ;; 3.13) oldest=2.1.0 ;; *) oldest=2.3.2 ;;
  esac
  for numpy in "numpy==$oldest" numpy; do
    venv="$folder/of $version ${numpy/==/ }"
    "$python" -m venv "$venv" || exit 1
    pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15)
    if ! timeout 900 "${pip[@]}" --only-binary :all: "$numpy" scipy pytest hypothesis "nanobind-backend>=1,<2"; then
      echo "The wheel was not tested with Python $version and $numpy: pip reaches no index. Its message is above."
      continue
    fi
    # Tests that import more, such as ASE, Numba or Torch, say that they are skipped.
    if ! "${pip[@]}" --no-index "$wheel"; then
      failed=1
      continue
    fi
    echo "Python $version, $("$venv/bin/python" -c 'import numpy; print("NumPy", numpy.__version__)'):"
    (cd "$folder" && timeout 1800 env -i "$venv/bin/python" -B -m pytest -q -p no:cacheprovider \
      -o faulthandler_timeout=200 "$root/tests/app/python") || failed=1
  done
done
exit $failed
