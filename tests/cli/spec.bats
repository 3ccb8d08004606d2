#!/usr/bin/env bats
# Specs as a user meets them: check, convert, several problems, commands that print kernels.
load common
holds='.*'
held_files=csv

peers=$SOURCE/tests/data/peers

check() {
    run --separate-stderr "$APTUNE" check "$@"
}

@test "specs of kernels in the style of others are sound" {
    for spec in "$peers"/*.spec; do
        check "$spec" --run-commands
        status_is 0
        has "$output" 'the parameters of [1-9]'
    done
}

# A copy of a peer's files with one replacement in the spec, and what check says of it.
change() {
    cp "$peers"/* .
    sed -i "$2" "$1.spec"
    check "$1.spec"
    status_is 2
}

@test "a kernel that takes another number of parameters" {
    change vector_add '/^arg n/d'
    has "$stderr" "'vector_add' takes 4 parameters, but the spec gives it 3: a, b, c"
}

@test "a parameter of another size, of another kind, and a number for a pointer" {
    change vector_add 's/^arg n : int/arg n : int64/'
    has "$stderr" "parameter 4 of 'vector_add' has 4 bytes, but 'n' is a number, int64 of 8"
    change vector_add 's/^arg n : int = n/arg n : float = 1/'
    has "$stderr" "parameter 4 of 'vector_add' is an integer, but 'n' is float"
    change vector_add 's/^arg n : int = n/arg n : int2 = 1/'
    has "$stderr" "parameter 4 of 'vector_add' has 4 bytes, but 'n' is a number, int2 of 8"
    change vector_add 's/^in a .*/arg a : int = 1/'
    has "$stderr" "parameter 1 of 'vector_add' (is a pointer|has 8 bytes), but 'a' is a number"
}

@test "arithmetic that fails for every configuration is shown where it fails" {
    change vector_add '$a let NOTHING = 1 / 0'
    has "$stderr" "vector_add.spec:[0-9]+:[0-9]+: error: .*division by zero"
    change vector_add '/^grid/s/.*/&\nrepeat 0/'
    has "$stderr" "vector_add.spec:[0-9]+:[0-9]+: error: .*no kernel is launched"
}

@test "arithmetic that fails for a part of the configurations is shown, too, and their number" {
    sed '/^grid/s/.*/&\nrepeat BLOCK == 64 ? -1 : 1/' "$peers/vector_add.spec" >part.spec
    cp "$peers/vector_add.cu" .
    check part.spec
    status_is 0
    has "$stderr" 'part.spec:9:8: warning: BLOCK=64 EACH=1: a launch repeats less than no times; it and 2 others are dropped'
    has "$output" '^  [0-9]+ dropped: geometry cannot be computed$'
    lacks "$output" 'dropped by the limits'
}

@test "check says which limits drop configurations before compiling" {
    sed '/^block/s/.*/block 16 * BLOCK/' "$peers/vector_add.spec" >large.spec
    cp "$peers/vector_add.cu" .
    check large.spec
    status_is 0
    has "$output" '^  [0-9]+ dropped by the limits of NVIDIA H200 before compiling$'
    has "$output" '^    [0-9]+ × too many threads in a block$'
}

@test "a buffer that no device can hold" {
    change vector_add 's/^in a : float.n. .*/in a : float[4611686018427387904]/'
    has "$stderr" "vector_add.spec:[0-9]+:4: error: 'a' is larger than the memory of any device"
}

@test "random contents whose numbers are the wrong way round" {
    change vector_add 's/^in a .*/in a : float[n] = uniform(1, 0)/'
    has "$stderr" 'vector_add.spec:[0-9]+:30: error: the high end of uniform is below its low end'
    change vector_add 's/^in a .*/in a : float[n] = normal(0, -1)/'
    has "$stderr" 'vector_add.spec:[0-9]+:[0-9]+: error: a deviation must not be negative'
}

@test "a reference that cannot be launched" {
    change vector_add '/^reference/d; $a reference "vector_add.cu" vector_add block 2048 grid 1'
    has "$stderr" 'vector_add.spec:[0-9]+:1: error: the reference cannot be launched: too many threads'
}

@test "a kernel that the file does not have" {
    change vector_add 's/vector_add$/vector_sum/'
    has "$stderr" "has no kernel 'vector_sum'; it has vector_add$"
    change vector_add 's/^kernel .*/kernel "vector_add.cu" "vector_sum"/'
    has "$stderr" "has no kernel 'vector_sum'; it has vector_add$"
}

@test "a kernel whose template arguments the file does not declare" {
    echo 'template <class T> __global__ void k(T *x) { x[threadIdx.x] = 1; }' >k.cu
    for name in 'k<half>' 'l<half>'; do
        printf '%s\n' "kernel \"k.cu\" \"$name\"" 'param B in 32, 64' 'block B' 'grid 1' 'out x : half[64]' >k.spec
        check k.spec
        status_is 2
        case $name in
        k*) has "$stderr" "refuses 'k<half>': identifier \"half\" is undefined; a header .* may be missing" ;;
        l*) has "$stderr" "'k.cu' has no kernel 'l<half>'; it has k$" ;;
        esac
    done
}

@test "all headers that are missing are named at once, and the options without them can be pasted" {
    printf '#include "%s"\n' here.h gone.h lib/far.cuh >k.cu
    echo '#include <lib/deep.h>' >here.h
    echo 'extern "C" __global__ void k(int *x) { x[threadIdx.x] = 1; }' >>k.cu
    printf '%s\n' 'kernel "k.cu" k' 'param B in 32, 64' 'block B' 'grid 1' 'out x : int[64]' 'reference first' >k.spec
    check k.spec
    status_is 2
    [ "$(grep -c 'catastrophic' <<<"$stderr")" = 1 ]
    grep '^option ' <<<"$stderr" >options
    [ "$(cat options)" = 'option "--without-header=lib/deep.h"
option "--without-header=gone.h"
option "--without-header=lib/far.cuh"' ]
    cat options >>k.spec
    check k.spec
    status_is 0
}

@test "a kernel in quotes whose file does not compile" {
    echo 'namespace { __global__ void k(float *a) { a[0] = missing; } }' >k.cu
    printf '%s\n' 'kernel "k.cu" "k"' 'param N in 1, 2' 'block N' 'grid 1' 'inout A : float[1]' 'reference first' >k.spec
    run "$APTUNE" check k.spec
    status_is 2
    has "$output" 'k.cu\(1\): error: identifier "missing" is undefined'
    lacks "$output" "has no kernel"
}

@test "a header that an option includes may be written for nvcc, for the reference, too" {
    printf '#include <iostream>\ninline void say(std::string s) { std::cout << s; }\n' >pre.h
    echo 'extern "C" __global__ void k(int *a) { a[0] = 1; }' >k.cu
    printf '%s\n' 'kernel "k.cu" k' 'param N in 1, 2' 'block N' 'grid 1' 'out A : int[1]' 'option "--pre-include=pre.h"' \
        'reference "r.cu" k block 1 grid 1' >k.spec
    cp k.cu r.cu
    check k.spec
    status_is 0
}

@test "what macros make for hosts is removed, and what stays may print" {
    cat >k.cu <<'END'
#include <iostream>
template <class T> struct Shown { T t; Shown(T a) : t(a) {} };
#define DEV __device__
#define PAIR(T)                                                                        \
    struct T##2 { T x, y; DEV T sum() const { return x + y; }                          \
                  void print(std::ostream &s, T i) const { s << x << ' ' << y << i; } }; \
    inline std::ostream &operator<<(std::ostream &s, const T##2 &a) { return s << Shown<T>(a.x); }
typedef int number;
PAIR(number)
__global__ void k(float *a) { number2 b = {1, 2}; a[0] = b.sum(); }
END
    printf '%s\n' 'kernel "k.cu" "k"' 'param N in 1, 2' 'block N' 'grid 1' 'out A : float[1]' 'reference first' >k.spec
    check k.spec
    status_is 0
}

@test "errors of a file with several kernels are told once" {
    printf '__global__ void %s(int *a) { a[%s] = missing; }\n' k 0 l 1 >k.cu
    printf '%s\n' 'param N in 1, 2' 'out A : int[2]' 'kernel "k.cu" "k"' 'block N' 'grid 1' 'kernel "k.cu" "l"' 'block N' 'grid 1' \
        'reference "k.cu" "k" block 1 grid 1' >k.spec
    check k.spec
    status_is 2
    [ "$(grep -c 'this does not compile' <<<"$stderr") $(grep -c 'error: identifier' <<<"$stderr")" = '1 2' ]
}

@test "only what kernels use, the one that is named and others that the spec launches" {
    echo '__device__ void rest() { missing(); } extern "C" __global__ void first(float *a) { a[0] = 1; }' >only.cu
    echo 'namespace n { struct Two { static const int is = 2; };' >>only.cu
    echo 'template <int N, class T> __global__ void second(float *a) { a[1] = N * T::is; } }' >>only.cu
    printf '%s\n' 'param N in 1, 2' 'option "--only-for=first"' 'kernel "only.cu" first' 'block N' 'grid 1' \
        'kernel "only.cu" "n::second<{N}, n::Two>"' 'block 1' 'grid 1' 'out A : float[2]' >only.spec
    run "$APTUNE" check only.spec
    status_is 0
}

@test "only what kernels use, without what unknown macros stand for, and with the namespaces that are used" {
    cat >k.cu <<'END'
#include "gone.h"
REGISTER(FIRST) // no semicolon
namespace cv { namespace q { struct P { int *x; }; } }
struct __align__(16) unused { float t; };
struct alignas(16) rest { float t; };
using namespace cv;
REGISTER(SECOND)
__device__ int one() { return 1; }
REGISTER_ALL(k,
             "float")
__global__ void k(q::P p) { p.x[threadIdx.x] = one(); }
REGISTER(LAST)
END
    printf '%s\n' 'kernel "k.cu" "k"' 'param B in 32, 64' 'block B' 'grid 1' 'args struct(x)' 'out x : int[64]' 'reference first' \
        'option "--only-for=k"' 'option "--without-header=gone.h"' >k.spec
    check k.spec
    status_is 0
}

@test "a kernel that is a template, and names of the source that are parameters" {
    echo 'template <int N> __global__ void t(float *a) { int M = 1; a[0] = N + M; }' >t.cu
    printf '%s\n' 'param N in 1, 2' 'block N' 'grid 1' 'inout A : float[1]' 'reference first' >rest
    for name in t '"t"'; do
        { echo "kernel \"t.cu\" $name"; sed s/N/P/g rest; } >t.spec
        run ! "$APTUNE" check t.spec
        has "$output" "'t' of 't.cu' is a template: name it with its arguments"
    done
    { echo 'kernel "t.cu" "t<{N}>"'; echo 'param M in 1'; cat rest; } >t.spec
    run ! "$APTUNE" check t.spec
    has "$output" "t.spec:2:7: note: 'M' is a parameter, and thus a macro"
}

# A kernel of two parameters and its spec, with one thing changed in it.
doubled() {
    cat >d.cu <<'EOF'
extern "C" __global__ void doubled(const float *x, float *y, int n)
{
    static_assert(BLOCK * EACH <= 1024, "a block of so many makes too much");
    for (int i = blockIdx.x * BLOCK * EACH + threadIdx.x; i < n; i += BLOCK)
        y[i] = 2 * x[i];
}
EOF
    sed "$1" >d.spec <<'EOF'
kernel "d.cu" doubled
problem N = 4096
param BLOCK in 64, 128, 256
param EACH in 1, 2, 4, 8
block BLOCK
grid ceil_div(N, BLOCK * EACH)
in x : float[N] = uniform(0, 1)
out y : float[N]
arg n : int = N
reference first
EOF
    check d.spec
}

@test "the ends of parameters are compiled, and alike failures are counted together" {
    doubled ''
    status_is 0
    has "$output" '^d, N=4096: sound; 12 configurations$'
    has "$output" '^  [0-9]+ of [0-9]+ configurations with extreme parameter values compile$'
    has "$output" '^    [0-9]+ × d.cu\(3\): error: static assertion failed with "a block of so many makes too much", e.g. BLOCK='
    tune --space d.spec --arch sm_90
    status_is 0
    has "$output" ' 1 × d.cu\(3\): error: static assertion .*, e.g. BLOCK=256 EACH=8'
    tune --space d.spec --arch sm_90 --json
    json '.failures == [{"count": 1, "message": .failures[0].message, "example": {"BLOCK": 256, "EACH": 8}}]'
}

@test "what registers forbid at the ends of parameters is dropped, with its reason" {
    check "$data/wide.spec"
    status_is 0
    has "$output" '^  2 of 2 configurations with extreme parameter values compile$'
    has "$output" '^  1 of them dropped by the limits of .* after compiling$'
    has "$output" '^    1 × no multiprocessor holds a block of 1024 threads with [0-9]+ registers each .*, e.g. BLOCK=1024$'
}

@test "a parameter that nothing uses" {
    doubled 's/param EACH/param EACHE in 1, 2\nlet EACH = 1\nrequire EACHE < 3\n# EACHE\nparam UNUSED/'
    status_is 2
    has "$stderr" "nothing uses 'EACHE': neither the kernel's source nor a launch"
}

@test "a parameter with one value that nothing uses is no error, and one that constraints use no matter" {
    doubled 's/param EACH/param LIMIT in 1024\nparam OTHER in 0\nrequire LIMIT > 3\nparam EACH/'
    status_is 0
    has "$stderr" "warning: nothing uses 'OTHER': neither the kernel's source nor a launch"
    lacks "$stderr" "LIMIT"
}

@test "a parameter that only another one's values use" {
    doubled 's/param EACH in/param HALF in 1, 4\nparam EACH in HALF * 2 #/'
    status_is 0
    lacks "$stderr" "HALF"
}

@test "a store to an input, an output that nobody writes, another type than the declaration has" {
    doubled 's/^out y/in y/; /reference/d'
    status_is 2
    has "$stderr" "d.spec:8:4: error: 'y' is an 'in', but 'doubled' stores to it"
    doubled 's/^in x/inout x/'
    status_is 2
    has "$stderr" "d.spec:7:7: error: no kernel writes 'x'"
    doubled 's/^in x : float/in x : half/'
    status_is 2
    has "$stderr" "'x' is of half, but 'doubled' takes it as float \*"
    has "$(grep -c error: <<<"$stderr")" '^1$'
    doubled 's/^in x : float/in x : half/; s/^arg n : int/arg n : float/'
    status_is 2
    has "$stderr" "'x' is of half, but 'doubled' takes it as float \*"
    has "$stderr" "parameter 3 of 'doubled' is an integer, but 'n' is float"
}

@test "a buffer smaller than the accesses that are proven" {
    change vector_add 's/^in b : float\[n\]/in b : float[n - 1]/'
    has "$stderr" "'vector_add' accesses element [0-9]+ of 'b', which has 999999"
}

@test "a copy that fills up with zeros behind the end reads nothing there" {
    cat >edge.cu <<'END'
extern "C" __global__ void edge(const float *x, float *y, int n)
{
    __shared__ float tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    const int bytes = i < n ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::
                 "r"((unsigned)__cvta_generic_to_shared(&tile[threadIdx.x])), "l"(x + i), "r"(bytes));
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (i < n)
        y[i] = tile[threadIdx.x] + PLUS;
}
END
    cat >edge.spec <<'END'
kernel "edge.cu" edge
param PLUS in 1, 2
block 64
grid 2
in x : float[100] = uniform(0, 1)
out y : float[100]
arg n : int = 100
END
    run --separate-stderr "$APTUNE" check edge.spec
    status_is 0
    sed -i 's/"r"(bytes)/"n"(4)/; s/int bytes/int unused/; /unused/d' edge.cu
    run --separate-stderr "$APTUNE" check edge.spec
    status_is 2
    has "$stderr" "'edge' accesses element 127 of 'x', which has 100"
}

@test "what only one of many warps may do behind an unknown branch proves nothing" {
    cat >flag.cu <<'END'
extern "C" __global__ void flag(float *x, int *flag)
{
    flag[64] = 0;
    if (blockIdx.x == 0 && flag[threadIdx.x] == SECRET)
        x[1 << 20] = 1;
    x[blockIdx.x * 32 + threadIdx.x] = 1;
}
END
    cat >flag.spec <<'END'
param SECRET in 1, 2
kernel "flag.cu" flag
block 32
grid 64
out x : float[2048]
scratch flag : int[65]
END
    run --separate-stderr "$APTUNE" check flag.spec
    status_is 0
}

@test "of a space too large to be listed, some that are drawn stand for all" {
    cat >large.cu <<'END'
extern "C" __global__ void large(float *y) { y[threadIdx.x] = A + B + C; }
END
    cat >large.spec <<'END'
kernel "large.cu" large
param A in range(1, 1001)
param B in range(1, 1001)
param C in range(1, 1001)
block 64
grid 1
out y : float[64]
END
    run --separate-stderr "$APTUNE" check large.spec
    status_is 0
    has "$output" '^large: sound; 1000000000 configurations$'
    has "$output" '^  the rest was checked on 2000 of them, drawn at random'
}

@test "a variable of another size, and one that the code does not have" {
    change convolution 's/^constant filter : float\[7 \* 7\]/constant filter : float[7]/'
    has "$stderr" "the variable 'filter' has 196 bytes, but its contents have 28"
    change convolution 's/^constant filter/constant filters/'
    has "$stderr" "the code has no variable 'filters'"
}

@test "a variable that an included file leaves out is no mistake" {
    cat >table.h <<'END'
#if WEIGHED
__constant__ float weights[4];
#define WEIGHT weights[threadIdx.x % 4]
#else
#define WEIGHT 1
#endif
END
    cat >weighed.cu <<'END'
#include "table.h"
extern "C" __global__ void weighed(float *y) { y[threadIdx.x] = WEIGHT; }
END
    cat >weighed.spec <<'END'
kernel "weighed.cu" weighed
param WEIGHED in 0, 1
require WEIGHED == 0
block 64
grid 1
constant weights : float[4] = uniform(0, 1)
out y : float[64]
END
    run --separate-stderr "$APTUNE" check weighed.spec
    status_is 0
}

@test "files that are missing or of another size or type" {
    cp "$peers"/vector_add.* "$SOURCE"/tests/data/spec/six.* .
    for line in 's/^in a .*/in a : float[n] = file("none.npy")/;there is no file' \
        's/^in a .*/in a : float[n] = file("six.npy")/;holds 24 bytes' \
        's/^in a .*/in a : int[6] = file("six.npy")/;its type is .<f4. and not int32'; do
        sed "${line%%;*}" vector_add.spec >x.spec
        check x.spec
        status_is 2
        has "$stderr" "${line##*;}"
    done
}

@test "contents that do not fit their buffer" {
    change nbody 's/^in planes.*/in planes : float[5 * n] = lanes(bodies)/'
    has "$stderr" "'planes' has 40960 numbers, 'bodies' gives 32768"
    change digest 's/formula(.*)/formula(-i)/'
    has "$stderr" "the value for i = 1 does not fit into uint32"
}

@test "a command prints a kernel only when that is allowed" {
    check "$peers/generated.spec"
    status_is 2
    has "$stderr" 'a command prints this kernel; --run-commands allows aptune to run it'
}

@test "a command that fails is told" {
    cp "$peers"/generated.spec .
    check generated.spec --run-commands
    status_is 2
    has "$stderr" "'bash generate.sh 1' failed \(exit status 127\)"
}

@test "each problem has results of its own" {
    tune --space "$peers/vector_add.spec" --arch sm_90
    status_is 0
    [ -f aptune-out/vector_add/n=1000000/configurations.csv ]
    [ -f aptune-out/vector_add/n=4096/configurations.csv ]
    rm -r aptune-out
    tune --space "$peers/vector_add.spec" --arch sm_90 --problem n=4096
    status_is 0
    [ ! -e aptune-out/vector_add/n=1000000 ]
    tune --space "$peers/vector_add.spec" --arch sm_90 --problem m=5
    status_is 2
    has "$stderr" "there is no problem 'm=5'; there are 'n=1000000', 'n=4096'"
}

@test "cycles of launches in a row add up" {
    cp "$peers"/stencil.* .
    tune --space stencil.spec --arch sm_90
    cut -d, -f1,$(head -1 aptune-out/stencil/configurations.csv | tr , '\n' | grep -n launch_cycles | cut -d: -f1) \
        aptune-out/stencil/configurations.csv >ten
    sed -i 's/range(10)/range(20)/' stencil.spec
    tune --space stencil.spec --arch sm_90 --output twenty
    cut -d, -f1,$(head -1 twenty/configurations.csv | tr , '\n' | grep -n launch_cycles | cut -d: -f1) \
        twenty/configurations.csv >twenty.csv
    paste -d, ten twenty.csv | awk -F, 'NR > 1 { r = $4 / $2; if (r < 1.9999 || r > 2.0001) exit 1; n++ } END { exit n != 4 }'
}

@test "profiles of launches in a row come from a recording as they are made here" {
    mkdir -p space/recordings
    cp "$peers"/stencil.* space
    "$tests/synthetic_recording" space/stencil.spec space/recordings
    tune --space space/stencil.spec --output recorded
    status_is 0
    has "$output" 'profiles from the recording'
    tune --space space/stencil.spec --output fresh --compile
    status_is 0
    lacks "$output" 'profiles from the recording'
    cmp recorded/configurations.csv fresh/configurations.csv
}

@test "the text of an option is computed where its condition holds" {
    cat >share.cu <<'EOF2'
#ifndef SHARE
#define SHARE 1
#endif
extern "C" __global__ void share(float *y)
{
    y[threadIdx.x] = SHARE + PART;
}
EOF2
    cat >share.spec <<'EOF2'
kernel "share.cu" share
param PART in 0, 2
block 32
grid 1
option "-DSHARE={64 / PART}" if PART > 0
out y : float[32]
EOF2
    tune --space share.spec --static --arch sm_90 --emit none --output out --json
    status_is 0
    json '.compiled == 2 and .failed == 0'
}

@test "an unroll factor of 0 is no pragma" {
    cp "$peers"/convolution* .
    tune --space convolution.spec --arch sm_90 --output with
    grep '^16,4,1,0,' with/configurations.csv | cut -d, -f5- | sed 's/,"BLOCK.*//' >zero
    sed -i '/pragma unroll/d' convolution.cu
    tune --space convolution.spec --arch sm_90 --output without
    grep '^16,4,1,0,' without/configurations.csv | cut -d, -f5- | sed 's/,"BLOCK.*//' >none
    cmp zero none
}

@test "check warns of a reference in the kernels' file that a parameter changes" {
    cat >own.cu <<'END'
#define HALF (TILE / 2)
extern "C" __global__ void k(float *out, const float *in, int n)
{
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
extern "C" __global__ void by_tile(float *out, const float *in, int n)
{
    int i = blockIdx.x * (2 * HALF) + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
extern "C" __global__ void alone(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
END
    cat >own.spec <<'END'
kernel "own.cu" k
problem N = 4096
param TILE in 64, 128, 256
block TILE
grid ceil_div(N, TILE)
out o : float[N]
in i : float[N] = uniform(-1, 1)
arg n : int = N
reference "own.cu" alone block 64 grid ceil_div(N, 64)
tolerance 1e-6
END
    check own.spec
    status_is 0
    lacks "$stderr" 'depends on'
    sed 's/ alone / by_tile /' own.spec >by_tile.spec
    check by_tile.spec
    status_is 0
    has "$stderr" "by_tile.spec:9:.* warning: the reference 'by_tile' depends on parameters, such as TILE"
}

@test "a reference without args takes what the only kernel takes" {
    cat >own.cu <<'END'
extern "C" __global__ void k(float *out, const float *in)
{
    out[blockIdx.x * TILE + threadIdx.x] = 2 * in[blockIdx.x * TILE + threadIdx.x];
}
extern "C" __global__ void alone(float *out, const float *in)
{
    out[blockIdx.x * 64 + threadIdx.x] = 2 * in[blockIdx.x * 64 + threadIdx.x];
}
END
    cat >own.spec <<'END'
kernel "own.cu" k
problem N = 4096
param TILE in 64, 128, 256
block TILE
grid N / TILE
in i : float[N] = uniform(-1, 1)
out o : float[N]
arg n : int = N
args o, i
reference "own.cu" alone block 64 grid N / 64
END
    check own.spec
    status_is 0
    # A choice is the kernel's own: then the reference takes all in the order of the file.
    sed -i 's/^args .*/args TILE == 64 ? o : o, i/' own.spec
    check own.spec
    status_is 2
    has "$stderr" "'alone' takes 2 parameters, but the spec gives it 3: i, o, n"
}

@test "a reference may be a template, named by an expression with its values" {
    cat >own.cu <<'END'
extern "C" __global__ void k(float *out, const float *in, int n)
{
    out[blockIdx.x * TILE + threadIdx.x] = 2 * in[blockIdx.x * TILE + threadIdx.x];
}
END
    cat >plain.cu <<'END'
template <int n> __global__ void times(float *out, const float *in, int)
{
    out[blockIdx.x * 64 + threadIdx.x] = n * in[blockIdx.x * 64 + threadIdx.x];
}
END
    cat >own.spec <<'END'
kernel "own.cu" k
problem N = 4096
param TILE in 64, 128
block TILE
grid N / TILE
out o : float[N]
in i : float[N] = uniform(-1, 1)
arg n : int = N
reference "plain.cu" "times<{N / 2048}>" block 64 grid N / 64
END
    check own.spec
    status_is 0
    has "$output" 'the parameters of 2 kernels fit'
}

@test "check looks at a configuration that compiles, and counts those that do not" {
    cat >some.cu <<'END'
extern "C" __global__ void some(float *out)
{
    static_assert(TILE >= 128, "too small");
    out[blockIdx.x * TILE + threadIdx.x] = 1;
}
END
    printf 'kernel "some.cu" some\nproblem N = 4096\nparam TILE in 64, 128, 256\nblock TILE\n' >some.spec
    printf 'grid N / TILE\nout o : float[N]\nreference first\n' >>some.spec
    check some.spec
    status_is 0
    has "$output" '^ +1 of 2 configurations with extreme parameter values compile$'
    has "$output" '1 .*too small.*TILE=64'
    sed -i 's/>= 128/>= 512/' some.cu
    check some.spec
    status_is 2
    has "$stderr" 'this does not compile'
}

@test "inspect reads a cubin, too" {
    printf 'kernel "c.cu" twice\nparam B in 64\nblock B\ngrid 4\ninout x : float[256] = zero\n' >c.spec
    echo 'extern "C" __global__ void twice(float *x) { x[threadIdx.x + 64 * blockIdx.x] *= 2; }' >c.cu
    "$tests/synthetic_recording" --right --best 0 --file r c.spec .
    "$APTUNE" emit --space c.spec --output out r.times >/dev/null
    run --separate-stderr "$APTUNE" inspect out/c_1_sm90.cubin
    status_is 0
    has "$output" '^cubin for sm_90'
    has "$output" '^kernel twice$'
    has "$output" '^  parameters of 8 bytes$'
    has "$output" '^  [0-9]+ instructions:.* 1 STG'
}

# A T1 file whose parameters, conditions and kernel are given as JSON.
t1() {
    jq -n --argjson parameters "$1" --argjson kernel "$2" '{General: {BenchmarkName: "a\nparam evil in 1"},
        ConfigurationSpace: {TuningParameters: $parameters, Conditions: []}, KernelSpecification: $kernel}'
}

@test "nothing in a T1 file becomes a statement of its own" {
    plain='[{"Name": "A", "Values": "[1, 2]"}]'
    kernel='{"KernelName": "k", "KernelFile": "k.cu", "LocalSize": {"X": "32"}, "GlobalSize": {"X": "1"}}'
    t1 '[{"Name": "A in 1\noption \"--time=x\"\nparam B", "Values": "[1]"}]' "$kernel" >name.json
    run --separate-stderr "$APTUNE" convert name.json
    status_is 2
    has "$stderr" 'a parameter: .* is not a name'
    t1 "$plain" "$(jq '.KernelFile = "/etc/k.cu"' <<<"$kernel")" >path.json
    run --separate-stderr "$APTUNE" convert path.json
    status_is 2
    has "$stderr" "KernelFile: '/etc/k.cu' is not relative to the file that names it"
    t1 "$plain" "$(jq '.CompilerOptions = ["-DX=\"a\"\nparam B in 1"]' <<<"$kernel")" >option.json
    run --separate-stderr "$APTUNE" convert option.json
    lacks "$output" '^param B'
    t1 "$plain" "$kernel" >title.json
    run --separate-stderr "$APTUNE" convert title.json
    status_is 0
    lacks "$output" '^param evil'
    t1 "$plain" "$(jq '.Arguments = [{Name: "x", Type: "float", MemoryType: "Vector", Size: 4,
        FillType: "Random", FillValue: 1, RandomSeed: "1)\nparam B in (1"}]' <<<"$kernel")" >seed.json
    run --separate-stderr "$APTUNE" convert seed.json
    lacks "$output" '^param B'
    status_is 2
}

@test "convert joins lists, knows ProblemSize, and writes the kernel's path as the spec sees it" {
    mkdir -p in/src out
    echo 'extern "C" __global__ void k(float *x) { x[threadIdx.x] = A; }' >in/src/k.cu
    t1 '[{"Name": "A", "Values": "[1, 2] + list(range(3, 6)) + []"}]' \
        '{"KernelName": "k", "KernelFile": "src/k.cu", "ProblemSize": ["1024"], "LocalSize": {"X": "32"},
          "GridDivX": ["32"], "Arguments": [{"Name": "x", "Type": "float", "MemoryType": "Vector",
          "AccessType": "WriteOnly", "Size": "ProblemSize[0]*2"}]}' >in/t1.json
    run --separate-stderr "$APTUNE" convert in/t1.json --output out/x.spec
    status_is 0
    has "$output" '^out/x.spec: written'
    run --separate-stderr "$APTUNE" convert in/t1.json --output -
    status_is 0
    has "$output" '^kernel '
    [ ! -e ./- ]
    has "$(cat out/x.spec)" '^kernel "../in/src/k.cu" "k"$'
    has "$(cat out/x.spec)" '^out x : float\[\(1024\) \* 2\]'
    tune --space out/x.spec --dry-run --arch sm_90
    has "$output" '^valid +5 '
}

@test "convert refuses what a spec cannot say" {
    t1 '[{"Name": "A", "Values": "[1, 2] - 3"}]' '{"KernelName": "k"}' >list.json
    run --separate-stderr "$APTUNE" convert list.json
    status_is 2
    has "$stderr" "'A': lists can only be joined to lists"
    t1 '[{"Name": "param", "Values": "[1]"}, {"Name": "param", "Values": "[2]"}]' '{"KernelName": "k"}' >twice.json
    run --separate-stderr "$APTUNE" convert twice.json
    status_is 2
    has "$stderr" 'cannot be expressed as a spec'
    t1 '[{"Name": "A", "Values": "[1, 2]"}]' '{"KernelName": "k", "Language": "OpenCL", "LocalSize": {"X": "A * block_size_x"}}' >name.json
    run --separate-stderr "$APTUNE" convert name.json
    status_is 2
    has "$stderr" "LocalSize: 'block_size_x' is not a tuning parameter of the file"
    has "$stderr" 'the kernel is OpenCL, but only CUDA can be compiled'
}

@test "convert gives the space that the T1 file means" {
    mkdir -p a/b a/spec
    cp "$SOURCE/tests/data/spec/k.cu" a/spec
    run --separate-stderr "$APTUNE" convert "$SOURCE/tests/data/convert/convolution.json" --output a/b/x.spec
    status_is 0
    tune --space a/b/x.spec --dry-run --arch sm_90
    status_is 0
    # Counted by evaluating the file's own expressions in Python.
    has "$output" '^valid +388  configurations'
}

@test "convert refuses what it does not understand, and never executes it" {
    for text in '__import__(\"os\").system(\"touch executed\")' 'A.real' 'lambda x: x' 'A +' '(A' 'A @ 2' 'A[0]'; do
        printf '{"ConfigurationSpace": {"TuningParameters": [{"Name": "A", "Values": "[1, 2]"}], "Conditions": [{"Expression": "%s"}]}}' "$text" >x.json
        run --separate-stderr "$APTUNE" convert x.json
        status_is 2
        has "$stderr" "condition 1: "
    done
    [ ! -e executed ]
}

@test "a space of ten million is counted without a list of it" {
    # In 600 MB; sanitizers take addresses for memory.
    nm "$REAL" | grep -q __asan || ulimit -v 600000
    tune --space "$SOURCE/tests/bench/halves.spec" --arch sm_90 --dry-run --json
    status_is 0
    # Both halves have the same 3,158 of 10,000 points.
    json '.points == 100000000 and .configurations == 3158 * 3158'
    json '[.constraints[].rejected] | add == 100000000 - 3158 * 3158'
    json '.tier0_drawn == 2000'
    tune --space "$SOURCE/tests/bench/halves.spec" --arch sm_90 --static
    status_is 2
    has "$stderr" "has 9972964 valid configurations, too many to compile all: --compiles N or --seconds S"
}

@test "convert reads a T1 file with a mark of its byte order, and a grid that counts blocks beside a problem's size" {
    mkdir kern sub
    printf '__global__ void add(float *c) { c[blockIdx.x * BLOCK + threadIdx.x] = 1; }\n' >kern/add.cu
    printf '\xEF\xBB\xBF' >t1.json
    cat >>t1.json <<'END'
{"ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCK", "Type": "int", "Values": "[32, 64] + [128]", "Default": 64}]},
 "KernelSpecification": {"Language": "CUDA", "KernelName": "add", "KernelFile": "kern/add.cu", "ProblemSize": [4096, 2],
  "GlobalSize": {"X": "ProblemSize[0]*2//BLOCK"}, "LocalSize": {"X": "BLOCK"},
  "Arguments": [{"Name": "c", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant",
                 "FillValue": 0, "Size": "ProblemSize[0]*2"}]}}
END
    run --separate-stderr "$APTUNE" convert t1.json --output sub/t1.spec
    status_is 0
    has "$(cat sub/t1.spec)" '^kernel "../kern/add.cu" '
    has "$(cat sub/t1.spec)" '^grid \(4096\) \* 2 // BLOCK$'
    run --separate-stderr "$APTUNE" check sub/t1.spec
    status_is 0
    sed -i 's/"LocalSize"/"GridDivX": ["BLOCK"], "LocalSize"/' t1.json
    run --separate-stderr "$APTUNE" convert t1.json
    status_is 0
    has "$output" '^grid ceil_div\(4096, \(BLOCK\)\), ceil_div\(2, 1\)$'
    has "$stderr" 'GlobalSize is ignored: GridDiv gives the grid'
}

@test "a space none of whose points can be launched ends with a message" {
    echo '__global__ void k(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }' >z.cu
    printf 'kernel "z.cu" "k"\nproblem N = 1024\nparam BLOCK in 128, 64\nblock BLOCK\ngrid N // (N - 1024) + 1\nout a : float[N]\nreference first\n' >z.spec
    run --separate-stderr "$APTUNE" z.spec --static --arch h200 --compiles 4
    status_is 1
    has "$stderr" 'no configuration compiled; the first failure: geometry cannot be computed'
}

@test "a kernel that synchronises its grid is cooperative, and has no more blocks than fit" {
    cat >k.cu <<'END'
#include <cooperative_groups.h>
__global__ void k(int *a) { a[threadIdx.x] = 1; cooperative_groups::this_grid().sync(); a[threadIdx.x] += 1; }
END
    printf '%s\n' 'kernel "k.cu" "k"' 'block 1024' 'grid BLOCKS' 'param BLOCKS in 132, 264, 265' 'out a : int[1024]' >k.spec
    run --separate-stderr "$APTUNE" check k.spec
    status_is 2
    has "$stderr" "k.spec:1:1: error: 'k' synchronises all blocks of its grid, .*: add a line 'cooperative'"
    sed -i '3a cooperative' k.spec
    run --separate-stderr "$APTUNE" check k.spec
    status_is 0
    run --separate-stderr "$APTUNE" k.spec --static --arch h100
    status_is 0
    has "$output" '1 × 265 blocks are launched together, but the device holds 264 of them'
    "$APTUNE" init k.cu --output first.spec
    has "$(cat first.spec)" '^cooperative$'
}
