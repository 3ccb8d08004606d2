#!/bin/sh
# How well the prediction chooses, a row for each recording, as spaces/recordings/README.md has it.
#
#     accuracy.sh BUILD [RECORDING...]
#
# Performance of what is found, of the best of the recording: the first by predicted_cycles, without any timing;
# the fastest of the first 8 and of the first 16; and the rank correlation of prediction and time.
set -eu
build=$1
shift
source=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- "$source"/spaces/recordings/*.times.zst
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

echo "| recording | configurations | first | best of 8 | best of 16 | rank correlation |"
echo "|---|---|---|---|---|---|"
for times; do
    "$build/aptune" study "$times" --seeds 0 --output "$folder/study" --json \
        --carve 'carve best 1 by predicted_cycles' --carve 'carve best 8 by predicted_cycles' \
        --carve 'carve best 16 by predicted_cycles' >"$folder/out.json" 2>"$folder/messages" ||
        { cat "$folder/messages" >&2; continue; }
    jq -r --arg name "$(basename "$times" -h200.times.zst)" '
        (.metrics[] | select(.metric == "predicted_cycles")) as $m |
        [.carvings[] | select(.carving | test("^carve [123]$")) | 1 / (1 + .regret)] as $p |
        [$name, .carvings[0].distinct] + $p + [$m.rank_correlation] | @tsv' "$folder/out.json"
done | awk -F'\t' '
    { printf "| %s | %d | %.1f %% | %.1f %% | %.1f %% | %.3f |\n", $1, $2, 100 * $3, 100 * $4, 100 * $5, $6
      for (i = 3; i <= 5; i++) { sum[i] += log($i); if (!n || $i < least[i]) least[i] = $i }
      n++ }
    END { if (n) { printf "| geometric mean | |"
          for (i = 3; i <= 5; i++) printf " %.1f %% |", 100 * exp(sum[i] / n)
          printf " |\n| least | |"
          for (i = 3; i <= 5; i++) printf " %.1f %% |", 100 * least[i]
          print " |" } }'
