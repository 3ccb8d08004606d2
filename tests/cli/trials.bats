#!/usr/bin/env bats
# What the GPU process is asked for, word by word: tests/cli/synthetic_gpu.c notes it.
load common

setup() {
    set_up
    make_synthetic_gpu
    export SYNTHETIC_TRIALS=$PWD/asked
    # Two configurations suffice.
    sed -i 's/^param THREADS.*/param THREADS in 64, 128/; s/^param EACH.*/param EACH in 2/' space/many.spec
}

# asked FILTER: the trials for which it holds, each kind once, without the time of the best before.
asked() { jq -cS "select($1) | del(.id, .do, .sampling.best_ms)" asked | sort -u; }

trial='"rounds":0,"sampling":{"budget_ms":50,"enough":7,"least":2,"most":100,"sample_ms":0.2,"width":0.005}'
in_turn='"sampling":{"budget_ms":0,"enough":0,"least":0,"most":0,"sample_ms":0.2,"width":0}'

@test "a run warms the GPU up, has each configuration verified and timed, and the best in turn" {
    "$fake" --space space/many.spec --jobs 1 --exhaustive --output out

    [ "$(jq -c 'select(.id >= 0 and .rounds == 0) | .id' asked | sort | tr '\n' ' ')" = '0 1 ' ]
    [ "$(asked '.id == -2')" = '{"cache":0,'"$trial"',"sustain_s":0,"verify":false,"warm_s":0,"warmups":1}' ]
    [ "$(asked '.id >= 0 and .rounds == 0')" = \
        "$(asked '.id == -2')" ] # nothing of the spec says what is right
    [ "$(asked '.rounds > 0')" = '{"cache":0,"rounds":31,'"$in_turn"',"sustain_s":0,"verify":false,"warm_s":0,"warmups":0}' ]
    # Warming up takes a second, many trials of these.
    [ "$(jq -s 'map(.id < 0) | index(false) > 2' asked)" = true ]
}

@test "where the spec knows what is right, the verified run is the one that warms up" {
    printf 'reference first\n' >>space/many.spec
    "$fake" --space space/many.spec --jobs 1 --exhaustive --samples 9 --cache cold --output out

    [ "$(asked '.id >= 0 and .rounds == 0')" = '{"cache":1,"rounds":0,"sampling":{"budget_ms":50,"enough":9,"least":9,"most":100,"sample_ms":0.2,"width":0.005},"sustain_s":0,"verify":true,"warm_s":0,"warmups":0}' ]
}

@test "a search begins with the configuration that is the reference" {
    cp "$data"/many.spec space
    sed 's/^reference.*//' space/many.spec >space/none.spec
    printf 'reference first\n' >>space/many.spec
    for seed in 1 2 3; do
        "$fake" --space space/many.spec --jobs 1 --trials 1 --seed $seed --output first$seed
        "$fake" --space space/none.spec --jobs 1 --trials 1 --seed $seed --output none$seed
    done >out
    [ "$(grep -c '^best  *THREADS=32 EACH=1$' out)" = 3 ]
}

@test "a bench has each verified in three samples, then takes rounds, then lets each run for two seconds" {
    printf 'reference first\nrival cublas gemm args Y, X\n' >>space/many.spec
    "$fake" bench --space space/many.spec --config 'THREADS=64 EACH=2'

    [ "$(asked '.rounds == 0')" = '{"cache":0,"rounds":0,"sampling":{"budget_ms":50,"enough":3,"least":3,"most":3,"sample_ms":0.2,"width":0.005},"sustain_s":0,"verify":true,"warm_s":0,"warmups":0}' ]
    [ "$(asked '.rounds > 0')" = '{"cache":0,"rounds":201,'"$in_turn"',"sustain_s":2,"verify":false,"warm_s":1,"warmups":0}' ]
}

@test "the rounds of a bench share five seconds, but are 31 at least" {
    printf 'reference first\nrival cublas gemm args Y, X\n' >>space/many.spec
    local one='THREADS=64 EACH=2'
    SYNTHETIC_SLOW=20 "$fake" bench --space space/many.spec --config "$one" --json >out.json
    jq -e '.rounds == (5000 / (.kernel.time_ms + .rivals[0].time_ms) | floor) and .rounds < 100' out.json
    SYNTHETIC_SLOW=100 "$fake" bench --space space/many.spec --config "$one" --json >out.json
    jq -e '.rounds == 31' out.json
}
