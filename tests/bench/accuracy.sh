#!/bin/sh
# How well the prediction does, a row for each recording, as spaces/recordings/README.md has it.
#
#     accuracy.sh BUILD [RECORDING...]
#
# Performance of what is found, of the best of the recording: the first by predicted_cycles, without any timing;
# the fastest of the first 8 and of the first 16; the rank correlation of prediction and time; and how far the
# predicted time is from the measured one, |predicted / measured - 1|: median, 90th percentile, share within 5 %.
# Recordings of energy are left out: what is predicted is a time.
set -eu
build=$1
shift
source=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- "$source"/spaces/recordings/*.times.zst
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

echo "| recording | configurations | first | best of 8 | best of 16 | rank correlation | error | of 9 in 10 | within 5 % |"
echo "|---|---|---|---|---|---|---|---|---|"
for times; do
    if zstd -dc "$times" 2>/dev/null | head -n 1 | grep -q '"objective":"energy"'; then continue; fi
    "$build/aptune" study "$times" --seeds 0 --output "$folder/study" --json >"$folder/out.json" 2>"$folder/messages" ||
        { cat "$folder/messages" >&2; continue; }
    jq -r --arg name "$(basename "$times" .times.zst | sed "s,-h[12]00$,,")" '.guesses[] |
        [$name, .known, .first, .best_of_8, .best_of_16, .rank_correlation, .error, .error_90, .within_5] | @tsv' \
        "$folder/out.json"
done | awk -F'\t' '
    function median(column,   i, k, n, t) {
        for (i = 1; i <= rows; i++) sorted[i] = cell[i, column]
        for (i = 2; i <= rows; i++)
            for (k = i; k > 1 && sorted[k - 1] > sorted[k]; k--) { t = sorted[k]; sorted[k] = sorted[k - 1]; sorted[k - 1] = t }
        return rows % 2 ? sorted[(rows + 1) / 2] : (sorted[rows / 2] + sorted[rows / 2 + 1]) / 2
    }
    { printf "| %s | %d | %.1f %% | %.1f %% | %.1f %% | %.3f | %.1f %% | %.1f %% | %.0f %% |\n",
          $1, $2, 100 * $3, 100 * $4, 100 * $5, $6, 100 * $7, 100 * $8, 100 * $9
      rows++
      for (i = 3; i <= 9; i++) cell[rows, i] = $i + 0
      for (i = 3; i <= 5; i++) { sum[i] += log($i); if (rows == 1 || $i < least[i]) least[i] = $i } }
    END { if (rows) { printf "| geometric mean, median of errors | |"
          for (i = 3; i <= 5; i++) printf " %.1f %% |", 100 * exp(sum[i] / rows)
          printf " | %.1f %% | %.1f %% | |\n| least | |", 100 * median(7), 100 * median(8)
          for (i = 3; i <= 5; i++) printf " %.1f %% |", 100 * least[i]
          print " | | | |" } }'
