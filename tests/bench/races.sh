#!/bin/sh
# The default run beside other strategies, a row for each recording, as spaces/recordings/README.md has it: seconds until
# a time within 0.2 % of the best recorded is held, by the cost model of a study, median and worst of the seeds.
#
#     races.sh BUILD SEEDS [RECORDING...]
#
# With 16 cores and with one; the rival is the one with the least median there.
set -eu
build=$1
seeds=$2
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- "$source"/spaces/recordings/*.times.zst
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

echo "| recording | search, 16 cores | best rival | search, 1 core | best rival | grey wolf | timed to 1 %, 1 core: search, grey wolf |"
echo "|---|---|---|---|---|---|---|"
for times; do
    "$build/aptune" study "$times" --seeds "$seeds" --output "$folder/study" --json >"$folder/out.json" 2>"$folder/messages" ||
        { cat "$folder/messages" >&2; continue; }
    jq -r --arg name "$(basename "$times" -h200.times.zst)" '
        def s: if . == null then "never" elif . < 10 then . * 100 | round | . / 100 else . * 10 | round | . / 10 end;
        def both: "\(.seconds_02 | s) (\(.seconds_02_worst | s))";
        def of($name; $cores): .searches[] | select(.strategy == $name and .cores == $cores);
        def rival($cores): [.searches[] | select(.strategy != "search" and .cores == $cores)] |
            min_by(.seconds_02 // infinite) | "\(.strategy) \(both)";
        "| \($name) | \(of("search"; 16) | both) | \(rival(16)) | \(of("search"; 1) | both) | \(rival(1)) | " +
        "\(of("grey wolf"; 1) | both) | \(of("search"; 1).timed_1), \(of("grey wolf"; 1).timed_1) |"' "$folder/out.json"
done
