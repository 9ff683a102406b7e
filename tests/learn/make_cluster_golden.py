#!/usr/bin/python3
"""Writes cluster_golden.json: what scikit-learn 1.2.1 makes of data that the tests generate too.

Only the recipe of the data and the results are stored. Run it with Debian's python3-sklearn:
    /usr/bin/python3 tests/learn/make_cluster_golden.py
"""
import json
import os
import warnings

import numpy as np
import sklearn
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, f1_score, normalized_mutual_info_score

assert sklearn.__version__ == "1.2.1", sklearn.__version__
warnings.simplefilter("ignore")


class Stream:
    """A 64-bit linear congruential generator; the upper 24 bits are a number in [0, 1)."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 40) / 2**24


def generate(case):
    """Rows around one random centre per group, each row `copies` times in all; float32 values."""
    stream = Stream(case["seed"])
    groups, d = case["groups"], case["features"]
    centres = [[stream.uniform() - 0.5 for _ in range(d)] for _ in range(groups)]
    x = np.empty((case["rows"], d), np.float32)
    for i in range(len(x)):
        for k in range(d):
            x[i, k] = case["separation"] * centres[i % groups][k] + \
                case["noise"] * (stream.uniform() - 0.5)
    return np.tile(x, (case["copies"], 1)).astype(np.float64)


def case(name, seed, rows, features, groups, separation=1, noise=2, copies=1, **more):
    return dict(name=name, seed=seed, rows=rows, features=features, groups=groups,
                separation=separation, noise=noise, copies=copies, **more)


def rounded(values):
    return [float(f"{v:.12g}") for v in np.ravel(values)]


# `start`: rows that are the first centres; -1 is a centre at (1000, 1000, ...).
GIVEN_CENTRES = [
    case("overlapping", 1, 200, 6, 4, start=[0, 1, 2, 3]),
    case("one cluster", 2, 30, 3, 2, start=[5]),
    case("a centre per row", 3, 6, 2, 3, start=[5, 4, 3, 2, 1, 0]),
    case("an empty cluster", 4, 90, 4, 3, start=[0, 1, -1, 2]),
    case("two equal centres", 5, 120, 5, 4, start=[7, 7, 2, 9]),
    case("duplicate points", 6, 25, 3, 5, copies=4, start=[0, 1, 2, 3, 4]),
    case("duplicates and an empty cluster", 7, 20, 3, 4, copies=3, start=[0, 1, 2, -1]),
    case("stopped after 3", 8, 400, 4, 3, 0.1, 2, start=[0, 1, 2, 3, 4, 5], max_iter=3),
    case("stopped by the tolerance", 9, 600, 2, 2, 0.1, 2, start=[0, 1, 2, 3, 4], tol=1e-2),
    case("many centres", 10, 300, 10, 7, start=list(range(24))),
]
SEPARATED = [
    case("five groups", 21, 200, 8, 5, 10, 1),
    case("seventeen groups", 22, 340, 32, 17, 10, 1),
    case("two groups of copies", 23, 10, 3, 2, 10, 1, copies=5),
]
PCAS = [
    case("three of eight", 31, 60, 8, 4, components=3),
    case("all of six", 32, 40, 6, 3, components=6),
    case("fewer rows than columns", 33, 9, 20, 3, components=5),
    case("a column of its own", 34, 30, 1, 2, components=1),
]
SVDS = [
    case("three of eight, apart", 51, 60, 8, 4, 3, 1, components=3),
    case("more columns than rows", 52, 40, 120, 5, components=6),
    case("many rows", 53, 500, 90, 7, 2, 1, components=7),
    case("hardly apart", 54, 300, 250, 3, 0.1, 2, components=17),
]

stream = Stream(41)


def draws(count, below):
    return [int(stream.uniform() * below) for _ in range(count)]


CLASSES = [0] * 5 + [1] * 7 + [2] * 9
METRICS = [
    dict(name="the same, other numbers", classes=CLASSES, clusters=[(7 - c) * 2 for c in CLASSES]),
    dict(name="one cluster", classes=CLASSES, clusters=[3] * 21),
    dict(name="one class", classes=[1] * 6, clusters=[0, 0, 0, 1, 1, 2]),
    dict(name="one cluster and one class", classes=[4] * 6, clusters=[2] * 6),
    dict(name="fewer clusters than classes", classes=CLASSES,
         clusters=[0] * 6 + [1] * 15),
    dict(name="more clusters than classes", classes=CLASSES,
         clusters=[0] * 3 + [1] * 2 + [2] * 6 + [3] * 1 + [4] * 5 + [1] * 4),
    dict(name="singletons", classes=[0, 0, 0, 1, 1], clusters=[0, 1, 2, 3, 4]),
    dict(name="singletons on both sides", classes=[0, 1, 2], clusters=[5, 4, 3]),
    dict(name="worse than chance", classes=[0, 0, 1, 1], clusters=[0, 1, 0, 1]),
    dict(name="one item", classes=[0], clusters=[0]),
    dict(name="random", classes=draws(200, 6), clusters=draws(200, 6)),
    dict(name="random, 17 of 17", classes=draws(900, 17), clusters=draws(900, 17)),
]

golden = {"scikit-learn": sklearn.__version__, "given_centres": [], "separated": [], "pca": [],
          "svd": [], "metrics": []}
for spec in GIVEN_CENTRES:
    spec = dict(dict(max_iter=300, tol=1e-4), **spec)
    x = generate(spec)
    start = np.array([x[i] if i >= 0 else np.full(x.shape[1], 1000.0) for i in spec["start"]])
    model = KMeans(len(start), init=start, n_init=1, max_iter=spec["max_iter"], tol=spec["tol"])
    model.fit(x)
    golden["given_centres"].append(dict(
        spec, iterations=int(model.n_iter_), inertia=model.inertia_, labels=model.labels_.tolist(),
        centres=rounded(model.cluster_centers_)))
for spec in SEPARATED:
    x = generate(spec)
    model = KMeans(spec["groups"], n_init=10, random_state=0).fit(x)
    golden["separated"].append(dict(spec, inertia=model.inertia_, labels=model.labels_.tolist()))
for spec in PCAS:
    x = generate(spec)
    model = PCA(spec["components"], svd_solver="full").fit(x)
    golden["pca"].append(dict(
        spec, variance=rounded(model.explained_variance_), axes=rounded(model.components_),
        ratio=rounded(model.explained_variance_ratio_), projected=rounded(model.transform(x)[:4])))
for spec in SVDS:
    left, values, right = np.linalg.svd(generate(spec), full_matrices=False)
    k = spec["components"]
    signs = np.sign(right[np.arange(k), np.abs(right[:k]).argmax(1)])
    golden["svd"].append(dict(
        spec, values=rounded(values[:k]), left=rounded(left[:5, :k] * signs)))
for spec in METRICS:
    classes, clusters = np.array(spec["classes"]), np.array(spec["clusters"])
    table = np.zeros((clusters.max() + 1, classes.max() + 1))
    np.add.at(table, (clusters, classes), 1)
    used, present = np.unique(clusters), np.unique(classes)
    rows, cols = linear_sum_assignment(-table[np.ix_(used, present)])
    names = {used[i]: present[j] for i, j in zip(rows, cols)}
    # A cluster without a class is a label of its own.
    mapped = np.array([names.get(c, 1000 + c) for c in clusters])
    golden["metrics"].append(dict(
        spec, accuracy=float((mapped == classes).mean()),
        nmi=float(normalized_mutual_info_score(classes, clusters)),
        f1=float(f1_score(classes, mapped, average="macro")),
        ari=float(adjusted_rand_score(classes, clusters))))

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cluster_golden.json")
with open(path, "w") as file:
    json.dump(golden, file, separators=(",", ":"))
    file.write("\n")
for c in golden["given_centres"]:
    print(c["name"], c["iterations"], "iterations")
for c in golden["metrics"]:
    print(c["name"], *(round(c[key], 4) for key in ("accuracy", "nmi", "f1", "ari")))
print(os.path.getsize(path), "bytes")
