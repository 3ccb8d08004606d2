#!/usr/bin/env bats
# Specs as a user meets them: check, init, convert, several problems, commands that print kernels.
load common

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
    has "$stderr" "'vector_add' takes 4 parameters, the spec gives it 3: a, b, c"
}

@test "a parameter of another size, of another kind, and a number for a pointer" {
    change vector_add 's/^arg n : int/arg n : int64/'
    has "$stderr" "parameter 4 of 'vector_add' has 4 bytes, 'n' is a number, int64 of 8"
    change vector_add 's/^arg n : int = n/arg n : float = 1/'
    has "$stderr" "parameter 4 of 'vector_add' is an integer, 'n' is float"
    change vector_add 's/^arg n : int = n/arg n : int2 = 1/'
    has "$stderr" "parameter 4 of 'vector_add' has 4 bytes, 'n' is a number, int2 of 8"
    change vector_add 's/^in a .*/arg a : int = 1/'
    has "$stderr" "parameter 1 of 'vector_add' (is a pointer|has 8 bytes), 'a' is a number"
}

@test "arithmetic that fails for every configuration is shown where it fails" {
    change vector_add '$a let NOTHING = 1 / 0'
    has "$stderr" "vector_add.spec:[0-9]+:[0-9]+: error: .*division by zero"
    change vector_add '/^grid/s/.*/&\nrepeat 0/'
    has "$stderr" "vector_add.spec:[0-9]+:[0-9]+: error: .*a launch repeats once at least"
}

@test "a buffer that no device can hold" {
    change vector_add 's/^in a : float.n. .*/in a : float[4611686018427387904]/'
    has "$stderr" "vector_add.spec:[0-9]+:4: error: 'a' is larger than the memory of any device"
}

@test "random contents whose numbers are the wrong way round" {
    change vector_add 's/^in a .*/in a : float[n] = uniform(1, 0)/'
    has "$stderr" 'vector_add.spec:[0-9]+:30: error: the high end of uniform is below its low end'
    change vector_add 's/^in a .*/in a : float[n] = normal(0, -1)/'
    has "$stderr" 'vector_add.spec:[0-9]+:[0-9]+: error: a deviation is not negative'
}

@test "a reference that cannot be launched" {
    change vector_add '/^reference/d; $a reference "vector_add.cu" vector_add block 2048 grid 1'
    has "$stderr" 'vector_add.spec:[0-9]+:1: error: the reference cannot be launched: too many threads'
}

@test "a kernel that the file does not have" {
    change vector_add 's/vector_add$/vector_sum/'
    has "$stderr" "has no kernel 'vector_sum'; it has vector_add$"
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
    has "$output" '^  [0-9]+ of [0-9]+ configurations at the ends of parameters compile$'
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
    has "$output" '^  2 of 2 configurations at the ends of parameters compile$'
    has "$output" '^  1 of them dropped by the limits of .* after compiling$'
    has "$output" '^    1 × no multiprocessor holds a block of 1024 threads with [0-9]+ registers each .*, e.g. BLOCK=1024$'
}

@test "a parameter that nothing uses" {
    doubled 's/param EACH/param EACHE in 1, 2\nlet EACH = 1\nrequire EACHE < 3\n# EACHE\nparam UNUSED/'
    status_is 2
    has "$stderr" "nothing uses 'EACHE': neither the kernel's source nor a launch"
}

@test "a store to an input, an output that nobody writes, another type than the declaration has" {
    doubled 's/^out y/in y/; /reference/d'
    status_is 2
    has "$stderr" "d.spec:8:4: error: 'y' is an 'in', and 'doubled' stores to it"
    doubled 's/^in x/inout x/'
    status_is 2
    has "$stderr" "d.spec:7:7: error: no kernel writes 'x'"
    doubled 's/^in x : float/in x : half/'
    status_is 2
    has "$stderr" "'x' is of half, and 'doubled' takes it as float \*"
    has "$(grep -c error: <<<"$stderr")" '^1$'
    doubled 's/^in x : float/in x : half/; s/^arg n : int/arg n : float/'
    status_is 2
    has "$stderr" "'x' is of half, and 'doubled' takes it as float \*"
    has "$stderr" "parameter 3 of 'doubled' is an integer, 'n' is float"
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
    has "$output" '^  2000 of them, drawn at random, stand for all'
}

@test "a variable of another size, and one that the code does not have" {
    change convolution 's/^constant filter : float\[7 \* 7\]/constant filter : float[7]/'
    has "$stderr" "the variable 'filter' has 196 bytes, its contents 28"
    change convolution 's/^constant filter/constant filters/'
    has "$stderr" "the code has no variable 'filters'"
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
    has "$stderr" 'this kernel is printed by a command; --run-commands allows to run it'
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
    cut -d, -f1,$(head -1 aptune-out/stencil/configurations.csv | tr , '\n' | grep -n predicted_cycles | cut -d: -f1) \
        aptune-out/stencil/configurations.csv >ten
    sed -i 's/range(10)/range(20)/' stencil.spec
    tune --space stencil.spec --arch sm_90 --output twenty
    cut -d, -f1,$(head -1 twenty/configurations.csv | tr , '\n' | grep -n predicted_cycles | cut -d: -f1) \
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

@test "an unroll factor of 0 is no pragma" {
    cp "$peers"/convolution* .
    tune --space convolution.spec --arch sm_90 --output with
    grep '^16,4,1,0,' with/configurations.csv | cut -d, -f5- | sed 's/,"BLOCK.*//' >zero
    sed -i '/pragma unroll/d' convolution.cu
    tune --space convolution.spec --arch sm_90 --output without
    grep '^16,4,1,0,' without/configurations.csv | cut -d, -f5- | sed 's/,"BLOCK.*//' >none
    cmp zero none
}

@test "init writes a spec that check takes" {
    cp "$peers/vector_add.cu" .
    run --separate-stderr "$APTUNE" init vector_add.cu
    status_is 0
    has "$(cat vector_add.spec)" '^param BLOCK in 64, 128, 256, 512 +# decide'
    has "$(cat vector_add.spec)" '^in a : float\[N\]'
    has "$(cat vector_add.spec)" '^out c : float\[N\]'
    has "$(cat vector_add.spec)" '^arg n : int32 = N'
    check vector_add.spec
    status_is 0

    run --separate-stderr "$APTUNE" init vector_add.cu
    status_is 2
    has "$stderr" 'is there already'
}

@test "init says what it cannot do" {
    run --separate-stderr "$APTUNE" init "$peers/vector_add.cu" --kernel none --output -
    status_is 2
    has "$stderr" "has no kernel 'none', but vector_add"
    echo 'int main() { return 0; }' >host.cu
    run --separate-stderr "$APTUNE" init host.cu
    status_is 2
    has "$stderr" "'host.cu' has no kernel: no function with __global__"
    echo '__global__ void k(float *a); int main() { k<<<1, 1>>>(0); }' >declared.cu
    run --separate-stderr "$APTUNE" init declared.cu
    status_is 2
    has "$stderr" "'declared.cu' has no kernel: no function with __global__ and a body"
    mkdir beside
    cp declared.cu beside
    echo '__global__ void k(float *a) { a[0] = 1; }' >beside/k.cu
    run --separate-stderr "$APTUNE" init beside/declared.cu
    status_is 2
    has "$stderr" "'beside/declared.cu' declares kernels; 'beside/k.cu' has the body of k: name that file"
    printf 'texture<int> t;\n__global__ void k(int *a) { a[0] = tex1Dfetch(t, 0); }\n' >texture.cu
    run --separate-stderr "$APTUNE" init texture.cu
    status_is 2
    has "$stderr" "CUDA 12 took texture references away"
    # One mistake, a few lines: neither warnings nor the twentieth error.
    printf '__global__ void k(int *a) { int unused; %s }\n' "$(printf 'a.x = 1;\n%.0s' 1 2 3 4 5)" >many.cu
    run --separate-stderr "$APTUNE" init many.cu
    status_is 2
    has "$stderr" 'and 2 more errors'
    lacks "$stderr" 'warning'
    printf '#include "nowhere.h"\n__global__ void k(number *a) {}\n' >header.cu
    run --separate-stderr "$APTUNE" init header.cu
    status_is 2
    has "$stderr" "'header.cu' does not compile; --include DIR names another folder of headers"
    has "$stderr" 'cannot open source file "nowhere.h"'
}

@test "init takes templates, names that nobody defines, headers elsewhere and host code as they are" {
    run --separate-stderr "$APTUNE" init "$peers/axpy.cu" --output axpy.spec
    status_is 0
    has "$(cat axpy.spec)" '^kernel ".*peers/axpy.cu" "axpy<\{'
    check axpy.spec
    status_is 0

    mkdir headers
    cat >headers/op.h <<'EOF'
#pragma once
#include <vector>
#include <cstdio>
void check(cudaError_t e, FILE *out) { if (e != cudaSuccess) fprintf(out, "%s", cudaGetErrorString(e)); }
__device__ inline float twice(float x) { return 2 * x; }
EOF
    cat >scale.cu <<'EOF'
#include "op.h"
#include <iostream>
#define WIDTH 512
struct pair { float a, b; };
__global__ void __launch_bounds__(512)
scale(const float *__restrict__ in, float *out, pair *sums, __half *both, int rows, float factor)
{
    int x = blockIdx.x * block_size_x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= WIDTH || y >= rows) return;
    #pragma unroll tile_size
    for (int i = 0; i < tile_size; i++)
        out[y * WIDTH + x] = twice(in[y * WIDTH + x]) * factor;
    both[y * WIDTH + x] += __float2half(1.f);
    sums[y].a = factor;
#if use_fast
    out[y * WIDTH + x] += 1;
#endif
}
int main() { std::vector<float> v; scale<<<1, 1>>>(0, 0, 0, 0, 1, 1.f); std::cout << v.size(); }
EOF
    sed -i '1i #include <cuda_fp16.h>' scale.cu
    printf '#include <vector>\n__global__ void k(float *a) { a[threadIdx.x] = 1; }\n' >plain.cu
    run --separate-stderr "$APTUNE" init plain.cu
    status_is 0
    run --separate-stderr "$APTUNE" init scale.cu --output found.spec
    status_is 0
    has "$(cat found.spec)" '^include "headers" +# found: its headers are included$'
    run --separate-stderr "$APTUNE" init scale.cu --include headers
    status_is 0
    spec=$(cat scale.spec)
    has "$spec" '^include "headers"$'
    has "$spec" '^problem ROWS = 1024 '
    has "$spec" '^param block_size_x in 16, 32, 64 +# decide: the source leaves it undefined'
    has "$spec" '^param tile_size in 1, 2, 4, 8 '
    has "$spec" '^param use_fast in 0, 1 +# decide: only #if lines use it'
    has "$spec" '^require block_size_x \* BLOCK_Y <= 512 +# of __launch_bounds__'
    has "$spec" '^block block_size_x, BLOCK_Y$'
    has "$spec" '^in in : float\['
    has "$spec" '^out sums : uint8\[.*bytes of .pair.'
    has "$spec" '^inout both : half\['
    has "$spec" '^arg rows : int32 = ROWS$'
    has "$spec" '^arg factor : float = 0.5 +# decide'
}

@test "init takes a kernel as it is compiled at home: in a namespace, behind its includer, without headers that it does not need" {
    mkdir -p p/.git p/kernels
    cat >p/kernels/k.cu <<'END'
namespace math { namespace fast {
__global__ void declared(real *a);
__global__ void k(real *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
} }
END
    printf '#include "kernels/k.cu"\n' >p/inner.h
    printf 'typedef double real;\n#include <torch/types.h>\n#include "inner.h"\nint main() {}\n' >p/main.cu
    run --separate-stderr "$APTUNE" init p/kernels/k.cu --output k.cu.spec
    status_is 0
    has "$(cat k.cu.spec)" '^kernel "p/main.cu" "math::fast::k"$'
    has "$(cat k.cu.spec)" '^option "--without-header=torch/types.h" +# not found, and not needed$'
    has "$(cat k.cu.spec)" '^out a : double\['
    check k.cu.spec
    status_is 0
}

@test "init proposes block, grid, sizes, buffers and arguments as the author launches" {
    cat >wrapper.h <<'END'
#define CEIL(a, b) (((a) + (b) - 1) / (b))
template <int WIDE> __global__ void scale(float *out, const float *in, int rows, int columns, float by, long stride);
void run(float *out, float *data, int rows, int columns);
END
    cat >scale.cu <<'END'
#include "wrapper.h"
const unsigned WIDTH{512};
template <int WIDE>
__global__ void scale(float *out, const float *in, int rows, int columns, float by, long stride)
{
    extern __shared__ float row[];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    row[threadIdx.x] = by;
    if (x < columns && y < rows) out[y * columns + x] = in[y * stride + x] * row[threadIdx.x] * WIDE;
}
void run(float *out, float *data, int rows, int columns)
{
    dim3 block(32, 8), grid;
    grid.x = CEIL(columns, block.x);
    grid.y = (rows + block.y - 1) / block.y;
    constexpr int wide = 2 + 1;
    scale<wide><<<grid, block, block.x * sizeof(float)>>>(out, data, rows, columns, 2.5f, columns);
}
END
    cat >main.cpp <<'END'
#include "wrapper.h"
int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 1 << 10;
    size_t bytes = rows * 512 * sizeof(float);
    float *a, *b;
    cudaMalloc((void **)&a, bytes), cudaMalloc(&b, sizeof(float) * 2 * 512 * rows);
    run(b, a, rows, 512);
}
END
    run --separate-stderr "$APTUNE" init scale.cu
    status_is 0
    spec=$(cat scale.spec)
    has "$spec" '^problem ROWS = 1024, COLUMNS = 512 +# as launched at scale.cu:17$'
    has "$spec" '^param WIDE in 3 '
    has "$spec" '^param BLOCK in 16, 32, 64 +# decide; 32 as launched'
    has "$spec" '^param BLOCK_Y in 4, 8, 16 '
    has "$spec" '^block BLOCK, BLOCK_Y$'
    has "$spec" '^grid ceil_div\(COLUMNS, BLOCK\), ceil_div\(ROWS, BLOCK_Y\) +# as launched at scale.cu:17$'
    has "$spec" '^shared BLOCK \* 4 '
    has "$spec" '^out out : float\[1048576\]'
    has "$spec" '^in in : float\[524288\]'
    has "$spec" '^arg by : float = 2.5 +# decide; as launched'
    has "$spec" '^arg stride : int64 = COLUMNS$'
    check scale.spec
    status_is 0
    # What cannot be read is not used, and the spec says what is a guess.
    sed -i 's/dim3 block(32, 8)/dim3 block = ask()/' scale.cu
    run --separate-stderr "$APTUNE" init scale.cu --output guess.spec
    status_is 0
    has "$(cat guess.spec)" '^grid ceil_div\(COLUMNS, BLOCK\), ceil_div\(ROWS, BLOCK_Y\) +# decide: how many elements'
    # A block that the code counts on stays as it is.
    cat >fixed.cu <<'END'
__global__ void fixed(int *a) { const int TPB = 128; __shared__ int s[TPB]; s[threadIdx.x] = blockDim.x; a[threadIdx.x] = s[0]; }
int main() { int *a; cudaMalloc(&a, 512); fixed<<<1, 128>>>(a); }
END
    run --separate-stderr "$APTUNE" init fixed.cu
    status_is 0
    has "$(cat fixed.spec)" '^block 128$'
    has "$(cat fixed.spec)" '^grid 1 '
    has "$(cat fixed.spec)" '^param REGISTERS in 0, 32'
    check fixed.spec
    status_is 0
    # A #define that the block is made of yields to the parameter of its name, in headers, too.
    echo '#define TPB 128' >tpb.h
    sed -i 's/const int TPB = 128;//; s/<1, 128>/<1, TPB>/; 1i #include "tpb.h"\n#define WARP 32' fixed.cu
    run --separate-stderr "$APTUNE" init fixed.cu --output kept.spec
    status_is 0
    has "$(cat kept.spec)" '^block 128$'
    sed -i 's/^#include.*/#define TPB 128/' fixed.cu
    run --separate-stderr "$APTUNE" init fixed.cu --output yields.spec
    status_is 0
    has "$(cat yields.spec)" '^param TPB in 64, 128, 256, 512 +# decide: its #define yields to this$'
    has "$(cat yields.spec)" '^block TPB$'
    lacks "$(cat yields.spec)" 'WARP'
    # One that another kernel uses is that one's.
    sed -i '1i #define OTHER_TILE 4\n__global__ void other(int *a) { a[threadIdx.y] = OTHER_TILE; }' fixed.cu
    run --separate-stderr "$APTUNE" init fixed.cu --kernel fixed --output -
    status_is 0
    lacks "$output" 'OTHER_TILE'
    has "$output" '^param TPB in 64, 128'
    sed -i 1,2d fixed.cu
    sed -i 's/^#define TPB.*/#include "tpb.h"/' fixed.cu
    run --separate-stderr "$APTUNE" check yields.spec
    status_is 0
    tune --space yields.spec --arch sm_90 --output yields
    status_is 0
    column=$(head -n 1 yields/configurations.csv | tr , '\n' | grep -nx shared_bytes | cut -d : -f 1)
    [ "$(tail -n +2 yields/configurations.csv | cut -d , -f "1,$column" | paste -sd ' ')" = "64,256 128,512 256,1024 512,2048" ]
}

@test "init finds a project's headers as far as its root, and cuts the host's code out of them" {
    mkdir -p project/.git project/src/deep project/common/base other
    echo '#include "base/timer.h"' >project/common/tools.h
    cat >project/common/base/timer.h <<'END'
#include <string>
#include <map>
using namespace std;
struct Result { string name; typedef std::map<std::string, int> Table; Table all; };
inline double now() { timeval t; gettimeofday(&t, 0); return t.tv_sec; }
#define TIMES 2
END
    cat >project/src/deep/k.cu <<'END'
#include <bits/stdc++.h>
#include "tools.h"
__global__ void LAUNCH(256) k(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = TIMES; }
END
    sed -i '1i #define LAUNCH(n) __launch_bounds__(n)' project/src/deep/k.cu
    run --separate-stderr "$APTUNE" init project/src/deep/k.cu --output k.spec
    status_is 0
    has "$(cat k.spec)" '^kernel "project/src/deep/k.cu" '
    has "$(cat k.spec)" '^include "project/common" '
    # A file that is reached by dots is within no folder given until its own is.
    sed -i 's/"tools.h"/"..\/..\/common\/base\/timer.h"/' project/src/deep/k.cu
    run --separate-stderr "$APTUNE" init project/src/deep/k.cu --output dots.spec
    status_is 0
    has "$(cat dots.spec)" '^include "project/common/base" '
    # Nothing above the root is the project's.
    echo '#define FAR 1' >other/far.h
    sed -i 's/^#include ".*/#include "far.h"/' project/src/deep/k.cu
    run --separate-stderr "$APTUNE" init project/src/deep/k.cu --output -
    status_is 2
    has "$stderr" 'cannot open source file "far.h"'
}

@test "init takes a template's arguments from its launch, and the standard that the source is written in" {
    cat >launch.cu <<'END'
typedef double real;
template <typename T, int BLOCK_SIZE_M, int ROUNDS, bool WIDE>
__global__ void k(T *a)
{
    static_assert(BLOCK_SIZE_M == 192 && ROUNDS == 7 && WIDE && sizeof(T) == 8, "as launched");
    a[blockIdx.x * blockDim.x + threadIdx.x] = T(BLOCK_SIZE_M);
}
void run(real *a) { const int BLOCK_SIZE_M = 192; constexpr bool wide = true; k<real, BLOCK_SIZE_M, 7, wide>
    <<<1, 64>>>(a); }
END
    run --separate-stderr "$APTUNE" init launch.cu
    status_is 0
    has "$(cat launch.spec)" '^param BLOCK_SIZE_M in 192 '
    has "$(cat launch.spec)" '^(in)?out a : double\['
    lacks "$(cat launch.spec)" '^option'
    echo '__global__ void k(float *a) { register float x = 1; a[threadIdx.x] = x; }' >old.cu
    run --separate-stderr "$APTUNE" init old.cu
    status_is 0
    has "$(cat old.spec)" '^option "-std=c\+\+14"$'
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
    has "$output" '^ +1 of 2 configurations at the ends of parameters compile$'
    has "$output" '1 .*too small.*TILE=64'
    sed -i 's/>= 128/>= 512/' some.cu
    check some.spec
    status_is 2
    has "$stderr" 'this does not compile'
}

@test "init proposes a block that some configuration has" {
    cat >large.cu <<'END'
template <int BLOCK_SIZE_M, int BLOCK_SIZE_N>
__global__ void tiles(float *a, int n) { a[threadIdx.y * blockDim.x + threadIdx.x] = n; }
void run(float *a) { tiles<128, 128><<<1, 64>>>(a, 1); }
END
    run --separate-stderr "$APTUNE" init large.cu
    status_is 0
    check large.spec
    lacks "$stderr" 'no configuration'
    echo '__global__ void solid(float *a) { a[threadIdx.z * 64 + threadIdx.y * blockDim.x + threadIdx.x] = 1; }' >solid.cu
    run --separate-stderr "$APTUNE" init solid.cu
    status_is 0
    check solid.spec
    lacks "$stderr" 'no configuration'
}

@test "init asks the compiler for types, and takes structs and the values of #if lines" {
    cat >types.h <<'END'
#include <cuda_bf16.h>
#define REAL __nv_bfloat16
typedef float4 quad;
struct body { float x, y; int id; };
struct options { int first; float scale; double shift; };
END
    cat >types.cu <<'END'
#include "types.h"
#if WIDTH_OF_VECTOR == 2
typedef float2 vector;
#elif WIDTH_OF_VECTOR == 4
typedef quad vector;
#endif
__global__ void apply(options o, const REAL *in, REAL *out, body *bodies, const vector *v, int *not_used, size_t n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] * (REAL)(o.scale + (float)o.shift + v[i].x);
        bodies[i].x += o.first;
    }
}
END
    run --separate-stderr "$APTUNE" init types.cu --output -
    status_is 0
    has "$output" '^param WIDTH_OF_VECTOR in 2, 4 '
    has "$output" '^arg o : struct\(int32, float, double\) = 1 +# decide'
    has "$output" '^in in : bfloat16\[N\] '
    has "$output" '^out out : bfloat16\[N\] '
    has "$output" '^inout bodies : uint8\[12 \* N\] .*bytes of .body.'
    has "$output" '^in v : float2\[N\] '
    has "$output" '^in not_used : int32\[N\] .*the kernel does not use it'
    has "$output" '^arg n : uint64 = N$'
    printf '%s\n' "$output" | sed 's/in 2, 4/in 2/; s/= 1 .*/= [3, 0.5, 2]/' >types.spec
    check types.spec
    status_is 0
    printf 'struct s { float *p; int n; };\n__global__ void k(s a) { a.p[threadIdx.x] = a.n; }\n' >inner.cu
    run --separate-stderr "$APTUNE" init inner.cu
    status_is 2
    has "$stderr" "'a' of 'k' is a 's' with a pointer in it"
}

@test "init takes a header of kernels and names it where only that has one" {
    mkdir -p h
    cat >h/tile.cuh <<'END'
template <typename T, int BM, int TM, bool aligned>
__global__ void copy(T *out, const T *in, int n)
{
    static_assert(BM / TM > 1, "");
    int i = blockIdx.x * BM + threadIdx.x;
    if (aligned || i < n)
        out[i] = in[i];
}
END
    printf '#define T float\n#include <stdio.h>\n#undef T\n#include "tile.cuh"\nint main() { return 0; }\n' >h/main.cu
    run --separate-stderr "$APTUNE" init h/main.cu
    status_is 2
    has "$stderr" "h/main.cu' has no kernel; '.*h/tile.cuh', which it includes, has copy: name that file"
    run --separate-stderr "$APTUNE" init h/tile.cuh
    status_is 0
    has "$(cat h/tile.spec)" '^param aligned in true, false '
    check h/tile.spec
    status_is 0
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
    has "$stderr" 'a parameter: .* is no name'
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
    has "$(cat out/x.spec)" '^kernel "../in/src/k.cu" k$'
    has "$(cat out/x.spec)" '^out x : float\[\(1024\) \* 2\]'
    tune --space out/x.spec --dry-run --arch sm_90
    has "$output" '^valid +5 '
}

@test "convert refuses what a spec cannot say" {
    t1 '[{"Name": "A", "Values": "[1, 2] - 3"}]' '{"KernelName": "k"}' >list.json
    run --separate-stderr "$APTUNE" convert list.json
    status_is 2
    has "$stderr" "'A': a list is joined to lists alone"
    t1 '[{"Name": "param", "Values": "[1]"}, {"Name": "param", "Values": "[2]"}]' '{"KernelName": "k"}' >twice.json
    run --separate-stderr "$APTUNE" convert twice.json
    status_is 2
    has "$stderr" 'cannot be said in a spec'
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
    nm "$APTUNE" | grep -q __asan || ulimit -v 600000
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
