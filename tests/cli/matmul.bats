#!/usr/bin/env bats
# The shipped matrix multiply, counted and replayed from its recording.
load common
holds='.*'
held_files=csv

# One plain run, which several tests look at.
setup_file() {
    set_up_file
    cd "$BATS_FILE_TMPDIR" || return
    "$APTUNE" --no-gpu --carve --space "$SOURCE/spaces/mm-core.spec" >said 2>complained
}

mm() {
    tune --space "$SOURCE/spaces/mm-core.spec" "$@"
}

# The names of parameters and values of the first row of configurations.csv that matches, as --why wants them.
named() {
    awk -F, -v pattern="$1" 'NR == 1 { for (n = 1; $n != "code"; n++) name[n] = $n; next }
        $0 ~ pattern { for (i = 1; i < n; i++) printf "%s%s=%s", (i > 1 ? " " : ""), name[i], $i; exit }' plain/configurations.csv
}

@test "the matrix multiply is counted without a device" {
    mm --dry-run --recordings "$BATS_TEST_TMPDIR"
    status_is 0
    has "$output" '^times +none, and no device is known'
    has "$output" '^product +4,665,600  points'
    has "$output" '^valid +10,768  configurations'
    has "$output" '^tier 0 +not judged'

    mm --dry-run --recordings "$BATS_TEST_TMPDIR" --json
    status_is 0
    json '.points == 4665600 and .configurations == 10768 and .device == null'
    json '.points - ([.constraints[].rejected] | add) == .configurations'
}

@test "a replay says so at once, and from what it is" {
    output=$(<"$BATS_FILE_TMPDIR/said")
    has "$(head -n 2 <<<"$output")" '^times +REPLAYED from .*/mm-core-h200.times.zst: measured on NVIDIA H200 on 20'
    has "$output" '^profiles +10,768  0 failed'
    lacks "$output" '[0-9] ms .*\(measured\)'
    [ ! -s "$BATS_FILE_TMPDIR/complained" ]
}

@test "without carve lines a hundredth is timed, and what it finds is as good as the best" {
    mkdir spaces
    ln -s "$SOURCE/templates" templates
    sed -E '/^(carve|polish) /d' "$SOURCE/spaces/mm-core.spec" >spaces/mm-core.spec

    tune --carve --space spaces/mm-core.spec --recordings "$SOURCE/spaces/recordings" --json

    status_is 0
    [ -z "$stderr" ]
    json '.distinct <= .configurations and .timed == .selected and .stale == 0'
    json '.selected <= .distinct / 100 and .selected > .distinct / 100 - 1'
    json '.relative_performance >= 0.99'
}

@test "the JSON of a replay is one object and agrees with itself" {
    mm --carve --json
    status_is 0
    [ -z "$stderr" ]
    [ "$(jq -s length <<<"$output")" -eq 1 ]
    json '.space == "mm-core" and .device == "NVIDIA H200" and .arch == "sm_90" and .source == "replayed"'
    json '.configurations == 10768 and .compiled + .failed + .unlaunchable == 10768 and .distinct <= .compiled'
    json '.selected == .timed and .selected == 100 and .wrong == 0 and .stale == 0 and .selected < .distinct'
    json '(.best.parameters | keys) == (["BM","BN","BK","TM","TN","VEC","TRANSPOSE_A","STRIDED",
        "PAD","PREFETCH","UNROLL","MIN_BLOCKS"] | sort)'
    json '.best.metrics.efficiency > 0 and .best.metrics.utilization > 0'
    json '.relative_performance > 0 and .relative_performance <= 1'
    json '.relative_performance > 0.9 and .relative_performance <= 1 and .exhaustive_best_ms > 0'
    json '[.seconds[] >= 0] == [true, true, true, true, true]'
    json '.workers_started == 0'
}

@test "an exhaustive replay finds the best that the recording has" {
    mm --json --exhaustive
    status_is 0
    json '.selected == .compiled and .relative_performance == 1'
    json '.relative_performance == 1 and .best.time_ms < 1.01 * .exhaustive_best_ms' # or tied with it
}

@test "--why tells of a survivor, of one that was cut and of one that polish timed" {
    carved() {
        tune --space "$SOURCE/spaces/transpose.spec" --emit none --carve 'best 7 by predicted_cycles; polish 3' "$@"
        status_is 0
    }
    local survivor cut polished
    carved --output plain
    survivor=$(named ': survives')
    cut=$(named ',ok,0,,.*stage 1')
    polished=$(named 'timed anyway: chosen')

    carved --why "$survivor"
    has "$output" "^$survivor: survives"
    has "$output" '^replayed: ok, [0-9.]+ ms'

    carved --why "$cut"
    has "$output" "^$cut: dropped by stage 1, 'best 7 by predicted_cycles'"
    lacks "$output" '^replayed: ok'

    carved --json --why "$polished"
    json ".why | startswith(\"$polished: dropped by stage 1, \")"
    json '.why | contains("chosen from the times so far")'
}

# What may be chosen at a size, and whether a tile of so many steps in one chain may.
chains() {
    tune --space "$SOURCE/spaces/mm.spec" --recordings "$BATS_TEST_TMPDIR" --dry-run --json --problem "M=512,N=512,K=$1,LONGEST=$2"
    status_is 0
    count=$(jq .configurations <<<"$output")
}

@test "a bound on chains of additions takes away what adds up more, and nothing of short sums" {
    chains 4096 0
    all=$count
    chains 4096 128
    [ "$count" -lt "$all" ] && [ "$count" -gt 1000000 ]
    chains 128 0
    all=$count
    chains 128 128
    [ "$count" -eq "$all" ]
}
