#!/usr/bin/env python3
"""Compares what the profile says of others' kernels with hardware counters.

    first_counters.py APTUNE CLONES [WORD]

APTUNE is the program, CLONES a folder of clones of the repositories (their commits are named in the files), bare or not,
as CLONES/OWNER/NAME.  For each row of first-, more-, third- and fourth-specs.csv in tests/data/counters whose file has WORD
in its path: `init` writes the first spec, `explain` profiles the counted configuration for an H100.  Prints file,
instructions counted, instructions of the profile, their error, what the profile says of its uncertainty, and sectors where
they differ; then, for each of the four, how many of those that claim to be known are right.  Parameters that `init` makes
today and did not make then have their first value, which is the source's.
"""
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FILES = ("first-specs.csv", "more-specs.csv", "third-specs.csv", "fourth-specs.csv")
DATA = pathlib.Path(__file__).parent.parent / "data/counters"
COUNTED = "smsp__inst_executed.sum"
SECTORS = [f"l1tex__t_sectors_pipe_lsu_mem_global_op_{kind}.sum" for kind in ("ld", "st", "red", "atom")]
KNOWN = 0.01  # most uncertainty of what claims to be known
SECONDS = 120  # for one command


def read(name, word):
    with (DATA / name).open(encoding="utf-8") as text:
        for row in csv.DictReader(line for line in text if not line.startswith("#")):
            if word in row["file"]:
                yield {"repository": "zjin-lcf/HeCBench", **row}


def unpack(clones, repository, path, folder):
    """What is beside a file of HeCBench, whose folders are projects; of other repositories all that the clone holds."""
    near = pathlib.PurePath(path).parent
    wanted = [[str(near)]] if repository.endswith("HeCBench") else [[], list(near.parts[:1])]
    for where in wanted:  # a clone without all its objects ends before the file: then the folder that holds it, too
        if os.path.exists(os.path.join(folder, path)):
            break
        archive = ["git", "-C", os.path.join(clones, repository), "archive", "HEAD", *where]
        with subprocess.Popen(archive, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as packed:
            subprocess.run(["tar", "x", "-C", folder], stdin=packed.stdout, check=False, stderr=subprocess.DEVNULL)


def configuration(spec, counted):
    """The counted one in the parameters of today's spec."""
    then = dict(part.split("=", 1) for part in counted.split() if "=" in part)
    now = {}
    for line in pathlib.Path(spec).read_text(encoding="utf-8").splitlines():
        found = re.match(r"param (\w+) in ([^#]*)", line)
        if found:
            values = [value.strip().strip('"') for value in found[2].split(",")]
            was = then.get(found[1], "")
            now[found[1]] = was if was in values else values[0]
    return " ".join(f"{name}={value}" for name, value in now.items())


def is_launch(row, found):
    return all("x".join(map(str, found[what])) == row[what] for what in ("grid", "block"))


def profile(aptune, clones, row):
    """Profile of the row's configuration and its launch; a sentence where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            unpack(clones, row["repository"], row["file"], folder)
            spec = os.path.join(folder, "first.spec")
            quiet = {"capture_output": True, "timeout": SECONDS, "check": True}
            subprocess.run([aptune, "init", os.path.join(folder, row["file"]), "--output", spec], **quiet)
            chosen = configuration(spec, row["configuration"])
            explain = [aptune, "explain", spec, chosen, "--arch", "h100", "--json", "--no-gpu", "--no-lines"]
            said = subprocess.run([*explain, "--recordings", folder], **quiet).stdout
            found = json.loads(said)["configurations"][0]
            return found if is_launch(row, found) else "was counted in another launch"
        except subprocess.TimeoutExpired:
            return f"not done in {SECONDS} s"
        except subprocess.CalledProcessError as error:
            return (error.stderr or b"").decode().strip().split("\n")[-1][:90] or "fails"


def compare(row, found):
    """The row's figures: counted, said, uncertainty, sectors counted and said, whether a sample stands for them."""
    facts = found["profile"]
    warps = facts["warps_per_block"] * facts["blocks"]
    said = [warps * facts[name] for name in ("issued", "global_sectors")]
    return {
        "counted": float(row[COUNTED]),
        "said": said[0],
        "uncertainty": facts["uncertainty_issued"],
        "sectors": sum(float(row[name]) for name in SECTORS),
        "sectors_said": said[1],
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


def judge(name, aptune, clones, word):
    rows = list(read(name, word))
    errors = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for row, found in zip(rows, pool.map(lambda row: profile(aptune, clones, row), rows)):
            if isinstance(found, str):
                print(f"{row['file'].removeprefix('src/'):44} {found}")
                continue
            figures = compare(row, found)
            error = show(row, figures)
            if figures["uncertainty"] < KNOWN:
                errors.append(error)
    right = [sum(error <= most for error in errors) for most in (0.0005, 0.01)]
    worst = max(errors, default=math.nan)
    print(f"{name}: {len(errors)} claim to be known, {right[0]} within 0.05 %, {right[1]} within 1 %, worst {100 * worst:.1f} %")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.split("\n")[2].strip())
    for name in FILES:
        judge(name, *sys.argv[1:3], sys.argv[3] if len(sys.argv) == 4 else "")


if __name__ == "__main__":
    main()
