#!/usr/bin/env python3
"""What `import contrast_reg` costs beyond `import torch`: fresh processes in turn, medians of their wall time.

The exit status is 1 where it is more than --most.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time


def milliseconds(statement: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return 1e3 * (time.perf_counter() - start)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="[15]")
    parser.add_argument("--most", type=float, default=50, metavar="MS", help="[50]")
    options = parser.parse_args()
    statements = ("import torch", "import contrast_reg")
    for statement in statements:  # files into the system's cache
        milliseconds(statement)
    rounds = [[milliseconds(statement) for statement in statements] for _ in range(options.rounds)]
    for statement, times in zip(statements, zip(*rounds)):
        print(f"{statement:20}{statistics.median(times):8.0f} ms, least {min(times):.0f}")
    more = statistics.median(ours - torch for torch, ours in rounds)
    print(f"{'more':20}{more:+8.0f} ms, of the least {min(r[1] for r in rounds) - min(r[0] for r in rounds):+.0f}")
    return 1 if more > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
