#!/usr/bin/env bats
# Several GPUs of one machine, whose times are made up.
load common

run_fake() {
    run --separate-stderr "$fake" --space space/many.spec --exhaustive --jobs 2 "$@"
}

# How many rows of a recording came from the device of an ordinal.
rows_on() {
    jq -s --argjson ordinal "$2" '(map(select(.ordinal != null)) | map({key: (.device | tostring),
        value: .ordinal}) | from_entries) as $of
        | map(select(.v and $of[.on | tostring] == $ordinal)) | length' "$1"
}

@test "all GPUs share the work, and every row names its own" {
    make_synthetic_gpu
    export SYNTHETIC_GPUS=4 SYNTHETIC_MS=10
    run_fake --devices all --output out --json
    status_is 0
    json '.ledger.gpus | map(.ordinal) == [0, 1, 2, 3]'
    json '.ledger.gpus | map(.outcomes) | add == 32 and min > 0'
    local i sum=0
    for i in 0 1 2 3; do
        sum=$((sum + $(rows_on out/many.times $i)))
        [ "$(rows_on out/many.times $i)" -gt 0 ]
    done
    [ $sum -eq 32 ]
    jq -se 'map(select(.ordinal != null)) | map(.name) | unique ==
        ["synthetic device, nothing was measured"]' out/many.times

    run_fake --device 0 --output alone
    status_is 0
    diff <(outcomes out/many.times) <(outcomes alone/many.times)
}

@test "GPUs are named by number, and a list that makes no sense is refused" {
    make_synthetic_gpu
    export SYNTHETIC_GPUS=3
    run_fake --devices 0,2 --output out --json
    status_is 0
    json '.ledger.gpus | map(.ordinal) == [0, 2]'
    local list
    for list in 0,0 , 0, x 0-2 ''; do
        run_fake --devices "$list"
        status_is 2
        has "$stderr" "--devices takes 'all' or GPU numbers"
    done
    run_fake --devices 0,3
    status_is 2
    has "$stderr" 'GPU 3 cannot be used: there is no GPU 3: this machine has 3'
}

@test "one GPU and a list of them are not both taken" {
    make_synthetic_gpu
    run_fake --device 0 --devices all
    status_is 2
    has "$stderr" 'use --device or --devices, not both'
}

@test "a GPU that is away for a moment costs no configuration its outcome" {
    make_synthetic_gpu
    export SYNTHETIC_AWAY=$PWD/away
    export SYNTHETIC_MS=20
    "$fake" --space space/many.spec --exhaustive --output out >out.text 2>err &
    local job=$!
    while [ "$(wc -l 2>/dev/null <out/many.times || echo 0)" -lt 6 ] && kill -0 $job; do sleep 0.01; done
    touch away # later than the trials that warm a GPU up, which tell nothing
    wait $job
    [ ! -e away ]
    lacks "$(cat out.text)" 'LOST'
    [ "$(rows out/many.times)" -eq 32 ]
    [ "$(repeated out/many.times)" -eq 0 ]
    jq -se 'map(select(.v) | .status) | all(. == "ok")' out/many.times
}

@test "GPUs of different kinds are refused unless that is wanted" {
    make_synthetic_gpu
    export SYNTHETIC_GPUS=2 SYNTHETIC_KINDS=2
    run_fake --devices all
    status_is 2
    has "$stderr" 'their times are not comparable'
    run_fake --devices all --mixed --output out
    status_is 0
    has "$stderr" 'are compared \(--mixed\)'
    jq -se 'map(select(.ordinal != null)) | map(.name) | unique | length == 2' out/many.times
}

@test "a GPU that is lost leaves its work to the others" {
    make_synthetic_gpu
    export SYNTHETIC_GPUS=2 SYNTHETIC_MS=20 SYNTHETIC_LOST=$PWD/lost
    "$fake" --space space/many.spec --exhaustive --devices all --output out --json >json 2>err &
    local job=$!
    while [ "$(wc -l 2>/dev/null <out/many.times || echo 0)" -lt 6 ] && kill -0 $job; do sleep 0.01; done
    echo 1 >lost
    wait $job
    has "$(cat err)" 'GPU 1 is lost: the synthetic device is gone'
    [ "$(rows out/many.times)" -eq 32 ]
    # What the GPU dies of is a fault, until it is known that the GPU is lost.
    [ "$(jq -c 'select(.v and .status != "ok")' out/many.times | wc -l)" -le 1 ]
    [ "$(rows_on out/many.times 0)" -gt "$(rows_on out/many.times 1)" ]
}

@test "when the last GPU is lost the run ends, and the next one goes on" {
    make_synthetic_gpu
    export SYNTHETIC_MS=20 SYNTHETIC_LOST=$PWD/lost
    "$fake" --space space/many.spec --exhaustive --output out >out.text 2>err &
    local job=$!
    while [ "$(wc -l 2>/dev/null <out/many.times || echo 0)" -lt 6 ] && kill -0 $job; do sleep 0.01; done
    echo 0 >lost
    local code=0
    wait $job || code=$?
    [ $code -eq 1 ]
    has "$(cat err)" 'no GPU is left to go on with'
    rm lost
    run_fake --output out --json
    status_is 0
    json '.timed == 32'
    [ "$(jq -c 'select(.v)' out/many.times | jq -c .v | sort -u | wc -l)" -eq 32 ]
}
