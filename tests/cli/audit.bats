#!/usr/bin/env bats
# --audit: dropped configurations timed all the same.  On replays of shipped recordings the whole
# space is known, so what the audit says can be held against it; on GPUs that make their times up it
# must share, stop and go on as other trials do.
load common
holds='.*'
held_files=csv

replay() {
    run --separate-stderr "$APTUNE" --carve --space "$SOURCE/spaces/$1.spec" --no-gpu --output out "${@:2}"
}

run_fake() {
    run --separate-stderr "$fake" --carve --space space/many.spec --jobs 2 "$@"
}

# Names and times of what the table in ./out calls audited: columns are counted from the right,
# since reasons, the last one, have commas of their own.
audited() { sed -n 's/,1,"\([^:]*\):.*drawn at random (--audit).*/,\1/p' out/configurations.csv; }

@test "a replayed audit times so many of the dropped, and nothing else changes" {
    replay transpose --json
    status_is 0
    plain=$(jq 'del(.seconds, .ledger, .timed)' <<<"$output")
    jq 'has("audit") | not' <<<"$output" | grep -qx true
    replay transpose --json --audit 30
    status_is 0
    json '.audit.audited == 30 and .audit.drawn == 30 and .timed == .selected + 30'
    json '.audit.dropped == .distinct - .selected and .audit.seed == 1'
    [ "$(jq 'del(.seconds, .ledger, .timed, .audit)' <<<"$output")" = "$plain" ]
    [ "$(audited | wc -l)" -eq 30 ]
    [ "$(head -n 1 out/configurations.csv | grep -c ',audited,why$')" -eq 1 ]
}

@test "the report says what the sample implies" {
    replay transpose --audit 30 --audit-seed 4
    status_is 0
    has "$output" '^audit +30 of the 267 dropped, drawn with seed 4: [0-9]+ better than the winner by more than 0.5 %$'
    has "$output" '^ +the fastest of them takes [0-9.]+ ms, [-+][0-9.]+ %: TILE=[0-9]+ '
    has "$output" '^ +so at most [0-9.]+ % of the dropped, [0-9]+, are better \(95 % confidence\)$'
    has "$output" '^recall +[0-9]+ of the chosen are within 1 % of the winner or better, and [0-9]+ of those drawn: [0-9.]+ %, at least [0-9.]+ %$'
    has "$output" '^regret +[0-9.]+ % seen; at most [0-9.]+ % of the dropped, [0-9]+, would show more \(95 % confidence\)$'
    has "$output" '^saved +timing 29 of 296 '
}

@test "an audit of all that was dropped says what the recording says" {
    replay transpose --audit 100000 --json
    status_is 0
    json '.audit.audited == .audit.dropped and .audit.regret_but_for_share == 0'
    json '.audit.better_high == .audit.better and .audit.recall == .audit.recall_low'
    # The best recorded time is the winner's, an audited one's, or of one that ties with the winner.
    json '([.best.time_ms, .audit.fastest.time_ms] | min) as $best |
          ($best / .exhaustive_best_ms - 1) | . < 0.005 and . > -1e-9'
    replay transpose --audit 100000
    has "$output" 'that is all of them: regret [0-9.]+ %, recall [0-9.]+ %$'
}

@test "bounds of audits hold for the true number in nineteen of twenty draws" {
    replay transpose --audit 100000 --json
    truth=$(jq .audit.better <<<"$output")
    near=$(jq .audit.recall <<<"$output")
    wrong=0 low=0
    for seed in $(seq 1 20); do
        replay transpose --audit 40 --audit-seed "$seed" --json
        status_is 0
        jq -e ".audit.better_high >= $truth" <<<"$output" >/dev/null || wrong=$((wrong + 1))
        jq -e ".audit.recall_low <= $near" <<<"$output" >/dev/null || low=$((low + 1))
    done
    [ $wrong -le 3 ] && [ $low -le 3 ]
}

@test "the same seed draws the same, another one others, and more hold the fewer" {
    replay transpose --audit 20
    audited | sort >first
    replay transpose --audit 20
    audited | sort | cmp - first
    replay transpose --audit 35
    [ "$(audited | sort | comm -12 - first | wc -l)" -eq 20 ]
    replay transpose --audit 20 --audit-seed 2
    [ "$(audited | sort | comm -12 - first | wc -l)" -lt 12 ]
}

@test "an audit that makes no sense is refused or said" {
    replay transpose --audit 10 --exhaustive
    status_is 2
    has "$stderr" '--exhaustive drops nothing that --audit could time'
    replay transpose --audit 0
    status_is 2
    has "$stderr" '--audit takes a whole number from 1'
    make_synthetic_gpu
    hold_nothing
    run_fake --no-gpu --arch sm_90 --audit 5 --output static
    status_is 0
    has "$stderr" 'nothing is audited: this run has no times'
}

@test "what is audited on GPUs is recorded, and a replay of it audits the same" {
    make_synthetic_gpu
    hold_nothing
    export SYNTHETIC_GPUS=2
    run_fake --devices all --audit 9 --output out --json
    status_is 0
    json '.selected == 12 and .timed == 21 and .audit.audited == 9 and .audit.dropped == 20'
    json '[.ledger.gpus[].outcomes] | add == 21 and min > 0'
    audit=$(jq .audit <<<"$output")
    [ "$(rows out/many.times)" -eq 21 ]
    grep -q '>not chosen<' out/report.html # some of them have a time
    [ "$(audited | wc -l)" -eq 9 ]
    # The winner is the best of what carving chose, whatever the audit finds.
    json '.audit.fastest.time_ms > 0 and ([.final.finalists[].tied] | any)'
    run_fake --no-gpu --recordings out --audit 9 --output again --json
    status_is 0
    json '.source == "replayed" and .stale == 0'
    [ "$(jq .audit <<<"$output")" = "$audit" ]
    # Of a larger audit the recording has only these.
    run_fake --no-gpu --recordings out --audit 15 --output again --json
    status_is 0
    has "$stderr" '6 of the selected configurations are not in the recording'
    json '.audit.drawn == 15 and .audit.audited == 9'
}

@test "an audit that is killed goes on with the same draw and repeats nothing" {
    make_synthetic_gpu
    hold_nothing
    run_fake --audit 12 --output whole --json
    status_is 0
    audit=$(jq .audit <<<"$output")
    export SYNTHETIC_MS=40
    "$fake" --carve --space space/many.spec --jobs 2 --audit 12 --output out >/dev/null 2>&1 &
    job=$!
    while [ "$(rows out/many.times 2>/dev/null || echo 0)" -lt 17 ] && kill -0 $job 2>/dev/null; do
        sleep 0.01
    done
    kill -9 $job
    wait $job 2>/dev/null || true
    [ "$(rows out/many.times)" -lt 24 ]
    unset SYNTHETIC_MS
    run_fake --audit 12 --output out --json
    status_is 0
    [ "$(jq .audit <<<"$output")" = "$audit" ]
    [ "$(rows out/many.times)" -eq 24 ]
    [ "$(repeated out/many.times)" -eq 0 ]
    diff <(outcomes out/many.times) <(outcomes whole/many.times)
    # More of them later: only those are timed.
    run_fake --audit 15 --output out --json
    status_is 0
    json '.audit.audited == 15 and .ledger.gpus[0].outcomes == 3'
}

@test "shards audit their share, and the whole can be replayed with it" {
    make_synthetic_gpu
    hold_nothing
    for part in 0 1; do
        run_fake --shard $part/2 --audit 8 --output out --json
        status_is 0
        json '.selected == 6 and .audit.drawn == 4 and .audit.audited == 4 and .audit.dropped == 10'
    done
    run "$fake" merge all out/shard-*
    status_is 0
    has "$output" '32 rows, 12 of them without an outcome'
    run_fake --no-gpu --recordings all --audit 20 --output whole --json
    status_is 0
    json '.audit.dropped == 20 and .audit.audited >= 4 and .audit.audited < 20'
}

@test "a GPU that is lost during an audit costs no outcome" {
    make_synthetic_gpu
    hold_nothing
    export SYNTHETIC_GPUS=2 SYNTHETIC_LOST=$PWD/lost
    run_fake --devices all --output out # what is chosen is timed
    status_is 0
    export SYNTHETIC_MS=400
    "$fake" --carve --space space/many.spec --jobs 2 --devices all --audit 20 --output out --json >json 2>err &
    job=$!
    while [ "$(rows out/many.times)" -lt 13 ] && kill -0 $job 2>/dev/null; do
        sleep 0.01
    done
    echo 1 >lost
    wait $job
    jq -e '.audit.audited == 20 and .audit.dropped == 20 and .timed == 32' json
    grep -q 'GPU 1 is lost' err
}
