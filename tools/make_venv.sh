#!/bin/sh
# Make a virtual environment with a pip that knows dependency groups. Keeps one that works.
#
# usage: tools/make_venv.sh PYTHON FOLDER
set -eu
python=$1
venv=$2
here=$(dirname "$0")

works() { "$venv/bin/python" -m pip --version >/dev/null 2>&1; }

# Without Debian's python3-venv the first command leaves a half-made folder behind, so it is
# removed before the second attempt.
if ! works; then
    rm -rf "$venv"
    "$python" -m venv "$venv" >/dev/null 2>&1 || true
fi
if ! works; then
    "$here/apt_install.sh" python3-venv
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi
"$venv/bin/python" - <<'PY'
import sys

if sys.version_info < (3, 11):
    sys.exit("heapscene needs Python 3.11 or newer; type:  make clean setup PYTHON=python3.11")
PY
"$venv/bin/python" -m pip install -q --upgrade "pip>=25.1"
