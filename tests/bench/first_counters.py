#!/usr/bin/env python3
"""Compares what the profile says of others' kernels with hardware counters.

    first_counters.py APTUNE REPOSITORY [WORD]

APTUNE is the program, REPOSITORY a clone of zjin-lcf/HeCBench (its commit is named in the files), bare or not.  For each
row of first-specs.csv and more-specs.csv in tests/data/counters whose file has WORD in its path: `init` writes the first
spec, `explain` profiles the counted configuration for an H100.  Prints file, instructions counted, instructions of the
profile, their error, what the profile says of its uncertainty, and sectors where they differ; then how many of those that
claim to be known are right.
"""
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).parent.parent / "data/counters"
COUNTED = "smsp__inst_executed.sum"
SECTORS = [f"l1tex__t_sectors_pipe_lsu_mem_global_op_{kind}.sum" for kind in ("ld", "st", "red", "atom")]
KNOWN = 0.01  # most uncertainty of what claims to be known
SECONDS = 120  # for one command


def read(word):
    for name in ("first-specs.csv", "more-specs.csv"):
        with (DATA / name).open(encoding="utf-8") as text:
            for row in csv.DictReader(line for line in text if not line.startswith("#")):
                if word in row["file"]:
                    yield row


def unpack(repository, folder, path):
    archive = ["git", "-C", repository, "archive", "HEAD", str(pathlib.PurePath(path).parent)]
    with subprocess.Popen(archive, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as packed:
        subprocess.run(["tar", "x", "-C", folder], stdin=packed.stdout, check=True, stderr=subprocess.DEVNULL)


def profile(aptune, repository, row):
    """Profile of the row's configuration and its launch; a sentence where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            unpack(repository, folder, row["file"])
            spec = os.path.join(folder, "first.spec")
            quiet = {"capture_output": True, "timeout": SECONDS, "check": True}
            subprocess.run([aptune, "init", os.path.join(folder, row["file"]), "--output", spec], **quiet)
            explain = [aptune, "explain", spec, row["configuration"], "--arch", "h100", "--json", "--no-gpu", "--no-lines"]
            said = subprocess.run([*explain, "--recordings", folder], **quiet).stdout
            return json.loads(said)["configurations"][0]
        except subprocess.TimeoutExpired:
            return f"not done in {SECONDS} s"
        except subprocess.CalledProcessError as error:
            return (error.stderr or b"").decode().strip().split("\n")[-1][:90] or "fails"


def compare(row, found):
    """The row's figures: counted, said, uncertainty, sectors counted and said, whether a sample stands for them."""
    facts = found["profile"]
    warps = facts["warps_per_block"] * facts["blocks"]
    said = [warps * facts[name] for name in ("issued", "global_sectors", "atomic_sectors")]
    return {
        "counted": float(row[COUNTED]),
        "said": said[0],
        "uncertainty": facts["uncertainty_issued"],
        "sectors": sum(float(row[name]) for name in SECTORS),
        "sectors_said": said[1] + said[2],
        "sampled": facts["accesses_sampled"] or facts["accesses_unknown"],
    }


def show(row, figures):
    error = figures["said"] / figures["counted"] - 1
    name = row["file"].removeprefix("src/")
    line = f"{name:44} {figures['counted']:14.0f} {figures['said']:14.0f} {100 * error:+8.2f} % {figures['uncertainty']:.4f}"
    if abs(figures["sectors_said"] - figures["sectors"]) > 0.5:
        sampled = " (sampled)" if figures["sampled"] else ""
        line += f"  sectors {figures['sectors']:.0f}, said {figures['sectors_said']:.0f}{sampled}"
    print(line, flush=True)
    return abs(error)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.split("\n")[2].strip())
    rows = list(read(sys.argv[3] if len(sys.argv) == 4 else ""))
    errors = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda row: profile(sys.argv[1], sys.argv[2], row), rows)
        for row, one in zip(rows, found):
            if isinstance(one, str):
                print(f"{row['file'].removeprefix('src/'):44} {one}")
                continue
            figures = compare(row, one)
            error = show(row, figures)
            if figures["uncertainty"] < KNOWN:
                errors.append(error)
    right = [sum(error <= most for error in errors) for most in (0.0005, 0.01)]
    worst = max(errors, default=math.nan)
    print(f"{len(errors)} claim to be known: {right[0]} within 0.05 %, {right[1]} within 1 %, worst {100 * worst:.1f} %")


if __name__ == "__main__":
    main()
