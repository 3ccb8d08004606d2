#!/usr/bin/env bats
# aptune study on the shipped recordings: tables, files, report.
load common

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

@test "the JSON of a study says what its tables say" {
    study "$transpose" --output out --seeds 3 --json
    status_is 0
    json '.carvings[0].configurations == 296 and .carvings[0].regret >= 0'
    json '[.metrics[] | select(.metric == "predicted_cycles")][0].rank_correlation > 0.5'
    json '.budgets[-1].regret == 0 and .budgets[-1].timed == 296'
    json '[.budgets[].random_regret] | . == (sort | reverse)'
    json '[.searches[] | select(.within_5 > .within_1)] == []'
    cmp <(jq -S . out/study.json) <(jq -S . <<<"$output")
}

@test "two studies of the same recordings are the same" {
    study "$transpose" --output one --seeds 10 --bootstrap 50
    status_is 0
    study "$transpose" --output two --seeds 10 --bootstrap 50
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
    status_is 1
    has "$stderr" "mine.metrics:1:[0-9]+: error: .*did you mean 'l2_cycles'"
    [ ! -e out ]
}

@test "without a profile only the times are studied, and that is said" {
    cp "$transpose" alone.times.zst
    study alone.times.zst --output out --seeds 3
    status_is 0
    has "$stderr" "there is no 'alone.profile.zst'"
    has "$output" '^transpose +random '
    lacks "$output" '^Metrics side'
    lacks "$output" '^Size against'
}

@test "weights of metrics are fitted, and judged on each space left out" {
    study "$transpose" "$transpose" --output out --seeds 0 --fit bound_cycles,crowd_cycles --json
    status_is 0
    json '(.fits | length) == 3 and [.fits[].left_out] == ["transpose","transpose","none"]'
    json '.fits[0].error > 0 and .fits[0].regret >= 0 and .fits[2].points == 592'
    study "$transpose" --output out --seeds 0 --fit bound_cycle
    status_is 1
    has "$stderr" "no metric 'bound_cycle'"
}

@test "what is no recording is refused" {
    echo hello >no.times
    study no.times --output out
    status_is 1
    has "$stderr" 'no.times'
    study --output out
    status_is 2
    has "$stderr" 'which recordings'
}

@test "the default carving is within 1 % of the best of every recorded space, in its budget" {
    study "$SOURCE"/spaces/recordings/*.times.zst --output out --seeds 0 --json
    status_is 0
    json '[.carvings[] | select(.carving == "default")] | length == 18'
    json '[.carvings[] | select(.carving == "default" and (.regret <= 0.01 | not)) | .space] == []'
    json '[.carvings[] | select(.carving == "default") |
           select(.timed > ([.distinct / 100, ([40, .distinct / 10] | min)] | max)) | .space] == []'
}

@test "the report opens in a browser from disk: pictures with tips, nothing missing, no script" {
    command -v chromium >/dev/null || skip "no chromium here"
    study "$transpose" --output out --seeds 3
    status_is 0
    run --separate-stderr chromium --headless --no-sandbox --disable-gpu --dump-dom \
        "file://$PWD/out/report.html"
    status_is 0
    pictures=$(grep -c '<svg' <<<"$output")
    [ "$pictures" -ge 15 ]
    has "$output" '<title>TILE=[0-9]+.*: [0-9.]+ ms'
    lacks "$output" '<script'
    lacks "$output" '(href|src)="http'
    # A picture with an error in it would be cut off: every one ends, and the page's own last words
    # are there.
    [ "$(grep -c '</svg>' <<<"$output")" -eq "$pictures" ]
    has "$output" 'Written by aptune'
}
