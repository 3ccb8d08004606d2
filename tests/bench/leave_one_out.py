#!/usr/bin/env python3
"""What the prediction is worth on spaces that its fitted constants were not fitted to.

    leave_one_out.py BUILD [RECORDING...]

The constants that metrics/constants.csv calls fitted are fitted anew for each space, to all others: each to the
best of a few values around the shipped one, the others as shipped; then all together are judged.  Best is the least sum over spaces of
ln(best time / time of the first place) and the median of |ln(time / prediction)|.  A row for each space:
first place and median error with the shipped constants and with those fitted without it; then the values found.
mm-core is left out where mm is there: they are one recording.  Without RECORDING all shipped ones.
"""
import csv
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Where each stands in cycles.metrics, and what is tried.
CONSTANTS = {
    "crowd": (r"(?<== )0\.5(?= \* max\(0, known\(loaded_cycles)", 0.5, [0.25, 0.4, 0.5, 0.65, 0.8]),
    "overlap_power": (r"known\(overlap_power, [^)]*\)", 3.5, [2.5, 3, 3.5, 4.2, 5]),
}
SHIPPED = tuple(c[1] for c in CONSTANTS.values())


def metrics_with(values, suffix):
    """The shipped formulas with these values, all names with a suffix."""
    text = (SOURCE / "metrics/cycles.metrics").read_text()
    for (pattern, _, _), value in zip(CONSTANTS.values(), values):
        text, count = re.subn(pattern, f"{value:.10f}".rstrip("0").rstrip("."), text)
        assert count, pattern
    for name in re.findall(r"^metric (\w+)", text, re.M):
        text = re.sub(rf"\b{name}\b", name + suffix, text)
    return text


class Spaces:
    def __init__(self, build, recordings, folder):
        self.build, self.recordings, self.folder = build, recordings, pathlib.Path(folder)
        self.known = {}  # values: {space: (loss of the first place, median error)}

    def evaluate(self, vectors):
        new = [v for v in dict.fromkeys(vectors) if v not in self.known]
        if not new:
            return
        file = self.folder / "tried.metrics"
        file.write_text("\n".join(metrics_with(v, f"_{i}") for i, v in enumerate(new)))
        for v in new:
            self.known[v] = {}
        for recording in self.recordings:
            out = self.folder / "rows.csv"
            subprocess.run([self.build + "/aptune", "export", recording, "--format", "csv", "--metrics", str(file),
                            "--output", str(out)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            rows = [[] for _ in new]
            with open(out, newline="") as f:
                for row in csv.DictReader(f):
                    try:
                        time = float(row["median_ms"])
                        said = [float(row[f"predicted_ms_{i}"]) for i in range(len(new))]
                    except ValueError:
                        continue  # not timed, or not predicted
                    for i, ms in enumerate(said):
                        rows[i].append((ms, time))
            for v, timed in zip(new, rows):
                if timed:
                    best = min(t for _, t in timed)
                    self.known[v][recording] = (math.log(min(timed)[1] / best),
                                                statistics.median(abs(math.log(t / p)) for p, t in timed))

    def loss(self, values, without):
        return sum(sum(pair) for space, pair in self.known[values].items() if space != without)


def changed(k, value):
    return SHIPPED[:k] + (value,) + SHIPPED[k + 1:]


def fit(spaces, without):
    """Of each constant the best value, the others as shipped."""
    return tuple(min(values, key=lambda v: spaces.loss(changed(k, v), without))
                 for k, (_, _, values) in enumerate(CONSTANTS.values()))


def main():
    build, recordings = sys.argv[1], sys.argv[2:]
    recordings = recordings or sorted(
        str(p) for p in (SOURCE / "spaces/recordings").glob("*.times.zst") if "mm-core" not in p.name)
    with tempfile.TemporaryDirectory() as folder:
        spaces = Spaces(build, recordings, folder)
        spaces.evaluate([changed(k, v) for k, c in enumerate(CONSTANTS.values()) for v in c[2]])
        found = {r: fit(spaces, r) for r in recordings}
        spaces.evaluate(list(found.values()))
        print("| left out | first, shipped | first, left out | error, shipped | error, left out |\n|---|---|---|---|---|")
        pairs = []
        for r in recordings:
            if r not in spaces.known[SHIPPED]:
                continue
            a, b = spaces.known[SHIPPED][r], spaces.known[found[r]][r]
            pairs.append((a, b))
            name = pathlib.Path(r).name.replace("-h200.times.zst", "")
            print(f"| {name} | {100 * math.exp(-a[0]):.1f} % | {100 * math.exp(-b[0]):.1f} % | "
                  f"{100 * math.expm1(a[1]):.1f} % | {100 * math.expm1(b[1]):.1f} % |")
        means = [100 * math.exp(-statistics.fmean(p[i][0] for p in pairs)) for i in (0, 1)]
        medians = [100 * math.expm1(statistics.median(p[i][1] for p in pairs)) for i in (0, 1)]
        print(f"| geometric mean, median | {means[0]:.1f} % | {means[1]:.1f} % | {medians[0]:.1f} % | {medians[1]:.1f} % |\n")
        print("| constant | shipped | fitted without one space: least | most |\n|---|---|---|---|")
        for k, name in enumerate(CONSTANTS):
            values = [v[k] for v in found.values()]
            print(f"| {name} | {SHIPPED[k]:g} | {min(values):g} | {max(values):g} |")


if __name__ == "__main__":
    main()
