#!/usr/bin/python3
"""Writes logistic_golden.json: what scikit-learn 1.2.1 makes of data that the tests generate too.

Only the recipe of the data and the results are stored. Run it with Debian's python3-sklearn:
    /usr/bin/python3 tests/learn/make_logistic_golden.py
"""
import json
import os
import warnings

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier

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
    """Rows around one random centre per class; float32. `uneven`: column k is scaled by
    2^(k mod 8). `flat`: column 0 is 1 and column 1 is 0 throughout."""
    stream = Stream(case["seed"])
    labels, d = case["labels"], case["features"]
    centres = [[stream.uniform() - 0.5 for _ in range(d)] for _ in labels]
    x = np.empty((case["train"] + case["test"], d), np.float32)
    y = np.empty(len(x), np.int32)
    for i in range(len(x)):
        c = i % len(labels)
        y[i] = labels[c]
        for k in range(d):
            value = case["separation"] * centres[c][k] + case["noise"] * (stream.uniform() - 0.5)
            if case["uneven"]:
                value *= 2 ** (k % 8)
            if case["flat"] and k < 2:
                value = 1 - k
            x[i, k] = value
    return x, y


def case(name, seed, train, features, labels, separation, noise, c=1.0, max_iter=150, test=200,
         uneven=False, flat=False):
    return dict(name=name, seed=seed, train=train, test=test, features=features, labels=labels,
                separation=separation, noise=noise, uneven=uneven, flat=flat, c=c,
                max_iter=max_iter)


def rounded(values):
    return [float(f"{v:.9g}") for v in np.ravel(values)]


MULTINOMIAL = [
    case("three classes", 1, 60, 8, [0, 1, 2], 1, 2),
    case("two classes", 2, 50, 6, [0, 1], 1, 2),
    case("seven classes", 3, 140, 32, list(range(7)), 1, 3),
    case("separable", 4, 40, 20, [0, 1, 2, 3], 10, 1),
    case("separable, two classes", 5, 30, 5, [0, 1], 10, 1),
    case("classes missing", 6, 60, 6, [1, 4, 9], 1, 2),
    case("two classes, not 0 and 1", 7, 40, 4, [3, 8], 1, 2),
    case("flat columns", 8, 60, 8, [0, 1, 2], 1, 2, flat=True),
    case("weak penalty", 9, 60, 6, [0, 1, 2], 1, 4, c=100.0),
    case("strong penalty", 10, 60, 6, [0, 1, 2], 1, 2, c=0.01),
    case("stopped after 5", 11, 100, 16, [0, 1, 2, 3, 4], 1, 3, max_iter=5),
    case("stopped after 20", 12, 100, 16, [0, 1, 2, 3, 4], 1, 3, max_iter=20),
    case("stopped after 150", 13, 300, 16, [0, 1, 2, 3], 1, 8, c=100.0, uneven=True),
    case("more columns than rows", 14, 28, 40, list(range(7)), 1, 2),
    case("one row per class", 15, 3, 4, [0, 1, 2], 1, 1),
]

ONE_VS_REST = [
    case("three classes", 21, 60, 8, [0, 1, 2], 1, 2),
    case("two classes", 22, 50, 6, [0, 1], 1, 2, c=4.0),
    case("seven classes", 23, 140, 16, list(range(7)), 1, 2, c=0.25),
    case("separable", 24, 40, 10, [2, 3, 5, 7], 4, 1, c=512.0),
]

SEARCHES = [
    case("three classes", 31, 61, 8, [0, 1, 2], 1, 3),
    case("seven classes", 32, 140, 12, list(range(7)), 1, 2),
    case("two classes", 33, 52, 6, [0, 1], 1, 3),
]

golden = {"scikit-learn": sklearn.__version__, "multinomial": [], "one_vs_rest": [],
          "searches": []}
for spec in MULTINOMIAL:
    x, y = generate(spec)
    n = spec["train"]
    model = LogisticRegression(solver="lbfgs", C=spec["c"], max_iter=spec["max_iter"])
    model.fit(x[:n], y[:n])
    golden["multinomial"].append(dict(
        spec, iterations=int(model.n_iter_[0]), weights=rounded(model.coef_),
        intercepts=rounded(model.intercept_), predicted=model.predict(x[n:]).tolist()))
for spec in ONE_VS_REST:
    x, y = generate(spec)
    n = spec["train"]
    # Tightly converged: liblinear's own tolerance is loose.
    base = LogisticRegression(solver="liblinear", C=spec["c"], tol=1e-10, max_iter=10000)
    model = OneVsRestClassifier(base).fit(x[:n], y[:n])
    golden["one_vs_rest"].append(dict(
        spec, weights=rounded([e.coef_[0] for e in model.estimators_]),
        intercepts=rounded([e.intercept_[0] for e in model.estimators_]),
        predicted=model.predict(x[n:]).tolist()))
for spec in SEARCHES:
    x, y = generate(spec)
    n = spec["train"]
    base = OneVsRestClassifier(LogisticRegression(solver="liblinear", tol=1e-8, max_iter=10000))
    search = GridSearchCV(base, {"estimator__C": 2.0 ** np.arange(-10, 10)}, cv=5)
    search.fit(x[:n], y[:n])
    golden["searches"].append(dict(
        spec, best_c=search.best_params_["estimator__C"],
        cross_accuracy=rounded(search.cv_results_["mean_test_score"]),
        predicted=search.predict(x[n:]).tolist()))

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "logistic_golden.json")
with open(path, "w") as file:
    json.dump(golden, file, separators=(",", ":"))
    file.write("\n")
for c in golden["multinomial"]:
    print(c["name"], c["iterations"], "of", c["max_iter"])
print(os.path.getsize(path), "bytes")
