#!/bin/sh
# pip_test.sh PYTHON FOLDER: what `pip install .` makes, in a virtual environment of its own, without a network.
set -eu
python=$1
scratch=$2
project=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$scratch"
"$python" -m venv --system-site-packages "$scratch/venv"
"$scratch/venv/bin/python" -m pip install --no-index --no-build-isolation --disable-pip-version-check --no-cache-dir \
  --config-settings=build-dir="$scratch/build" "$project"
cd "$scratch"
"$scratch/venv/bin/python" - "$scratch/venv" <<'PROGRAM'
import importlib.metadata
import sys

import contrast_reg as cr

assert cr.__file__.startswith(sys.argv[1]), cr.__file__
assert importlib.metadata.version("contrast-reg") == cr.__version__
graph = cr.load_dataset("synthetic:cora@0.1")
z = cr.Embedder("ml", dim=8, epochs=2).fit_transform(graph)
print(cr.classify(graph, z, protocol="random-60-20-20", splits=1))
PROGRAM
