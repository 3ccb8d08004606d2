#!/usr/bin/env python3
"""How far predictions are from the measured times, by the uncertainty that their profiles state.

    uncertainty.py BUILD [RECORDING...]

A row for each range of `uncertainty`: configurations, spaces, what `predicted_error` says there (root mean square), and
over the spaces the mean and the median of the root mean square of ln(time / prediction).  Ends with 1 where the median is
more than twice what is said, or less than half: then the doubts of profile_set_doubt (metrics/metric/profile_walk.c) or the
device's prediction_deviation are to be set anew.  mm-core is left out where mm is there: they
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
    """ln(time / prediction), uncertainty and predicted_error of what was timed and predicted."""
    out = pathlib.Path(folder) / "rows.csv"
    subprocess.run([build + "/aptune", "export", recording, "--format", "csv", "--output", str(out)],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(out, newline="") as f:
        for row in csv.DictReader(f):
            try:
                time, said = float(row["median_ms"]), float(row["predicted_ms"])
                yield math.log(time / said), float(row["uncertainty"]), float(row["predicted_error"])
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
            for error, stated, said in errors_of(build, recording, folder):
                cell = cells[sum(stated > b for b in BOUNDS)]
                cell.setdefault(recording, []).append((error, said))
    print("| uncertainty stated | configurations | spaces | predicted_error | error, mean of the spaces | median |")
    print("|---|---|---|---|---|---|")
    wrong = False
    for name, cell in zip(NAMES, cells):
        if not cell:
            continue
        rms = [math.sqrt(statistics.fmean(e * e for e, _ in v)) for v in cell.values()]
        said = math.sqrt(statistics.fmean(statistics.fmean(s * s for _, s in v) for v in cell.values()))
        median = statistics.median(rms)
        wrong = wrong or not said / 2 <= median <= 2 * said
        print(f"| {name} | {sum(map(len, cell.values()))} | {len(cell)} | {said:.2f} | "
              f"{statistics.fmean(rms):.2f} | {median:.2f} |")
    sys.exit(wrong)


if __name__ == "__main__":
    main()
