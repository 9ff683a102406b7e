#!/usr/bin/python3
"""scikit-learn on the data that bench_logistic_regression wrote: folder [threads]."""
import glob
import statistics
import sys
import time
import warnings

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

warnings.simplefilter("ignore")
folder = sys.argv[1]
for path in sorted(glob.glob(f"{folder}/*x*x*[0-9].npy"), key=len):
    x, y = np.load(path), np.load(path.replace(".npy", "-labels.npy"))
    times = []
    for _ in range(15 if len(x) < 1000 else 1):
        start = time.perf_counter()
        model = LogisticRegression(max_iter=150).fit(x, y)
        times.append(time.perf_counter() - start)
    print(f"scikit-learn {sklearn.__version__} {path}: {statistics.median(times):.4f} s, "
          f"{model.n_iter_[0]} iterations, training accuracy {model.score(x, y):.4f}")
