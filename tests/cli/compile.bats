#!/usr/bin/env bats
# Compiling as a user meets it: the cache, configurations that fail, several kernels, Ctrl-C.
load common

@test "a second run finds all in the cache and starts no compiler" {
    tune --space "$data/synthetic.spec" --arch sm_90 --json
    status_is 0
    json '.compiled == 8 and .from_cache == 0 and .workers_started >= 1'

    tune --space "$data/synthetic.spec" --arch sm_90 --json
    status_is 0
    json '.compiled == 8 and .from_cache == 8 and .workers_started == 0'
}

@test "a cache that cannot be written costs a warning" {
    echo >file
    tune --space "$data/pair.spec" --arch sm_90 --cache-dir file/below
    status_is 0
    has "$stderr" 'warning: nothing is cached'
}

@test "configurations that do not compile are results" {
    tune --space "$data/fails.spec" --arch sm_90 --json
    status_is 0
    json '.configurations == 4 and .compiled == 1 and .failed == 3'
}

@test "a failure of the compiler's front end is shown by --why" {
    tune --space "$data/fails.spec" --arch sm_90 --why "WIDTH=3 TILE=256"
    status_is 0
    has "$output" '^WIDTH=3 TILE=256: did not compile: fails.cu\(4\): error: .*a width of 3 is not supported'
}

@test "a failure of the compiler's assembler is shown by --why" {
    tune --space "$data/fails.spec" --arch sm_90 --why "WIDTH=1 TILE=16384"
    status_is 0
    has "$output" "^WIDTH=1 TILE=16384: did not compile: ptxas error .*'fails' uses too much shared data"
}

@test "a failure of the assembler is one group for all instances of a kernel" {
    tune --space "$data/overfull.spec" --arch sm_90 --json
    status_is 0
    json '.compiled == 2 and .failed == 4 and (.failures | length) == 1 and .failures[0].count == 4'
}

@test "what no multiprocessor can hold is dropped, with its reason" {
    tune --space "$data/wide.spec" --arch sm_90 --json
    status_is 0
    json '.configurations == 2 and .compiled == 1 and .selected == 1'
    json '.failed == 0 and .unlaunchable == 1 and .failures[0].example.BLOCK == 1024'

    tune --space "$data/wide.spec" --arch sm_90
    status_is 0
    has "$output" '^compiled +1  0 failed, 1 of distinct code'
    has "$output" '^ +1  more dropped: registers or shared memory per block$'
    has "$output" '1 × no multiprocessor holds a block of 1024 threads with [0-9]+ registers each'

    tune --space "$data/wide.spec" --arch sm_90 --why "BLOCK=1024"
    status_is 0
    has "$output" '^BLOCK=1024: needs too much: no multiprocessor holds a block of 1024 threads with [0-9]+ registers each'
}

@test "when nothing compiles the first failure is shown" {
    tune --space "$data/hopeless.spec" --arch sm_90
    status_is 1
    has "$stderr" '^aptune: error: no configuration compiled; the first failure: hopeless.cu\(1\): .*#error directive: no configuration of this one compiles'
}

@test "the line with the error is shown, not a warning before it" {
    cp "$data/hopeless.spec" .
    printf '#warning this is no error\n#error but this\n' >hopeless.cu
    tune --space hopeless.spec --arch sm_90
    status_is 1
    has "$stderr" 'first failure: hopeless.cu\(2\): .*but this'
}

@test "two kernels of one file with the same geometry are told apart, also from the cache" {
    tune --space "$data/pair.spec" --arch sm_90 --json
    status_is 0
    json '.compiled == 2 and .distinct == 2'
    cp aptune-out/pair/configurations.csv fresh.csv

    tune --space "$data/pair.spec" --arch sm_90 --json
    status_is 0
    json '.workers_started == 0'
    cmp fresh.csv aptune-out/pair/configurations.csv

    sed 's/second/first/' "$data/pair.spec" >other.spec
    cp "$data/pair.cu" .
    tune --space other.spec --arch sm_90
    run ! cmp fresh.csv aptune-out/other/configurations.csv
}

@test "a kernel that is repeated 0 times is compiled, with nothing to profile" {
    cat >twice.cu <<'EOF'
extern "C" __global__ void one(float *c) { c[threadIdx.x] = 1; }
extern "C" __global__ void two(float *c) { c[threadIdx.x] *= 2; }
EOF
    printf '%s\n' 'param TWICE in 0, 1' 'out c : float[64]' 'kernel "twice.cu" one' 'block 64' 'grid 1' 'args c' \
        'kernel "twice.cu" two' 'block 64' 'grid 1' 'args c' 'repeat TWICE' >twice.spec
    tune --space twice.spec --arch sm_90 --json
    status_is 0
    json '.compiled == 2 and .failed == 0'
}

@test "a compile that takes too long is given up" {
    sed 's/range(0, 8)/1/' "$data/endless.spec" >endless.spec
    cp "$data/endless.cu" .
    tune --space endless.spec --arch sm_90 --compile-limit 0.5
    status_is 1
    has "$stderr" 'first failure: the compiler took longer than 0.5 s'
}

@test "configurations of the same code are judged once" {
    cp "$data/synthetic.cu" .
    { cat "$data/synthetic.spec"; echo 'param IDLE in 0, 1'; } >x.spec
    tune --space x.spec --arch sm_90 --json --why "THREADS=64 EACH=1 IDLE=1"
    status_is 0
    json '.compiled == 16 and .distinct == 8'
    json '.why == "THREADS=64 EACH=1 IDLE=1: compiles to the same code as THREADS=64 EACH=1 IDLE=0, which stands for both"'
}

# How many processes of the session $1 are named $2 and still run.
members() {
    cat /proc/[0-9]*/stat 2>/dev/null |
        awk -v session="$1" -v name="($2)" '$2 == name && $6 == session && $3 != "Z"' | wc -l
}

@test "Ctrl-C while compiling ends at once and leaves no compiler" {
    # A shell starts background jobs with SIGINT ignored.
    setsid env --default-signal=INT "$APTUNE" --space "$data/endless.spec" --arch sm_90 --no-gpu >out 2>&1 3>&- &
    local leader=$!
    for ((i = 0; i < 200 && $(members $leader aptune-compile) == 0; i++)); do sleep 0.05; done
    [ "$(members $leader aptune-compile)" -gt 0 ]

    kill -INT $leader # the program alone, not its compilers
    local code=0
    wait $leader || code=$?

    [ "$code" -eq 130 ]
    for ((i = 0; i < 40 && $(members $leader aptune-compile) > 0; i++)); do sleep 0.05; done
    [ "$(members $leader aptune-compile)" -eq 0 ]
}
