#!/usr/bin/env bats
# Trip counts that a spec says of loops whose ends are data, and predictions that cannot be.
load common
holds='.*'
held_files=csv
held_less='s/accesses [(]THREADS.*//; s/up to [0-9]+ %/up to %/g' # whichever was profiled first

# Rows of a sparse matrix, whose ends nobody knows: the kernel writes to the buffer that they stand in, and behind
# a fence another thread's store may be met.
setup() {
    set_up
    cat >csr.cu <<'EOF2'
extern "C" __global__ void csr(float *y, int *first, const int *column, const float *value,
                               const float *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    __threadfence();
    float sum = 0;
#pragma unroll UNROLL
    for (int k = first[row]; k < first[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
    first[rows + 1 + row] = 1;
}
EOF2
    cat >csr.spec <<'EOF2'
kernel "csr.cu" csr
problem ROWS = 65536, NONZERO = 1310720
param THREADS in 64, 128, 256
param UNROLL in 1, 4
block THREADS
grid ceil_div(ROWS, THREADS)
trips "k < first[row + 1]" = NONZERO / ROWS
out y : float[ROWS]
inout first : int[2 * ROWS + 1] = uniform(0, 9)
in column : int[NONZERO] = uniform(0, ROWS - 1)
in value : float[NONZERO] = uniform(-1, 1)
in x : float[ROWS] = uniform(-1, 1)
arg rows : int = ROWS
reference first
tolerance 1e-5
EOF2
}

static_run() {
    run --separate-stderr "$APTUNE" --space "$1" --no-gpu --static --emit none --arch h200 --jobs 2 --output out
    status_is 0
}

# field FIELD: its values in the rows of the profile, each once.
field() {
    jq -r -s --arg f "$1" '(.[0].fields | index($f)) as $k | [.[1:][].f[$k]] | unique | map(tostring) | join(" ")' \
        out/csr.profile
}

@test "a stated trip count makes the loop known, unrolled or not" {
    "$APTUNE" check csr.spec
    static_run csr.spec
    [ "$(field loops_unknown) $(field branches_unknown) $(field unknown_share)" = "0 0 0" ]
    [ "$(field global_loads)" = 62 ] # 2 ends and 20 rounds of 3, in fives of 4 where it is unrolled
    sed -i '/^trips/d' csr.spec
    static_run csr.spec
    [ "$(field loops_unknown)" != 0 ]
    has "$stderr" 'the iterations of loops with .trips.'
}

@test "check judges what is said of a loop" {
    change() {
        sed "$1" csr.spec >d.spec
        run --separate-stderr "$APTUNE" check d.spec
    }
    change 's/^trips.*/trips 10 = 20/'
    status_is 0
    [ -z "$stderr" ]
    change 's/^trips.*/trips 11 = 20/'
    status_is 0
    [ -z "$stderr" ] # where what repeats begins, as explain says
    change 's/^trips.*/trips 12 = 20/'
    status_is 2
    has "$stderr" 'error: no loop of the kernel is in line 12; lines of its loops: 10$'
    change 's/^trips.*/trips 99 = 20/'
    status_is 2
    has "$stderr" 'no line 99'
    change 's/^trips.*/trips "first" = 20/'
    status_is 2
    has "$stderr" "'first' occurs in [0-9] lines"
    change 's/^trips.*/trips 10 = 0 - 1/'
    has "$stderr" 'cannot have -1 iterations'
    change 's/^inout first.*/in first : int[2 * ROWS + 1] = uniform(0, 9)/;s/"csr.cu"/"read.cu"/'
    sed 's/int \*first/const int *first/;/first\[rows/d' csr.cu >read.cu
    run --separate-stderr "$APTUNE" check d.spec
    has "$stderr" 'not used: the trip count of the loop in line 10'
}

@test "a loop without a condition is named by its keyword, a head of two lines by either" {
    hold_nothing
    cat >loops.cu <<'EOF2'
extern "C" __global__ void loops(int *x)
{
    int i = x[threadIdx.x];
    x[threadIdx.x + 32] = i;
    __threadfence();
    for (;;) {
        // {
        i = i * 3 + x[i & 31];
        if (i > 4000)
            break;
    }
    do {
        i = x[i & 31];
    } while (i > 7);
    for (int m = i;
         m > x[m & 31]; m = x[2 * m & 31])
        x[(m & 31) + 32] = m;
    x[threadIdx.x + 32] = i;
}
EOF2
    printf '%s\n' 'kernel "loops.cu" loops' 'param B in 32, 64' 'block B' 'grid 1' 'inout x : int[96] = uniform(0, 9)' \
        'reference first' 'trips LINE = 3' 'option "-lineinfo"' >loops.spec
    local named=
    for line in $(seq 4 19); do
        sed "s/LINE/$line/" loops.spec >d.spec
        "$APTUNE" check d.spec >said 2>&1 && named+=" $line" || grep -q "in line $line; lines of its loops: 8, 13, 16" said
    done
    [ "$named" = ' 6 8 9 12 13 14 15 16 17' ]
    "$APTUNE" explain d.spec B=32 --arch h100 2>said
    grep -oE 'line [0-9]+ of loops.cu: the loop' said >told
    for line in $(grep -oE '[0-9]+' told); do
        [[ "$named " = *" $line "* ]]
    done
}

@test "nothing is faster than its bytes come: suspicious and raised" {
    sed 's/^tolerance/work bytes = THREADS == 64 ? 1000000000000 : 1000\n&/' csr.spec >d.spec
    static_run d.spec
    has "$output" 'suspicious +2  predicted implausibly fast'
    grep 'THREADS=64\|^64' out/configurations.csv >/dev/null
    "$APTUNE" --space d.spec --no-gpu --static --emit none --arch h200 --output out2 --json |
        jq -e '.suspicious == 2' >/dev/null
}

@test "of unknown data what decides is named, not what is only added to, and no trips where no loop is" {
    cat >k.cu <<'END'
__global__ void build(const int *key, int *table) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (key[i] % 5 == 1) table[i] = i; }
__global__ void probe(const int *key, const int *table, int *sum) {
    __shared__ int s[32]; int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x % 32] = table[key[i]]; __syncthreads();
    if (s[i % 32]) atomicAdd(&sum[s[i % 32] % 1000], 1);
}
END
    printf '%s\n' 'param THREADS in 64, 128' 'kernel "k.cu" "build"' 'block THREADS' 'grid 65536 / THREADS' 'args key, table' 'kernel "k.cu" "probe"' \
        'block THREADS' 'grid 65536 / THREADS' 'args key, table, sum' 'inout sum : int[1000]' 'in key : int[65536] = uniform(0, 65535)' >rest
    for table in 'scratch table : int[65536] = zero' 'inout table : int[65536]'; do
        { cat rest; echo "$table"; } >k.spec
        tune --space k.spec --static --arch h100
        status_is 0
        case $table in
        scratch*) has "$stderr" "\); what launches write to 'table' is not followed; rely on times" ;;
        inout*) has "$stderr" "\); state the contents of 'table' \(formula, .* decide; rely on times" ;;
        esac
    done
}

@test "walks read the spec's files from wherever it is named" {
    sed '/threadfence/d;s/int \*first/const int *first/;/first\[rows/d' csr.cu >read.cu
    sed '/^trips/d;s/"csr.cu"/"read.cu"/;s/^inout first.*/in first : int[ROWS + 1] = file("ends.raw")/' csr.spec >read.spec
    head -c 262148 /dev/zero >ends.raw
    for name in read.spec "$PWD/read.spec" ../"${PWD##*/}"/read.spec; do
        rm -rf out
        static_run "$name"
        mv out/read.profile out/csr.profile
        [ "$(field loops_unknown) $(field unknown_share) $(field global_loads)" = "0 0 2" ]
    done
}
