#!/usr/bin/env python3
"""How far predictions are from the measured times, by the uncertainty that their profiles state.

    uncertainty.py BUILD [RECORDING...]

A row for each range of `uncertainty`: configurations, spaces, and over the spaces the mean and the
median of the root mean square of ln(time / prediction).  mm-core is left out where mm is there: they
are one recording.  Without RECORDING all shipped ones.
"""
import csv
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

BOUNDS = [0, 0.1, 0.3, 0.7]
NAMES = ["0", "up to 0.1", "0.1 to 0.3", "0.3 to 0.7", "above 0.7"]


def errors_of(build, recording, folder):
    """Pairs of ln(time / prediction) and uncertainty, of what was timed and predicted."""
    out = pathlib.Path(folder) / "rows.csv"
    subprocess.run([build + "/aptune", "export", recording, "--format", "csv", "--output", str(out)],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(out, newline="") as f:
        for row in csv.DictReader(f):
            try:
                time, said = float(row["median_ms"]), float(row["predicted_ms"])
                yield math.log(time / said), float(row["uncertainty"])
            except ValueError:
                pass  # not timed, or not predicted


def main():
    build, recordings = sys.argv[1], sys.argv[2:]
    source = pathlib.Path(__file__).resolve().parents[2]
    recordings = recordings or sorted(
        str(p) for p in (source / "spaces/recordings").glob("*.times.zst") if "mm-core" not in p.name)
    cells = [{} for _ in NAMES]
    with tempfile.TemporaryDirectory() as folder:
        for recording in recordings:
            for error, stated in errors_of(build, recording, folder):
                cell = cells[sum(stated > b for b in BOUNDS)]
                cell.setdefault(recording, []).append(error)
    print("| uncertainty stated | configurations | spaces | error, mean of the spaces | median |")
    print("|---|---|---|---|---|")
    for name, cell in zip(NAMES, cells):
        if cell:
            rms = [math.sqrt(statistics.fmean(e * e for e in v)) for v in cell.values()]
            print(f"| {name} | {sum(map(len, cell.values()))} | {len(cell)} | "
                  f"{statistics.fmean(rms):.2f} | {statistics.median(rms):.2f} |")


if __name__ == "__main__":
    main()
