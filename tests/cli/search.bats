#!/usr/bin/env bats
# The default run: one search decides what is compiled and what is timed, side by side.  Replays are
# played with a clock that is a cost model; live runs are on GPUs that make their times up.
load common

transpose=$SOURCE/spaces/transpose.spec

live() {
    run --separate-stderr "$fake" --space space/many.spec --jobs 2 --recordings . "$@"
}

@test "a replay plays the search: what it did not ask for is not known, the same seed does the same" {
    tune --space "$SOURCE/spaces/mm-core.spec" --jobs 8 --seed 3 --json --output one
    status_is 0
    has "$stderr" 'mm-core.spec: of its carving lines, a search uses only conditions; the rest is for --carve'
    json '.search.compiled < 1500 and .search.timed < 500 and .compiled == .search.compiled'
    json '.selected == .timed and .search.seed == 3 and .search.played'
    json '.relative_performance >= 0.99 and .search.held_since_s < .search.seconds'
    json '.search.end | test("no gain|nothing better")'
    first=$(jq -S 'del(.seconds, .ledger)' <<<"$output")
    tune --space "$SOURCE/spaces/mm-core.spec" --jobs 8 --seed 3 --json --output two
    [ "$(jq -S 'del(.seconds, .ledger)' <<<"$output")" = "$first" ]
    cmp one/configurations.csv two/configurations.csv
    [ "$(grep -c 'was not compiled: the search did not ask for it' one/configurations.csv)" -gt 8000 ]
    tune --space "$transpose" --jobs 4 --trials 20 --emit none --seed 3 --output three
    tune --space "$transpose" --jobs 4 --trials 20 --emit none --seed 4 --output four
    ! cmp -s three/configurations.csv four/configurations.csv
}

@test "budgets end a search, and the report says how much of the space it looked at" {
    tune --space "$transpose" --jobs 4 --trials 20
    status_is 0
    has "$output" '^search +compiled [0-9]+ of 296 \([0-9.]+ %\), timed 20; the trials are used up'
    has "$output" '^ +best found after [0-9.]+ of [0-9.]+ s, by the cost model of a replay'
    has "$output" '^ +bound-latency front: [0-9]+ of the compiled, [0-9]+ of them timed; the winner is'
    tune --space "$transpose" --jobs 4 --compiles 33 --json
    json '.search.compiled == 33 and .search.end == "the compiles are used up"'
    tune --space "$transpose" --jobs 4 --seconds 1.5 --json
    json '.search.end == "the seconds are used up" and .search.seconds >= 1.5 and .search.seconds < 2'
    tune --space "$transpose" --static --arch sm_90 --seconds 0.0001
    status_is 1
    has "$stderr" 'error: the run ended before the first configuration was compiled; increase --seconds'
    tune --space "$transpose" --carve --trials 9
    status_is 2
    has "$stderr" 'limit a search; --carve does not search'
    tune --space "$transpose" --carve --exhaustive
    status_is 2
    tune --space "$transpose" --static --arch sm_90 --compiles 3 --json
    json '.search.compiled == 3 and .seconds.compile > .seconds.time and .seconds.profile > 0'
}

@test "a replayed search goes by the metrics of what it asks for: a condition over one holds" {
    mkdir space
    sed "s#\"\.\./templates#\"$SOURCE/templates#" "$transpose" >space/transpose.spec
    echo 'carve bound_cycles > 0' >>space/transpose.spec
    tune --space space/transpose.spec --recordings "$SOURCE/spaces/recordings" --jobs 4 --trials 20 --json
    status_is 0
    json '.search.timed == 20 and .best.metrics.bound_cycles > 0'
}

@test "--carve carves as its text says, or as the spec does" {
    tune --space "$transpose" --carve 'best 7 by predicted_cycles' --json
    status_is 0
    json '.selected == 7 and .compiled == 296'
    tune --space "$transpose" --carve --json
    json '.compiled == 296 and .selected < 296 and (has("search") | not)'
    tune --space "$transpose" --carve 'best 7 by nothing'
    status_is 2
    has "$stderr" "^--carve:1:11: error: unknown metric 'nothing'"
}

@test "--static compiles and times nothing; with a budget it looks for the best predicted" {
    cp "$data"/synthetic.cu "$data"/many.spec .
    tune --space many.spec --arch sm_90 --static --json
    status_is 0
    json '.source == "static" and .compiled == 32 and .timed == 0'
    tune --space many.spec --arch sm_90 --static --compiles 10 --json
    status_is 0
    json '.source == "static" and .search.compiled == 10 and .compiled == 10 and .timed == 0'
    # Of a recorded space: for the device of its recording.
    tune --space "$transpose" --static --compiles 4 --json
    status_is 0
    json '.source == "static" and .device == "NVIDIA H200" and .search.compiled == 4 and .compiled == 4 and .timed == 0'
}

@test "what a device cannot run is drawn, but is none of the compiles that were allowed" {
    echo 'extern "C" __global__ void empty(void) {}' >empty.cu
    printf '%s\n' 'kernel "empty.cu" empty' 'param A in range(1, 101)' 'param B in range(1, 101)' 'param C in range(1, 11)' \
        'param KB in 16, 400' 'block 32' 'grid 1' 'shared 1024 * KB' >halves.spec
    run --separate-stderr timeout 60 "$APTUNE" --space halves.spec --arch sm_90 --static --compiles 6 --json
    status_is 0
    json '.search.compiled == 6 and .search.end == "the compiles are used up"'
}

@test "an audit of a search draws from everything that was not timed" {
    tune --space "$transpose" --jobs 4 --trials 20 --audit 30 --json
    status_is 0
    json '.audit.dropped > 200 and .audit.audited == 30 and .timed == .selected + 30'
}

@test "live: compiles and times side by side, stops by itself, and has nothing left to do then" {
    make_synthetic_gpu
    live --output out --json
    status_is 0
    json '.source == "measured" and .search.timed == .timed and .search.played == false'
    json '.best.time_ms == ([.search.steps[][1]] | min) or .final.ties > 1'
    compiled=$(jq .compiled <<<"$output")
    [ "$(rows out/many.times)" -eq "$(jq .timed <<<"$output")" ]
    [ "$(repeated out/many.times)" -eq 0 ]
    [ "$(grep -c '"v":.*"cs":[0-9][0-9.e-]*,"ps":[0-9]' out/many.times)" -eq "$(rows out/many.times)" ]
    # With the profiles of all that was compiled, as studies and replays need them.
    [ "$(grep -c '^{"code"' out/many.profile)" -eq "$(jq .distinct <<<"$output")" ]
    live --output out --json
    status_is 0
    json '.search.timed >= 1 and .best != null'
    [ "$(repeated out/many.times)" -eq 0 ]
    # What it found is replayed as it was.
    [ "$compiled" -le "$(jq .compiled <<<"$output")" ]
}

@test "live: an audit of a large space draws from all of it" {
    make_synthetic_gpu
    local p
    for p in A B C D; do
        sed -i "/^block/iparam $p in 0, 1, 2, 3, 4, 5, 6, 7, 8, 9" space/many.spec
    done
    run --separate-stderr "$fake" --space space/many.spec --jobs 2 --trials 8 --audit 5 --emit none --json
    status_is 0
    json '.audit.audited == 5 and .audit.dropped > 319000 and .audit.dropped < 320000'
}

@test "live: there is an emitted best while it still searches" {
    make_synthetic_gpu
    export SYNTHETIC_MS=300
    "$fake" --space space/many.spec --jobs 2 --recordings . --output out >out.text 2>err &
    local pid=$! i
    for ((i = 0; i < 300; i++)); do
        [ ! -f out/many.h ] || break
        sleep 0.1
    done
    [ -f out/many.h ]
    kill -0 "$pid" # it is still at it
    kill "$pid"
    wait "$pid" || true
}

@test "live: one signal ends the search with a winner, the same command goes on; two end the program" {
    make_synthetic_gpu
    export SYNTHETIC_MS=200
    "$fake" --space space/many.spec --jobs 2 --recordings . --output out --json >json 2>err &
    local pid=$! i
    for ((i = 0; i < 300; i++)); do
        [ "$(rows out/many.times 2>/dev/null)" -lt 3 ] 2>/dev/null || break
        sleep 0.1
    done
    kill -TERM "$pid"
    wait "$pid"
    has "$(cat err)" 'ending the search \(Terminated\); the best so far are timed again'
    output=$(cat json)
    json '.search.end == "ended on request" and .best != null'
    timed=$(jq .timed json)
    export SYNTHETIC_MS=1
    live --output out --json
    status_is 0
    [ "$(jq .timed <<<"$output")" -gt "$timed" ]
    [ "$(repeated out/many.times)" -eq 0 ]
}

@test "several problems are tuned one after the other, the later ones begin with what was fast; one unit serves all" {
    make_synthetic_gpu
    sed 's/^problem.*/&\nproblem N = 131072/' space/many.spec >space/two.spec
    grep -q 'N = 131072' space/two.spec
    run --separate-stderr "$fake" --space space/two.spec --jobs 1 --recordings . --trials 8 --output out
    [ "$status" -eq 0 ]
    has "$output" 'all sizes  in one unit: out/two.h, '
    jq -e '[.entries[].problem.N] | unique == [65536, 131072]' out/two.json
    best=$(jq -c '[.entries[] | select(.problem.N == 65536)][0].variant as $v | .variants[$v - 1].parameters | [.[]]' out/two.json)
    # The fastest of the first problem is the first one of the second: one worker keeps the order.
    [ "$(jq -c 'select(.v) | .v' out/N=131072/two.times | head -1)" = "$best" ]
    # It would not have been without that.
    rm -r out
    run --separate-stderr "$fake" --space space/two.spec --problem N=131072 --jobs 1 --recordings . --trials 8 --output out
    [ "$(jq -c 'select(.v) | .v' out/N=131072/two.times | head -1)" != "$best" ]
    # What was recorded of the first problem before, with more times, is learned instead of those eight.
    run --separate-stderr "$fake" --space space/two.spec --problem N=65536 --jobs 1 --recordings . --trials 30 --output many
    [ "$status" -eq 0 ]
    mkdir recorded && cp many/N=65536/two.times recorded
    rm -r out
    run --separate-stderr "$fake" --space space/two.spec --jobs 1 --recordings recorded --trials 8 --output out --json
    [ "$status" -eq 0 ]
    [ "$(jq -s -c '.[1].search.learned | map(.recording, .problem)' <<<"$output")" = '["recorded/two.times","N=65536"]' ]
}

@test "a search learns from recordings of another size or version, by names; from strange ones it says why not" {
    cp -r "$SOURCE"/spaces/histogram.spec "$SOURCE"/spaces/recordings .
    mkdir templates
    sed 's|"../templates/|"templates/|' histogram.spec >spec && mv spec histogram.spec
    cp "$SOURCE"/templates/histogram* templates
    local even="words = 33554432, bins = 256, deviation = 10000"
    # Found beside the spec: the other problem's.
    tune histogram.spec --problem "${even// = /=}" --emit none --json --output out
    status_is 0
    json '.search.learned | map(.recording) == ["recordings/histogram-skewed-h200.times.zst"]'
    json '.search.learned[0].times == 540 and .search.learned[0].parameters == 6'
    tune histogram.spec --problem "${even// = /=}" --emit none --output out
    has "$output" 'started from 540 times of words=33554432,bins=256,deviation=2 on NVIDIA H200, over 6 of 6 parameters'
    tune histogram.spec --problem "${even// = /=}" --emit none --json --output out --learn none
    json '.search.learned == []'
    # Named: a folder; of another space that shares some parameters, or none.
    mkdir other && cp recordings/histogram-skewed-h200.times.zst other
    tune histogram.spec --problem "${even// = /=}" --emit none --json --output out --learn other
    json '.search.learned[0].recording == "other/histogram-skewed-h200.times.zst"'
    tune histogram.spec --problem "${even// = /=}" --emit none --json --output out --learn recordings/reduce-h200.times.zst
    status_is 0
    json '.search.learned[0].parameters < 6'
    tune histogram.spec --problem "${even// = /=}" --emit none --output out --learn recordings/sad-h200.times.zst
    status_is 2
    has "$stderr" "nothing can be learned from 'recordings/sad-h200.times.zst': it is of space 'sad' with parameters TILE_X, "
    has "$stderr" "'histogram' varies none of them: it has BLOCK, COPIES, "
    tune histogram.spec --problem "${even// = /=}" --emit none --output out --learn missing.times
    status_is 2
    has "$stderr" "cannot open 'missing.times'"
}

@test "live: a second signal ends the program, with the signal's code" {
    make_synthetic_gpu
    export SYNTHETIC_MS=300
    "$fake" --space space/many.spec --jobs 2 --recordings . --output out >text 2>err &
    local pid=$! i code=0
    for ((i = 0; i < 300; i++)); do
        [ "$(rows out/many.times 2>/dev/null)" -lt 3 ] 2>/dev/null || break
        sleep 0.1
    done
    kill -TERM "$pid"
    for ((i = 0; i < 300; i++)); do
        ! grep -q 'ending the search' err || break
        sleep 0.02
    done
    kill -TERM "$pid"
    wait "$pid" || code=$?
    [ "$code" -eq 143 ]
    [ "$(repeated out/many.times)" -eq 0 ]
}
