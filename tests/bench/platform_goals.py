#!/usr/bin/env python3
"""What `aptune platform` found on an H200 beside what other measurements of one say, and one start beside another.

    platform_goals.py FOLDER [OTHER]

Folders as `aptune platform --output FOLDER` writes them (or --from, from recordings).  Expected are the cycles of a
multiply-add by its operands as they were measured with patched machine code, barriers, and the latencies of L1 and L2.
With OTHER, a second start of the machine: the numbers that are more than 2 % apart, each with its own standard error.
Ends with 1 where something is further off than it says.
"""
import csv
import pathlib
import re
import sys

# Stream of spaces/platform/ports.spec: cycles.
STREAMS = {0: 1.007, 1: 1.012, 2: 1.041, 3: 1.071, 4: 1.132, 5: 1.254, 6: 1.131, 7: 1.502, 8: 1.006}
ROUNDS = 600  # ports.spec: ROUNDS_LEAST
NUMBERS = {"latency_barrier": (11, 0.15), "latency_barrier_warp": (2, 0.02), "latency_l1": (34, 0.02), "latency_l2": (281, 0.02)}


def numbers_of(folder):
    found = {}
    for line in next(pathlib.Path(folder).glob("*.device")).read_text().splitlines():
        m = re.match(r"(\w+)\s*=\s*([-0-9.e+]+)(?: \+- ([-0-9.e+]+))?", line)
        if m and "aptune platform" in line:
            found[m[1]] = float(m[2]), float(m[3] or 0)
    return found


def cycles_of(folder):
    """Of a multiply-add, by stream: two warps of a scheduler, TIMES 3 less TIMES 1."""
    taken = {}
    with open(pathlib.Path(folder) / "points.csv", newline="") as f:
        for row in csv.DictReader(f):
            if row["fit"] in ("ports", "banks_of_registers"):
                at = dict(part.split("=") for part in row["configuration"].split(","))
                taken[int(at["STREAM"]), int(at["TIMES"])] = float(row["measured"])
    return {s: (taken[s, 3] - taken[s, 1]) / (2 * 512 * 2 * ROUNDS) for s in STREAMS}


def main():
    mine = numbers_of(sys.argv[1])
    wrong = False
    print("| what | expected | found | |\n|---|---|---|---|")
    rows = [(f"cycles of a multiply-add, stream {s}", STREAMS[s], c, 0.01) for s, c in cycles_of(sys.argv[1]).items()]
    rows += [(name, want, mine[name][0], within) for name, (want, within) in NUMBERS.items()]
    for what, want, found, within in rows:
        off = found / want - 1
        wrong = wrong or abs(off) > within
        print(f"| {what} | {want:g} | {found:.4g} | {100 * off:+.1f} % |")
    if len(sys.argv) > 2:
        other = numbers_of(sys.argv[2])
        both = [n for n in mine if n in other and mine[n] != other[n]]  # equal: neither fit gave it, the shipped one stands
        apart = [n for n in both if abs(other[n][0] / mine[n][0] - 1) > 0.02]
        print(f"\n{len(both) - len(apart)} of {len(both)} numbers are within 2 % on the other start.  The others:\n\n"
              "| number | here | there | |\n|---|---|---|---|")
        for n in apart:
            (a, e), (b, g) = mine[n], other[n]
            print(f"| {n} | {a:.5g} ± {e:.2g} | {b:.5g} ± {g:.2g} | {100 * (b / a - 1):+.1f} % |")
    sys.exit(wrong)


if __name__ == "__main__":
    main()
