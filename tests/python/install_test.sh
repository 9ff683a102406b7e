#!/bin/sh
# install_test.sh CMAKE BUILD PYTHON FOLDER: what `cmake --install --component python` makes runs by itself.
set -eu
cmake=$1
build=$2
python=$3
scratch=$4
rm -rf "$scratch"
"$cmake" --install "$build" --component python --prefix "$scratch" >/dev/null
package=$(dirname "$(find "$scratch" -path '*/contrast_reg/__init__.py')")
cd "$scratch"
PYTHONPATH=$(dirname "$package") PYTHONDONTWRITEBYTECODE=1 "$python" - "$package" <<'PROGRAM'
import sys

import contrast_reg as cr

assert cr.__file__.startswith(sys.argv[1]), cr.__file__
graph = cr.load_dataset("synthetic:cora@0.1")
z = cr.Embedder("ml", dim=8, epochs=2).fit_transform(graph)
print(cr.classify(graph, z, protocol="random-60-20-20", splits=1))
PROGRAM
