#!/usr/bin/env bats
# aptune study on the shipped recordings: tables, files, report.
load common
holds='.*'
held_files=csv

study() {
    run --separate-stderr "$APTUNE" study "$@"
}

transpose=$SOURCE/spaces/recordings/transpose-h200.times.zst

@test "a study prints the tables and writes them with report and pictures" {
    study "$transpose" --output out --seeds 5
    status_is 0
    [ -z "$stderr" ]
    has "$output" '^Carvings: '
    has "$output" '^transpose +[a-z_]+ .* 296 +296 '
    has "$output" '^transpose +predicted_cycles +296 '
    has "$output" '^transpose +greedy '
    for file in report.html study.json carvings.csv samples.csv metrics.csv budgets.csv searches.csv; do
        [ -s "out/$file" ]
    done
    [ -s out/pictures/transpose-tradeoff.svg ]
    [ -s out/pictures/transpose-samples.svg ]
}

@test "studied together, all spaces stand in one picture by timings and in one by seconds" {
    study "$transpose" "$SOURCE/spaces/recordings/sync-h200.times.zst" --output out --seeds 1
    [ "$status" -eq 0 ]
    for name in timings seconds; do
        [ -s "out/pictures/all-$name.pdf" ]
        # A thin line for each space, in both colours, and the mean of each.
        [ "$(grep -c '<g class="thin ' "out/pictures/all-$name.svg")" -eq 4 ]
        [ "$(grep -c '<g class="line ' "out/pictures/all-$name.svg")" -eq 2 ]
    done
    has "$(cat out/report.html)" '<figure id="all-seconds">'
    study "$transpose" --output alone --seeds 0
    [ ! -e alone/pictures/all-timings.svg ]
}

@test "the JSON of a study says what its tables say" {
    study "$transpose" --output out --seeds 3 --json
    status_is 0
    json '.carvings[0].configurations == 296 and .carvings[0].regret >= 0'
    json '[.metrics[] | select(.metric == "predicted_cycles")][0].rank_correlation > 0.5'
    json '.budgets[-1].regret == 0 and .budgets[-1].timed == 296'
    json '[.budgets[].random_regret] | . == (sort | reverse)'
    json '(.searches | length) == 28 and ([.searches[] | select(.seconds_1 > .seconds_02)] == [])'
    json '[.searches[] | select(.cores == 16 and .strategy == "search")][0] | .seconds_02 > 0 and .regret_100 == 0'
    [ -s out/pictures/transpose-race-16.svg ]
    cmp <(jq -S . out/study.json) <(jq -S . <<<"$output")
}

@test "two studies of the same recordings are the same" {
    study "$transpose" --output one --seeds 1 --bootstrap 10
    status_is 0
    study "$transpose" --output two --seeds 1 --bootstrap 10
    status_is 0
    diff -r one two
}

@test "metrics of one's own stand beside the shipped ones" {
    echo 'metric mine lower "bytes" "All that is read." = l2_cycles * 2' >mine.metrics
    study "$transpose" --output out --metrics mine.metrics --seeds 0
    status_is 0
    has "$output" '^transpose +mine '
    lacks "$output" '^transpose +greedy '
}

@test "a mistake in a metrics file is shown where it is" {
    echo 'metric mine lower "bytes" "All that is read." = l2_cycle * 2' >mine.metrics
    study "$transpose" --output out --metrics mine.metrics
    status_is 2
    has "$stderr" "mine.metrics:1:[0-9]+: error: .*did you mean 'l2_cycles'"
    [ ! -e out ]
}

@test "carvings of one's own stand beside the shipped ones, in all tables" {
    echo 'metric mine lower "cycles" "Made up." = predicted_cycles * 2' >mine.metrics
    printf '# of transpose\ncarve VEC > 1\ncarve best 9 by mine\n' >narrow.carving
    study "$transpose" --output out --metrics mine.metrics --seeds 0 \
        --carve 'spill_bytes == 0; front bound_cycles, latency_cycles; polish 3' \
        --carve-file narrow.carving --carve 'best 296 by mine'
    status_is 0
    [ -z "$stderr" ]
    has "$output" '^transpose +carve 1 +296 +296 '
    has "$output" '^transpose +narrow.carving +296 +296 +9 '
    has "$output" '^transpose +carve 2 +296 +296 +296 '
    has "$output" '^transpose +narrow.carving +2 +[0-9]+ +9 +0 +carve best 9 by mine'
    grep -q '^transpose,carve 1,' out/carvings.csv
    grep -q '^transpose,carve 1,3,.*,polish 3$' out/stages.csv
    grep -q 'narrow.carving' out/report.html
    grep -q '<tr><th>carving</th><td><pre>spill_bytes == 0' out/report.html
    run jq . out/study.json
    json '[.carvings[].carving] ==
          ["default", "best by predicted_cycles", "thesis front", "carve 1", "narrow.carving", "carve 2"]'
    json '.carvings[5].regret == 0 and .carvings[4].timed == 9'
    json '[.stages[] | select(.carving == "carve 1") | .statement] ==
          ["spill_bytes == 0", "front bound_cycles, latency_cycles", "polish 3"]'
}

@test "mm's own statements choose in a study what the run selects" {
    # A run selects 100: tests/cli/matmul.bats.
    study "$SOURCE/spaces/recordings/mm-core-h200.times.zst" --output out --seeds 0 --json \
        --carve "$(grep -E '^(carve|polish) ' "$SOURCE/spaces/mm-core.spec")"
    status_is 0
    json '.carvings[3].timed == 100 and .carvings[3].regret == 0'
    json '[.stages[] | select(.carving == "carve 1") | .left] == [68, 100]'
}

@test "mistakes in a carving are shown where they are, and nothing is written" {
    study "$transpose" --output out --carve 'best 9 by predicted_cycle; VECT > 1' --carve 'front bound_cycles'
    status_is 2
    has "$stderr" "^--carve:1:11: error: unknown metric 'predicted_cycle'; did you mean 'predicted_cycles'\?"
    has "$stderr" "^--carve:1:28: error: unknown name 'VECT'; did you mean 'VEC'\?"
    has "$stderr" '^--carve:1:1: error: a front needs two or more metrics'
    study "$transpose" --output out --carve 'sum(sync_regions, region_instr) > 3'
    status_is 2
    has "$stderr" "^--carve:1:19: error: 'region_instr' is a column of a profile's regions: sum it in a metric"
    has "$stderr" '^ +\^~+'
    [ ! -e out ]
    echo 'best 9 buy predicted_cycles' >wrong.carving
    study "$transpose" --output out --carve-file wrong.carving
    status_is 2
    has "$stderr" "^wrong.carving:1:8: error: expected 'by'"
    study "$transpose" --output out --carve-file none.carving
    status_is 2
    has "$stderr" 'none.carving'
}

@test "what a carving cannot compute is marked as unknown and counted" {
    study "$transpose" --output out --seeds 0 --json --carve '1 / (VEC - 1) > 0'
    status_is 0
    has "$stderr" '^--carve:1:1: warning: division by zero for [0-9]+ configurations: unknown here'
    json '[.stages[] | select(.carving == "carve 1")][0] | .unknown > 0 and .before == .left + .unknown'
}

@test "without a profile only the times are studied, and that is said" {
    cp "$transpose" alone.times.zst
    study alone.times.zst --output out --seeds 3
    status_is 0
    has "$stderr" "there is no 'alone.profile.zst'"
    has "$output" '^transpose +random '
    lacks "$output" '^Metrics side'
    lacks "$output" '^Carvings'
    lacks "$output" '^Stages'
    lacks "$output" '^Size against'
}

@test "weights of metrics are fitted, and judged on each space left out" {
    study "$transpose" "$transpose" --output out --seeds 0 --fit bound_cycles,latency_cycles --json
    status_is 0
    json '(.fits | length) == 3 and [.fits[].left_out] == ["transpose","transpose-2","none"]'
    json '.fits[0].error > 0 and .fits[0].regret >= 0 and .fits[2].points == 592'
    study "$transpose" --output out --seeds 0 --fit bound_cycle
    status_is 2
    has "$stderr" "--fit: unknown metric 'bound_cycle'; did you mean 'bound_cycles'"
}

@test "what is no recording is refused" {
    echo hello >no.times
    study no.times --output out
    status_is 2
    has "$stderr" 'no.times'
    study --output out
    status_is 2
    has "$stderr" 'which recordings'
}

# Farther off: one of spmv's two (held out on 2026-11-22) by 7.2 %, the sample of mm by 3.1 %.
@test "the default carving is within 2 % of the best of every recorded space but two, in its budget" {
    local recordings=("$SOURCE"/spaces/recordings/*.times.zst)
    study "${recordings[@]}" --output out --seeds 0 --json
    status_is 0
    json "[.carvings[] | select(.carving == \"default\")] | length == ${#recordings[@]}"
    json '[.carvings[] | select(.carving == "default" and (.regret <= 0.02 | not)) | .space] -
          ["mm", "spmv-2"] == []'
    json '[.carvings[] | select(.carving == "default") |
           select(.timed > ([.distinct / 100, ([40, .distinct / 10] | min)] | max)) | .space] == []'
}

@test "a metric of which more is better cannot stand for the time" {
    study "$transpose" --output out --seeds 0 --guess efficiency
    status_is 2
    has "$stderr" "of 'efficiency' higher is better, so it cannot predict the time"
    [ ! -e out ]
}

@test "recordings of one space have names of their own in every table, and say where they come from" {
    cp "$transpose" other.times.zst
    study "$transpose" other.times.zst --output out --seeds 1 --json
    status_is 0
    json '[.[] | map(.space // empty)[]] | unique == ["transpose", "transpose-2"]'
    json '[.recordings[].space] == ["transpose", "transpose-2"]'
    json '.recordings[1] | .recording == "other.times.zst" and .device == "NVIDIA H200"'
}

@test "a metric that is the same for all is worth what a random sample is" {
    echo 'metric same lower "1" "The same for all." = 1' >same.metrics
    study "$transpose" --output out --seeds 0 --metrics same.metrics --json
    status_is 0
    json '([.metrics[] | select(.metric == "same")][0].regret) as $regret |
          ([.carvings[] | select(.carving == "default")][0].random_regret) as $random |
          ($regret - $random | fabs) < 1e-9 and $random > 0.005'
}
