"""Writes ranking_golden.json: AUC and average precision by scikit-learn 1.2.1."""

import json
import os

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

rng = np.random.default_rng(0)


def scores(count, levels):
    # Multiples of 1/64 are exact in float32; few levels make many ties.
    return (rng.integers(-levels, levels + 1, count) / 64).tolist()


cases = [
    ("one of each, in order", [1.0], [0.0]),
    ("one of each, reversed", [0.0], [1.0]),
    ("all equal", [0.5] * 3, [0.5] * 5),
    ("separated", [2.0, 3.0, 4.0], [-1.0, 0.0]),
    ("a tie across the classes", [1.0, 0.5, 0.5], [0.5, 0.25]),
    ("ties inside one class", [1.0, 1.0, 0.0], [0.5, 0.5]),
    ("few levels", scores(40, 3), scores(70, 3)),
    ("more positives", scores(90, 10), scores(7, 10)),
    ("many levels", scores(60, 100000), scores(60, 100000)),
    ("signed zeros", [0.0, -0.0, 1.0], [-0.0, 0.0]),
    ("far apart", [1e30, -1e30, 3.0], [-1e-30, 1e30, 1e-30]),
]
out = []
for name, positives, negatives in cases:
    y = [1] * len(positives) + [0] * len(negatives)
    s = np.array(positives + negatives, dtype=np.float32)
    out.append(
        {
            "name": name,
            "positives": positives,
            "negatives": negatives,
            "auc": roc_auc_score(y, s),
            "ap": average_precision_score(y, s),
        }
    )
path = os.path.join(os.path.dirname(__file__), "ranking_golden.json")
with open(path, "w") as file:
    json.dump(out, file)
    file.write("\n")
