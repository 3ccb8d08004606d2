#!/usr/bin/env python3
"""Tunes the same space several times and says whether the runs agree on the winner.

    repeat.py [--runs N] APTUNE --space FILE [options of aptune]

Every run has a folder of its own; compiled code is shared.  Runs agree when they name the same
winner, or when each one's winner is in the tie set of every other run.  Returns 0 when they do.
"""
import json
import subprocess
import sys
import tempfile


def name(parameters):
    return " ".join(f"{k}={v}" for k, v in parameters.items())


def one_run(command, folder):
    done = subprocess.run(command + ["--json", "--output", folder], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def ties_of(result):
    return {name(f["parameters"]) for f in result["final"]["finalists"] if f["tied"]}


def describe(number, result, seconds):
    final, health = result["final"], result.get("health", {})
    clocks = f"{health.get('clock_low_mhz', 0):.0f} to {health.get('clock_high_mhz', 0):.0f} MHz"
    medians = {name(f["parameters"]): f["time_ms"] for f in final["finalists"]}
    winner = name(result["best"]["parameters"])
    print(f"run {number}: {winner}  {medians.get(winner, result['best']['time_ms']):.5f} ms; "
          f"{result['timed']} timed, {len(final['finalists'])} finalists, "
          f"{final['rounds']} rounds, {final['ties']} tied; {clocks}, "
          f"held back by: {health.get('held_back_by') or 'nothing'}; timing took {seconds:.1f} s",
          flush=True)


def main():
    arguments = sys.argv[1:]
    runs = 10
    if arguments[:1] == ["--runs"]:
        runs = int(arguments[1])
        arguments = arguments[2:]
    winners, ties = [], []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(runs):
            result = one_run(arguments, f"{folder}/{i}")
            winners.append(name(result["best"]["parameters"]))
            ties.append(ties_of(result))
            describe(i + 1, result, result["seconds"]["time"])
    common = set.intersection(*ties)
    agree = all(w in t for w in winners for t in ties)
    print(f"{len(set(winners))} winner(s) in {runs} runs; {len(common)} configuration(s) in every "
          f"run's tie set; every winner in every tie set: {'yes' if agree else 'NO'}")
    return 0 if agree or len(set(winners)) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
