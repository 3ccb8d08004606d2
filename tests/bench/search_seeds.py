#!/usr/bin/env python3
"""How late the default run's search holds the best and how often it ends off: the table of spaces/recordings/README.md.

    search_seeds.py BUILD FOLDER [-s SEEDS] [-w WORKERS,WORKERS...] [RECORDING...]

Replays each recording by BUILD's bench_search, 200 seeds with 16, 8, 2 and 1 compile workers unless told otherwise, and keeps
every seed's line in FOLDER: a run that was stopped goes on, and its table says how many seeds it stands on.  Only the first
10 seeds are played to the end, the others until they hold 0.2 % or end without.
In a row, for each number of workers: seconds to 0.2 % of the best recorded, median, nine of ten (worst); then the median
of the seconds at which the first 10 end, and of the worst of each 20.  Below the table: which ended off.
"""
import argparse
import glob
import os
import re
import subprocess

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINE = re.compile(r"^\S+ (\d+): (\S+) (\S+) stop (\S+) regret (\S+) ")
WHOLE = 10  # seeds that are played to the end
STEP = 10  # seeds of a call


def play(build, path, workers, seeds, file):
    """The lines of all seeds, those in the file and those that were missing."""
    have = {}
    if os.path.exists(file):
        with open(file, encoding="utf-8") as f:
            have = {int(m[1]): m for m in map(LINE.match, f) if m}
    for first in range(0, seeds, STEP):
        wanted = range(first, min(first + STEP, seeds))
        if all(seed in have for seed in wanted):
            continue
        out = subprocess.run([f"{build}/tests/bench_search", "-l" if first < WHOLE else "-le", "-s", str(len(wanted)), "-f", str(first),
                              "-w", str(workers), path], check=True, capture_output=True, text=True).stdout
        with open(file, "a", encoding="utf-8") as f:
            for m in filter(None, map(LINE.match, out.splitlines())):
                if int(m[1]) not in have:
                    have[int(m[1])] = m
                    f.write(m.string + "\n")
    return [have[k] for k in sorted(have) if k < seeds]


def short(x):
    return "never" if x == float("inf") else f"{x:.2f}" if x < 10 else f"{x:.1f}"


def cell(lines):
    held = sorted(float(m[3]) for m in lines)
    n = len(held)
    return f"{short(held[n // 2])}, {short(held[9 * (n - 1) // 10])} ({short(held[-1])})"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("folder")
    p.add_argument("-s", type=int, default=200)
    p.add_argument("-w", default="16,8,2,1")
    p.add_argument("recordings", nargs="*")
    asked = p.parse_intermixed_args()
    workers = [int(w) for w in asked.w.split(",")]
    os.makedirs(asked.folder, exist_ok=True)
    paths = asked.recordings or sorted(glob.glob(f"{SOURCE}/spaces/recordings/*-h200.times.zst"))
    rows, off, near, runs = {}, {w: 0 for w in workers}, [], {w: 0 for w in workers}
    for w in workers:
        for path in paths:
            name = os.path.basename(path).split("-h200.")[0]
            lines = play(asked.build, path, w, asked.s, os.path.join(asked.folder, f"{name}.{w}"))
            ends = sorted(float(m[4]) for m in lines[:WHOLE])
            rows.setdefault(name, []).append(f"{cell(lines)} | {short(ends[len(ends) // 2])}")
            off[w] += sum(float(m[5]) > 1 for m in lines)
            runs[w] += len(lines)
            count = sum(0.2 < float(m[5]) <= 1 for m in lines)
            near += [f"{name} {count} with {w}"] if count else []
            groups = [max(float(m[3]) for m in lines[k:k + 20]) for k in range(0, len(lines), 20)]
            rows[name][-1] += f" | {short(sorted(groups)[len(groups) // 2])}"
    print("| recording |" + "".join(f" {w}: to 0.2 % | ends | worst of 20 |" for w in workers))
    print("|---|" + "---|---|---|" * len(workers))
    for name in sorted(rows):
        print(f"| {name} | " + " | ".join(rows[name]) + " |")
    print("\nMore than 1 % off ended " + ", ".join(f"{off[w]} of {runs[w]} with {w}" for w in workers) + ".")
    print("Between 0.2 and 1 % off: " + (", ".join(near) or "none") + ".")


main()
