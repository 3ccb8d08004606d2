#!/usr/bin/env bats
# Runs that are killed, stopped, run out of disk or meet another run: nothing is lost but what was in
# flight.  The GPU makes its times up.
load common

configurations=32
in_flight=2 # trials that a GPU has at a time (tuner/run/timer_gpu.c)

run_fake() {
    run --separate-stderr "$fake" --space space/many.spec --exhaustive --jobs 2 "$@"
}

# Starts it in the background; `job` is its process.
start_fake() {
    "$fake" --space space/many.spec --exhaustive --jobs 2 "$@" >out.text 2>err.text &
    job=$!
}

# Waits until a file has that many lines, or the job ended.
wait_for_lines() {
    while [ "$(wc -l 2>/dev/null <"$1" || echo 0)" -lt "$2" ] && kill -0 "$job" 2>/dev/null; do
        sleep 0.01
    done
}

# A whole recording of all configurations, each once, equal to that of a run nobody disturbed.
check_whole() {
    [ "$(rows "$1")" -eq $configurations ]
    [ "$(repeated "$1")" -eq 0 ]
    unset SYNTHETIC_LOG
    run_fake --output undisturbed
    status_is 0
    diff <(outcomes "$1") <(outcomes undisturbed/many.times)
}

@test "a run killed at many moments repeats what was in flight and nothing else" {
    make_synthetic_gpu
    export SYNTHETIC_MS=15 SYNTHETIC_LOG=$PWD/log
    local kills=0
    RANDOM=7
    while [ $kills -lt 15 ] && [ "$(rows out/many.times 2>/dev/null)" != $configurations ]; do
        start_fake --output out
        sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
        kill -9 $job 2>/dev/null && kills=$((kills + 1))
        wait $job 2>/dev/null || true
    done
    run_fake --output out
    status_is 0
    [ $kills -gt 2 ]
    # Trials that warm a GPU up have another number.
    local trials
    trials=$(grep -vc -- ' -' log)
    [ "$trials" -ge $configurations ]
    [ "$trials" -le $((configurations + kills * in_flight)) ]
    check_whole out/many.times
}

@test "helpers killed at many moments cost no configuration its outcome" {
    make_synthetic_gpu
    export SYNTHETIC_MS=30 APTUNE_CACHE=$PWD/empty
    start_fake --output out
    RANDOM=11
    # A compiler that dies twice of one configuration is its outcome, rightly; so is a third GPU process.
    local killed=0 victims=() kind
    for kind in aptune-compile aptune-gpu aptune-gpu; do
        sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
        until mapfile -t victims < <(children_of $job $kind) && [ ${#victims[@]} -gt 0 ]; do
            kill -0 $job # it is still at it
            sleep 0.01
        done
        kill -9 "${victims[RANDOM % ${#victims[@]}]}" && killed=$((killed + 1))
    done
    wait $job
    [ $killed -gt 1 ]
    jq -c 'select(.v) | .status' out/many.times | sort | uniq -c | grep -qx " *$configurations \"ok\""
    check_whole out/many.times
}

@test "Ctrl-C, a closed terminal and SIGTERM stop a run that says how to go on" {
    make_synthetic_gpu
    export SYNTHETIC_MS=60
    local signal
    for signal in INT HUP TERM; do
        # A background job of a shell ignores SIGINT, and so would aptune: give it back its meaning.
        env --default-signal=INT "$fake" --space space/many.spec --exhaustive --jobs 2 \
            --output "$signal" >out.text 2>err.text &
        job=$!
        wait_for_lines "$signal/many.times" 6
        kill -$signal $job
        local code=0
        wait $job || code=$?
        [ $code -eq $((128 + $(kill -l $signal))) ]
        has "$(cat err.text)" '^aptune: stopped by a signal'
        has "$(cat err.text)" "outcomes are recorded in $signal/many.times"
        has "$(cat err.text)" 'the same command continues from there'
        [ "$(rows $signal/many.times)" -ge 4 ]
        [ "$(rows $signal/many.times)" -lt $configurations ]
    done
    export SYNTHETIC_MS=0
    run_fake --output INT
    status_is 0
    check_whole INT/many.times
}

@test "a run stopped while it compiles finds what it compiled in the cache" {
    make_synthetic_gpu
    export APTUNE_CACHE=$PWD/empty
    start_fake --output out
    while [ "$(find empty -type f 2>/dev/null | wc -l)" -lt 8 ] && kill -0 $job; do sleep 0.01; done
    kill -TERM $job
    local code=0
    wait $job || code=$?
    [ $code -eq 143 ]
    has "$(cat err.text)" 'compiled code is in the cache'
    run_fake --output out --json
    status_is 0
    json '.from_cache > 3 and .timed == 32'
}

@test "a stop is heard while the reference still runs" {
    make_synthetic_gpu
    export SYNTHETIC_PROBLEM_S=200
    start_fake --output out
    wait_for_lines out/many.profile 33 # written before the problem is set
    kill -TERM $job
    local code=0
    wait $job || code=$?
    [ $code -eq 143 ]
    has "$(cat err.text)" '^aptune: stopped by a signal'
    [ $SECONDS -lt 150 ] # the GPU process was not waited for
}

@test "a recording that is deleted under a run ends the run, which says so" {
    make_synthetic_gpu
    export SYNTHETIC_MS=30
    start_fake --output out
    wait_for_lines out/many.times 6
    rm out/many.times
    local code=0
    wait $job || code=$?
    [ $code -eq 1 ]
    has "$(cat err.text)" "'out/many.times' was deleted while it was being written"
    run_fake --output out
    status_is 0
    check_whole out/many.times
}

@test "GPU processes that are stopped for a while cost no configuration its outcome" {
    make_synthetic_gpu
    export SYNTHETIC_MS=100
    start_fake --output out
    wait_for_lines out/many.times 6
    local helper
    for helper in $(children_of $job aptune-gpu); do
        kill -STOP "$helper"
    done
    wait $job
    check_whole out/many.times
}

@test "a recording that somebody else writes into ends the run, which says so" {
    make_synthetic_gpu
    export SYNTHETIC_MS=30
    start_fake --output out
    wait_for_lines out/many.times 6
    : >out/many.times
    local code=0
    wait $job || code=$?
    [ $code -eq 1 ]
    has "$(cat err.text)" "'out/many.times' was changed by another program"
}

@test "a final whose process is killed is run again" {
    make_synthetic_gpu
    export SYNTHETIC_KILL=$PWD/kill
    touch kill
    run_fake --output out --final 4
    status_is 0
    [ ! -e kill ]
    lacks "$stderr" 'could not be timed again'
    [ "$(jq -c 'select(.final)' out/many.times | wc -l)" -eq 4 ]
}

@test "a full disk ends a run with a message, and the next one goes on" {
    make_synthetic_gpu
    export SYNTHETIC_LOG=$PWD/log
    run_fake --output warm # fills the cache and the log
    status_is 0
    run --separate-stderr bash -c "ulimit -f 4; SYNTHETIC_LOG= '$fake' --space space/many.spec \
        --exhaustive --output out"
    status_is 1
    has "$stderr" "cannot write 'out/many.(times|profile)': File too large"
    if [ -s out/many.times ]; then
        jq -c . out/many.times >/dev/null # whole lines alone
    fi
    run_fake --output out
    status_is 0
    check_whole out/many.times
}

@test "a recording cut inside a line goes on from its last whole one" {
    make_synthetic_gpu
    run_fake --output out
    status_is 0
    local line
    line=$(grep -n '"v":' out/many.times | sed -n '12s/:.*//p') # of the twelfth outcome
    mkdir cut
    head -n "$line" out/many.times | head -c -7 >cut/many.times
    run_fake --output cut --json
    status_is 0
    [ "$(jq '.ledger.gpus[0].outcomes' <<<"$output")" -eq $((configurations - 11)) ]
    check_whole cut/many.times
}

@test "a second run in the same folder or on the same GPU is refused and hears of the first" {
    make_synthetic_gpu
    export SYNTHETIC_MS=200 SYNTHETIC_GPUS=2
    start_fake --output out
    wait_for_lines out/many.times 3
    local locks=0
    grep -q "FLOCK.* $job " /proc/locks && locks=1

    run_fake --output out --device 1
    status_is 1
    has "$stderr" "'out' is in use by another run of aptune"
    [ $locks -eq 0 ] || has "$stderr" "process $job"
    has "$stderr" 'choose another folder with --output'

    run_fake --output other --device 0
    status_is 1
    has "$stderr" "GPU 0 \(GPU-synthetic-.*\) is in use by another run of aptune"

    export SYNTHETIC_MS=0
    run_fake --output third --device 1
    status_is 0
    kill -9 $job
    wait $job 2>/dev/null || true
    run_fake --output out
    status_is 0
    check_whole out/many.times
}
