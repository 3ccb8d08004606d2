#!/usr/bin/env bats
# A kernel against libraries, with a GPU process that makes its times up (tests/cli/synthetic_gpu.c):
# every library takes 1.5 ms there.
load common
holds='.*'
held_files=csv

setup() {
    set_up
    make_synthetic_gpu
    printf 'reference first\nwork bytes = 3 * 4 * N\n' >>space/many.spec
}

rivals() { printf 'rival %s\n' "$@" >>space/many.spec; }

bench() {
    run --separate-stderr "$fake" bench --space space/many.spec "$@"
}

one='THREADS=64 EACH=2'

@test "a configuration is run against a library, and the ratio has its interval" {
    rivals 'cublas gemm args Y, X'

    bench --config "$one"

    status_is 0
    [ -z "$stderr" ]
    has "$output" '^times +measured on synthetic device, nothing was measured'
    has "$output" "^kernel +1\.[0-9]+ ms .* GB/s"
    has "$output" "^ +$one; right$"
    has "$output" '^rival +1\.5000 ms \(1\.5000 to 1\.5000\) +[0-9.]+ GB/s'
    has "$output" '^ +a synthetic library: cublas; right$'
    has "$output" '^rounds +201, .* L2 warm'
    has "$output" '^ratio +1[0-9.]+ % \([0-9.]+ to [0-9.]+\) of a synthetic library; sustained 1[0-9.]+ %$'
    has "$output" '^ +sustained 1\.6500 ms \(100 runs\)$' # neither clock nor energy is known
    [ ! -e aptune-out ] # nothing is recorded
}

@test "the JSON says the same, and what drifts drifts for both" {
    rivals 'cublas gemm args Y, X' 'memory copy bound args Y, X'

    SYNTHETIC_DRIFT=5 bench --config "$one" --rounds 40 --json

    status_is 0
    json '.space == "many" and .rounds == 40 and .cache == "warm" and .kernel.status == "ok"'
    json '.kernel.parameters == {"THREADS": 64, "EACH": 2} and .kernel.verified'
    json '.kernel.high_ms > 1.3 * .kernel.low_ms'
    json '[.rivals[] | .library] == ["cublas", "memory"]'
    json '[.rivals[] | .bound] == [false, true] and [.rivals[] | .verified] == [true, false]'
    json '[.rivals[] | .ratio_high - .ratio_low < 1e-9] == [true, true]'
    json '.kernel as $k | [.rivals[] | (.ratio - .time_ms / $k.time_ms) | fabs < 1e-9] | all'
    json '(.kernel.times_ms | length) == 40 and .kernel.times_ms[39] > 6 * .kernel.times_ms[0]'
}

@test "work over time is a rate, and part of what the device can do" {
    printf 'work flop = 100000 * N\nwork items = 2 * N\n' >>space/many.spec
    rivals 'cublas gemm args Y, X' 'memory copy bound args Y, X'

    bench --config "$one" --cache cold --json

    status_is 0
    json '.rivals[0] | .flop_per_s / (65536e5 / 1.5e-3) - 1 | fabs < 1e-6'
    json '.rivals[0] | .bytes_per_s / (786432 / 1.5e-3) - 1 | fabs < 1e-6'
    json '.rivals[1] | .bytes_per_s / (786432 / 1.5e-3) - 1 | fabs < 1e-6'
    json '[.rivals[1].flop_per_s, .rivals[1].peak_flop_part] == [null, null]' # a bound does other work
    bench --config "$one" --cache cold
    has "$output" '^rival +1\.5000 ms .*   4369.1 GFLOP/s, [0-9.]+ % of the fp32 peak   0.5 GB/s   8.738e\+07 items/s$'
    has "$output" '^rival +1\.5000 ms \(1\.5000 to 1\.5000\)   0.5 GB/s, [0-9.]+ % of the memory bandwidth$'
}

@test "back to back for some seconds: clock, power, energy of a run, and the ratio" {
    rivals 'cublas gemm args Y, X'

    SYNTHETIC_WATTS=100 bench --config "$one"
    status_is 0
    has "$output" '^ +sustained 1\.6500 ms at 1000 MHz, 200 W, 0\.33 J a run; throttled by power cap \(100 runs\)$'

    SYNTHETIC_WATTS=100 bench --config "$one" --json
    status_is 0
    json '.rivals[0] | .sustained_ms == 1.65 and .sustained_power_w == 200 and .sustained_clock_mhz == 1000'
    json '.rivals[0].sustained_joules == 0.33 and .kernel.sustained_power_w == 100'
    json '(.rivals[0].sustained_ratio - 1.65 / .kernel.sustained_ms) | fabs < 1e-9'

    # A host that came late with work is said: the time is not the kernel's own.
    SYNTHETIC_WATTS=100 SYNTHETIC_IDLE=30 bench --config "$one"
    status_is 0
    has "$output" '; throttled by power cap; the device waited for the host 30 % of the time \(100 runs\)$'

    bench --config "$one" --sustain 0
    status_is 0
    lacks "$output" 'sustained'
    bench --config "$one" --sustain soon
    status_is 2
}

@test "without a GPU it says what it needs" {
    rivals 'cublas gemm args Y, X'

    bench --config "$one" --no-gpu
    status_is 1
    has "$stderr" 'no-gpu was given'

    run --separate-stderr "$fake" bench --no-gpu --space "$SOURCE/spaces/mm-thesis.spec"
    status_is 1
    has "$stderr" 'error: bench runs kernels and needs a GPU: --no-gpu was given'
}

@test "without a rival, or without its library, the kernel is timed alone" {
    bench --config "$one"
    status_is 0
    has "$output" '^rival +none: '
    lacks "$output" '^ratio'

    rivals 'cub sum args Y, X'
    APTUNE_RIVALS=$PWD/elsewhere bench --config "$one"
    status_is 0
    has "$output" '^kernel +1\.[0-9]+ ms'
    has "$output" "^rival +cub sum: not available: there is no aptune-rival-cub.so in .*/elsewhere, .*/bin$"
    lacks "$output" '^ratio'

    touch bin/aptune-rival-cub.so
    SYNTHETIC_RIVAL='load failed' bench --config "$one"
    status_is 0
    has "$output" '^rival +a synthetic library: not available: made up'
    lacks "$output" '^ratio'
}

@test "a plugin is found in the folders of APTUNE_RIVALS, beside the program, or by its file" {
    rivals 'cub sum args Y, X' 'memory copy args Y, X'
    mkdir elsewhere
    touch elsewhere/aptune-rival-cub.so mine.so

    APTUNE_RIVALS=nowhere:elsewhere bench --config "$one" --against cub
    status_is 0
    has "$output" '^ +a synthetic library: elsewhere/aptune-rival-cub.so'
    lacks "$output" 'library: memory'

    bench --config "$one" --against mine.so
    status_is 0
    has "$output" '^ +a synthetic library: \./mine.so'
    lacks "$output" 'library: memory'
}

@test "a rival that is wrong or fails is not compared, and is no success" {
    rivals 'cublas gemm args Y, X'
    local fate
    for fate in wrong fault 'launch failed' timeout; do
        SYNTHETIC_RIVAL=$fate bench --config "$one"
        status_is 1
        has "$output" "^rival +a synthetic library: $fate: made up"
        has "$output" '^kernel +1\.[0-9]+ ms'
        lacks "$output" '^ratio'
    done
}

@test "a kernel that is wrong is not timed, nor is anything else" {
    rivals 'cublas gemm args Y, X'

    SYNTHETIC_KERNEL=wrong bench --config "$one"

    status_is 1
    has "$output" '^kernel +the kernel: wrong: made up'
    lacks "$output" ' ms '
    lacks "$output" '^ratio'
}

@test "--against chooses among the rivals" {
    rivals 'cublas gemm args Y, X' 'cublas transpose args Y, X' 'memory copy args Y, X'
    local name
    for name in gemm 'cublas gemm'; do
        bench --config "$one" --json --against "$name"
        status_is 0
        json '[.rivals[] | .call] == ["gemm"]'
    done
    bench --config "$one" --json --against cublas
    json '[.rivals[] | .call] == ["gemm", "transpose"]'

    bench --config "$one" --against cutlass
    status_is 2
    has "$stderr" "space 'many' has no rival 'cutlass'; it has 'cublas gemm', 'cublas transpose', 'memory copy'"
}

@test "a recording's winner is what is run, and the recording stays as it is" {
    hold_nothing
    rivals 'cublas gemm args Y, X'
    "$fake" --space space/many.spec --json >tuned
    cp aptune-out/many/many.times before

    bench aptune-out/many/many.times --json

    status_is 0
    [ "$(jq -c .kernel.parameters <<<"$output")" = "$(jq -c .best.parameters tuned)" ]
    json '.kernel.origin | startswith("the winner of aptune-out/many/many.times, ")'
    json '.kernel.stale | not'
    cmp aptune-out/many/many.times before

    # The same without naming it, where recordings are looked for.
    bench --recordings aptune-out/many --json
    status_is 0
    json '.kernel.origin | startswith("the winner of aptune-out/many/many.times, ")'

    # Edited since: another code than was recorded.
    sed -i 's/3.0f/5.0f/' space/synthetic.cu
    bench --recordings aptune-out/many
    status_is 0
    has "$output" 'the code compiled here differs from the recorded code'
}

@test "what does not fit is wrong input" {
    bench
    status_is 2
    has "$stderr" 'there is no recording to take a winner from'

    bench "$SOURCE/spaces/recordings/sync-h200.times.zst"
    status_is 2

    bench --config 'THREADS=64'
    status_is 2
    has "$stderr" 'leaves out EACH'

    bench --config "$one" some.times
    status_is 2
    has "$stderr" 'give one'

    run --separate-stderr "$fake" bench
    status_is 2
    has "$stderr" 'which space'

    printf 'arg shift : int = 9 / (N - 65536)\n' >>space/many.spec
    rivals 'cublas gemm args Y, X, shift'
    bench --config "$one"
    status_is 2
    has "$stderr" 'division by zero'
}

# A manifest of two variants, as `emit` writes it.
make_manifest() {
    mkdir -p emitted
    printf 'code of one' >emitted/many_1_sm90.cubin
    printf 'code of two' >emitted/many_2_sm90.cubin
    cat >emitted/many.json <<'END'
{"aptune": "unit", "format": 1, "space": "many", "name": "many", "prefix": "many_",
 "flavour": "driver",
 "entries": [
  {"number": 1, "variant": 1, "problem": {"N": 1024}, "device": "other", "arch": "sm_90"},
  {"number": 2, "variant": 2, "problem": {"N": 65536}, "device": "other", "arch": "sm_90"}],
 "variants": [
  {"number": 1, "parameters": {"THREADS": 64, "EACH": 2}, "arch": "sm_90", "fixed": false,
   "launches": [{"kernel": "synthetic", "entry": "synthetic", "cubin": "many_1_sm90.cubin"}]},
  {"number": 2, "parameters": {"THREADS": 128, "EACH": 1}, "arch": "sm_90", "fixed": false,
   "launches": [{"kernel": "synthetic", "entry": "synthetic", "cubin": "many_2_sm90.cubin"}]}]}
END
}

@test "emitted code is run unchanged" {
    rivals 'cublas gemm args Y, X'
    make_manifest

    bench --emitted emitted/many.json --json
    status_is 0
    json '.kernel.parameters == {"THREADS": 128, "EACH": 1}' # of the entry for this problem
    json '.kernel.origin | startswith("the emitted code beside emitted/many.json")'
    local before
    before=$(jq .kernel.time_ms <<<"$output")
    bench --emitted emitted/many.json --json
    [ "$(jq .kernel.time_ms <<<"$output")" = "$before" ]

    printf 'other code' >emitted/many_2_sm90.cubin # the time here depends on the code alone
    bench --emitted emitted/many.json --json
    status_is 0
    [ "$(jq .kernel.time_ms <<<"$output")" != "$before" ]

    bench --emitted emitted/many.json --config "$one" --json
    status_is 0
    json '.kernel.parameters == {"THREADS": 64, "EACH": 2}'
}

@test "what emit writes of a recording is what bench runs of it" {
    hold_nothing
    rivals 'cublas gemm args Y, X'
    "$fake" --space space/many.spec >/dev/null
    bench aptune-out/many/many.times --json
    local winner
    winner=$(jq -c .kernel.parameters <<<"$output")
    "$fake" emit --space space/many.spec --output emitted aptune-out/many/many.times >/dev/null

    bench --emitted emitted/many.json --json

    status_is 0
    [ "$(jq -c .kernel.parameters <<<"$output")" = "$winner" ]
    json '.kernel.status == "ok" and .rivals[0].ratio > 0'
}

@test "code that a size is compiled into is not run at another" {
    hold_nothing
    rivals 'cublas gemm args Y, X'
    sed -i 's/^problem.*/problem N = 65536, LIKE = 1/; /^block/ioption "-DSIZE={N}"' space/many.spec
    "$fake" --space space/many.spec --jobs 2 --trials 4 --output one >/dev/null

    bench --problem LIKE=2 --emitted one/many.json
    status_is 0
    bench --problem N=131072 --emitted one/many.json
    status_is 2
    has "$stderr" "'one/many.json' has no code"
}

@test "the winner of a recording is run where the space is too large to be listed" {
    hold_nothing
    rivals 'cublas gemm args Y, X'
    local p winner
    for p in A B C D; do
        sed -i "/^block/iparam $p in 0, 1, 2, 3, 4, 5, 6, 7, 8, 9" space/many.spec
    done
    "$fake" --space space/many.spec --jobs 2 --trials 8 --output large --emit none --json >said
    winner=$(jq -c .best.parameters said)
    bench large/many.times --json
    status_is 0
    json ".kernel.parameters == $winner"

    # Of such a space a recording has a part, all of which is compiled again without a GPU.
    run --separate-stderr "$APTUNE" --space space/many.spec --no-gpu --recordings large --exhaustive --compile --jobs 2 \
        --output again --emit none
    status_is 0
    has "$output" '^compiled +8 .* of distinct code'
    has "$output" '^selected +8 .*\(--exhaustive: all that is recorded\)'
    [ "$(wc -l <again/many.profile)" -eq 9 ]
}

@test "a unit of several sizes is measured at one that nothing was tuned for" {
    rivals 'cublas gemm args Y, X'
    # The time here depends on the code alone: two sizes have two winners where they allow different codes.
    sed 's/^problem.*/&\nproblem N = 131072/; $a scale N + 1000\nrequire N < 131072 or THREADS >= 128' space/many.spec >space/two.spec
    "$fake" --space space/two.spec --jobs 2 --exhaustive --output two >/dev/null
    run --separate-stderr "$fake" emit --space space/two.spec --output two/again --held-back "N=98304; N=65536" two/N=*/two.times
    status_is 0
    has "$output" '^held back  N=98304: [0-9.]+ ms, [0-9.]+ % more than the best'
    has "$output" '^held back  N=65536: [0-9.]+ ms, '
    has "$output" '^held back  worst loss [0-9.]+ %'
    run --separate-stderr "$fake" bench --space space/two.spec --emitted two/again/two.json --problem N=98304 --variants --sustain 0 --json
    status_is 0
    # The loss is what it says against the fastest.
    json '.variants | length >= 1'
    json '(([.kernel.time_ms] + [.variants[].time_ms]) | min) as $best | ((.kernel.time_ms / $best - 1) - .loss) | fabs < 0.01'
    run --separate-stderr "$fake" bench --space space/two.spec --variants
    status_is 2
    has "$stderr" 'compares the variants of --emitted FILE'
}

@test "a manifest that does not serve says why" {
    make_manifest
    bench --emitted emitted/many.json --config 'THREADS=32 EACH=1'
    status_is 2
    has "$stderr" 'has no code of THREADS=32 EACH=1 for sm_90'

    sed -i 's/sm_90/sm_80/' emitted/many.json
    bench --emitted emitted/many.json
    status_is 2
    has "$stderr" "'emitted/many.json' has no code for sm_90"

    make_manifest
    rm emitted/many_2_sm90.cubin
    bench --emitted emitted/many.json
    status_is 1
    has "$stderr" 'many_2_sm90.cubin'

    make_manifest
    sed -i 's/"space": "many"/"space": "few"/' emitted/many.json
    bench --emitted emitted/many.json
    status_is 2
    has "$stderr" "is of space 'few', not 'many'"

    printf '{"entries": [' >emitted/many.json
    bench --emitted emitted/many.json
    status_is 2
    has "$stderr" "'emitted/many.json', line 1: "

    bench --emitted nowhere.json
    status_is 2
    has "$stderr" 'nowhere.json'
}
