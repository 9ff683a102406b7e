#!/usr/bin/python3
"""Writes tsne_golden.json: how well scikit-learn 1.2.1's t-SNE keeps the neighbours of rows that
the tests generate too. Run it with Debian's python3-sklearn:
    /usr/bin/python3 tests/learn/make_tsne_golden.py
"""
import json
import os

import numpy as np
import sklearn
from sklearn.manifold import TSNE, trustworthiness

assert sklearn.__version__ == "1.2.1", sklearn.__version__


class Stream:
    """A 64-bit linear congruential generator; the upper 24 bits are a number in [0, 1)."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 40) / 2**24


def generate(spec):
    """Rows around one random centre per class, as golden_data.h makes them."""
    stream = Stream(spec["seed"])
    classes, d = len(spec["labels"]), spec["features"]
    centres = [[stream.uniform() - 0.5 for _ in range(d)] for _ in range(classes)]
    x = np.empty((spec["train"], d), np.float32)
    for i in range(len(x)):
        for k in range(d):
            value = spec["separation"] * centres[i % classes][k] + spec["noise"] * (stream.uniform() - 0.5)
            x[i, k] = value * 2 ** (k % 8) if spec["uneven"] else value
    return x


def case(name, perplexity, **recipe):
    spec = dict(name=name, perplexity=perplexity, uneven=False, flat=False, test=0)
    spec.update(recipe)
    x = generate(spec)
    found = TSNE(perplexity=perplexity, init="pca", learning_rate="auto", random_state=0).fit_transform(
        x.astype(np.float64))
    spec["trustworthiness"] = trustworthiness(x, found, n_neighbors=10)
    return spec


cases = [
    case("classes apart", 30, seed=1, train=500, features=20, labels=list(range(6)), separation=3.0, noise=2.0),
    case("one cloud", 30, seed=2, train=400, features=5, labels=[0], separation=0.0, noise=1.0),
    case("uneven columns", 15, seed=3, train=300, features=70, labels=[0, 1, 2], separation=1.0, noise=1.0,
         uneven=True),
]
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tsne_golden.json")
with open(path, "w") as file:
    json.dump(cases, file, indent=1)
    file.write("\n")
