#!/usr/bin/env python3
"""Prints how well first specs of others' kernels were predicted, as spaces/recordings/README.md has it.

    first_specs.py

From first_specs.csv beside it: times as measured, and what two versions of the formula predicted.  A row for each range of
a kernel's best time: kernels, and the median over them of the median |predicted / measured - 1| of their configurations.
Then the performance of the first place, relative to the best, where there are three configurations or more.
"""
import csv
import math
import pathlib
import statistics

BOUNDS = {"below 5 µs": 0.005, "5 to 20 µs": 0.02, "20 to 200 µs": 0.2, "longer": math.inf, "all": None}


def read():
    """By kernel: time, prediction before and since, of each configuration that has them."""
    kernels = {}
    path = pathlib.Path(__file__).with_suffix(".csv")
    with path.open(encoding="utf-8") as text:
        for row in csv.DictReader(line for line in text if not line.startswith("#")):
            if row["predicted_since_ms"]:
                figures = [float(row[k]) for k in ("time_ms", "predicted_before_ms", "predicted_since_ms")]
                kernels.setdefault((row["file"], row["kernel"]), []).append(figures)
    return kernels.values()


def error(kernels, column):
    return statistics.median(statistics.median(abs(c[column] / c[0] - 1) for c in k) for k in kernels)


def first_place(kernel):
    """Performance of what is predicted fastest, the mean of those predicted alike."""
    least = min(c[2] for c in kernel)
    return statistics.mean(min(c[0] for c in kernel) / c[0] for c in kernel if c[2] == least)


def main():
    kernels = list(read())
    print("| best time | kernels | error before | error since |\n|---|---|---|---|")
    least = 0
    for name, most in BOUNDS.items():
        some = [k for k in kernels if most is None or least <= min(c[0] for c in k) < most]
        print(f"| {name} | {len(some)} | {100 * error(some, 1):.1f} % | {100 * error(some, 2):.1f} % |")
        least = most
    first = [first_place(k) for k in kernels if len(k) >= 3]
    print(f"\nFirst place of {len(first)} kernels: {100 * statistics.geometric_mean(first):.1f} %, least {100 * min(first):.1f} %")


if __name__ == "__main__":
    main()
