#!/bin/sh
# Puts Tint (PyPI's wgpudawn) beside the environment: in it, it would be a second engine of one API.
set -eu
python=$1
folder=$2
rm -rf "$folder"
"$python" -m pip install -q --no-deps --target "$folder" wgpudawn==0.32.0.4
