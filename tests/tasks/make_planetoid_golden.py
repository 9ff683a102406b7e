#!/usr/bin/python3
"""Prints what scikit-learn's logistic regression gets on the public splits of Cora and Citeseer:
the correct test and val nodes that classify_test.cpp expects. Argument: the data folder."""
import pickle
import sys

import numpy as np
import scipy.sparse as sp
import sklearn
from sklearn.linear_model import LogisticRegression


def load(folder, name):
    def part(suffix):
        with open(f"{folder}/{name}/ind.{name}.{suffix}", "rb") as file:
            return pickle.load(file, encoding="latin1")

    allx, ally, graph = part("allx"), part("ally"), part("graph")
    test = np.loadtxt(f"{folder}/{name}/ind.{name}.test.index", dtype=int)
    n = len(graph)
    x = sp.lil_matrix((n, allx.shape[1]), dtype=np.float32)
    x[: allx.shape[0]] = allx
    x[test] = part("tx")
    y = np.full(n, -1)
    y[: len(ally)] = ally.argmax(1)
    y[test] = part("ty").argmax(1)
    adjacency = sp.lil_matrix((n, n))
    for u, neighbours in graph.items():
        for v in neighbours:
            if u != v:
                adjacency[u, v] = adjacency[v, u] = 1
    return x.toarray(), y, adjacency.tocsr(), len(part("y")), test


print("scikit-learn", sklearn.__version__)
for name in ["cora", "citeseer"]:
    x, y, adjacency, train, test = load(sys.argv[1], name)
    val = np.arange(train, train + 500)
    adjacency = adjacency + sp.eye(len(x))
    scale = sp.diags(np.asarray(adjacency.sum(1)).ravel() ** -0.5)
    smooth = scale @ adjacency @ scale
    twice = (smooth @ (smooth @ x.astype(np.float64))).astype(np.float32)
    norms = np.linalg.norm(twice.astype(np.float64), axis=1, keepdims=True)
    unit = (twice / np.where(norms > 0, norms, 1)).astype(np.float32)
    for what, rows in [("raw", x), ("smoothed", twice), ("smoothed, l2", unit)]:
        model = LogisticRegression(max_iter=150).fit(rows[:train], y[:train])
        print(name, what, (model.predict(rows[test]) == y[test]).sum(),
              (model.predict(rows[val]) == y[val]).sum())
