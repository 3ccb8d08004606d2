#!/usr/bin/env bats
# First specs of kernels that were written for something else.
load common
holds=init
held_most=33792
held_files=spec

peers=$SOURCE/tests/data/peers

check() {
    run --separate-stderr "$APTUNE" check "$@"
}

@test "init writes a spec that check takes" {
    cp "$peers/vector_add.cu" .
    run --separate-stderr "$APTUNE" init vector_add.cu
    status_is 0
    has "$(cat vector_add.spec)" '^param BLOCK in 256, 64, 128, 512 +# decide'
    has "$(cat vector_add.spec)" '^in a : float\[N\]'
    has "$(cat vector_add.spec)" '^out c : float\[N\]'
    has "$(cat vector_add.spec)" '^arg n : int32 = N'
    check vector_add.spec
    status_is 0

    run --separate-stderr "$APTUNE" init vector_add.cu
    status_is 2
    has "$stderr" 'already exists'
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
    has "$stderr" "'beside/declared.cu' only declares kernels; 'beside/k.cu' has the body of k: give that file"
    printf 'texture<int> t;\n__global__ void k(int *a) { a[0] = tex1Dfetch(t, 0); }\n' >texture.cu
    run --separate-stderr "$APTUNE" init texture.cu
    status_is 2
    has "$stderr" "CUDA 12 removed texture references"
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
    mkdir made && echo '#define N @N@' >made/nowhere.h.in
    run --separate-stderr "$APTUNE" init header.cu
    status_is 2
    has "$stderr" "the project's build generates a header from 'made/nowhere.h.in': build it first"
    has "$stderr" 'identifier "number" is undefined'
    run --separate-stderr "$APTUNE" init "$peers/vector_add.cu" --output none/made.spec
    status_is 2
    [ "$stderr" = "aptune: error: cannot create a file beside 'none/made.spec': No such file or directory" ]
    [ -z "$output" ]
    # It does with what CMake makes of it where nothing is chosen.
    printf '#include "nowhere.h"\n__global__ void k(int *a) { a[threadIdx.x] = N; }\n' >plain.cu
    run --separate-stderr "$APTUNE" init plain.cu
    status_is 0
    has "$(cat plain.spec)" "^# decide: the project's build makes a header of 'made/nowhere.h.in'"
    has "$(cat plain.spec)" '^include "made"'
    check plain.spec
    status_is 0
}

@test "init takes nothing from beside it in a folder that is everybody's" {
    mkdir -p shared/mine shared/theirs
    chmod 1777 shared
    echo '#define N 1' >shared/theirs/nowhere.h
    cp shared/theirs/nowhere.h shared/theirs/other.h.in
    echo '__device__ float far(float x) { return x; }' >shared/theirs/far.cu
    local use
    for use in '#include "nowhere.h"' '#include "other.h"' 'extern __device__ float far(float x);'; do
        printf '%s\n__global__ void k(float *a) { a[threadIdx.x] = %s; }\n' "$use" \
            "$(case $use in extern*) echo 'far(a[0])' ;; *) echo N ;; esac)" >shared/mine/k.cu
        run --separate-stderr "$APTUNE" init shared/mine/k.cu
        status_is 2
        lacks "$output$stderr" theirs
    done
    chmod 755 shared
    run --separate-stderr "$APTUNE" init shared/mine/k.cu
    status_is 0
    has "$(cat shared/mine/k.spec)" theirs
}

@test "init finds bodies of device code in other files, and gives masks to functions of the warp" {
    touch .git # above it is another project
    printf '#include "nowhere.h"\n__device__ int f(int);\n__global__ void k(int *a) { a[0] = f(a[1]); }\n' >apart.cu
    run --separate-stderr "$APTUNE" init apart.cu
    status_is 2
    has "$stderr" 'it calls device code whose body is in another file'
    has "$stderr" "ptxas fatal +: Unresolved extern function '_Z1fi'"
    lacks "$stderr" 'nowhere'
    mkdir lib
    printf 'int host() { return 1; }\n__device__ int f(int x) { return x + 1; }\n' >lib/f.cu
    run --separate-stderr "$APTUNE" init apart.cu
    status_is 0
    has "$(cat apart.spec)" '^option "--pre-include=f.cu" +# has the body of f'
    check apart.spec
    status_is 0
    printf '__global__ void k(int *a) { asm("tcgen05.fence::before_thread_sync;"); }\n' >newer.cu
    run --separate-stderr "$APTUNE" init newer.cu
    status_is 2
    has "$stderr" 'it uses instructions of another GPU: --arch sm_NN'
    run --separate-stderr "$APTUNE" init newer.cu --arch sm_100a
    status_is 0
    printf '__global__ void k(int *a) {\n' >masks.cu
    printf '    a[threadIdx.x] = __shfl_up(a[threadIdx.x], 1) + __any(a[threadIdx.x]);\n}\n' >>masks.cu
    run --separate-stderr "$APTUNE" init masks.cu
    status_is 0
    has "$(cat masks.spec)" '^option "-D__shfl_up\(\.\.\.\)=__shfl_up_sync\(0xffffffff,__VA_ARGS__\)" +# .*delete this'
    has "$(cat masks.spec)" '^option "-D__any\(x\)=__any_sync\(0xffffffff,x\)"'
    check masks.spec
    status_is 0
}

@test "init takes what nvcc's and the toolkit's headers bring, and what others name" {
    {
        printf '\xef\xbb\xbf#include <thrust/system/cuda/memory.h>\n'
        printf '#include <cub/device/device_reduce.cuh>\n#include <cufft.h>\n#include <stdexcept>\n'
        printf 'struct Error : std::runtime_error { Error() : std::runtime_error("no") {} };\n'
        printf 'struct Plan { cufftHandle plan; };\n'
        printf '__global__ void k(cufftComplex *a, uchar *b, int &sum) {\n'
        printf '    std::pair<int, int> p(1, 2);\n'
        printf '    a[threadIdx.x].x += p.first + b[threadIdx.x]; sum = 1;\n}\n'
    } >brings.cu
    run --separate-stderr "$APTUNE" init brings.cu
    status_is 0
    has "$(cat brings.spec)" '^option "--pre-include=utility" +# for std::pair'
    has "$(cat brings.spec)" '^inout a : float2'
    has "$(cat brings.spec)" '^in b : uint8\['
    has "$(cat brings.spec)" '^out sum : int32\['
    check brings.spec
    status_is 0
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
    has "$spec" '^param block_size_x in 32, 16, 64 +# decide: the source leaves it undefined'
    has "$spec" '^param tile_size in 1, 2, 4, 8 '
    has "$spec" '^param use_fast in 0, 1 +# decide: only #if lines use it'
    has "$spec" '^require block_size_x \* BLOCK_Y <= 512 +# of __launch_bounds__'
    has "$spec" '^block block_size_x, BLOCK_Y$'
    has "$spec" '^in in : float\['
    has "$spec" '^out sums : struct\(float, float\)\[.*.pair. in the source'
    has "$spec" '^inout both : half\['
    has "$spec" '^arg rows : int32 = ROWS$'
    has "$spec" '^arg factor : float = 0.5 +# decide'
}

@test "what a kernel asserts of its template's arguments becomes conditions of the space" {
    cat >sum.cu <<'EOF'
template <int TILE, int STAGES, bool WIDE>
__global__ void sum(const float *in, float *out, int n)
{
    constexpr int step = TILE * STAGES;
    static_assert(TILE % 8 == 0 && step <= 64, "fits");
    static_assert(sizeof(float) == 4);
    static_assert(STAGES != 3);
    static_assert(STAGES != 3);
    static_assert(WIDE || STAGES == 1); // no comparison
    if constexpr (WIDE) { static_assert(TILE == 16); }
#if OLD
    static_assert(TILE == 32);
#endif
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * step;
}
void launch(float *in, float *out, int n) { sum<16, 2, true><<<n / 256, 256>>>(in, out, n); }
EOF
    run --separate-stderr "$APTUNE" init sum.cu
    status_is 0
    [ "$(grep asserted sum.spec)" = "require ((TILE % 8) == 0) and ((TILE * STAGES) <= 64)    # asserted by the kernel
require STAGES != 3    # asserted by the kernel" ]
    run --separate-stderr "$APTUNE" check sum.spec --arch h200
    status_is 0
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
    has "$(cat k.cu.spec)" '^option "--without-header=torch/types.h" +# unavailable on the device, and not needed$'
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
    has "$spec" '^param BLOCK in 32, 16, 64 +# decide; 32 as launched'
    has "$spec" '^param BLOCK_Y in 8, 4, 16 '
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
__global__ void fixed(int *a) { enum { TPB = 128 }; __shared__ int s[TPB]; s[threadIdx.x] = blockDim.x; a[threadIdx.x] = s[0]; }
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
    sed -i 's/enum { TPB = 128 };//; s/<1, 128>/<1, TPB>/; 1i #include "tpb.h"\n#define WARP 32' fixed.cu
    run --separate-stderr "$APTUNE" init fixed.cu --output kept.spec
    status_is 0
    has "$(cat kept.spec)" '^block TPB$'
    sed -i 's/^#include.*/#define TPB 128/' fixed.cu
    run --separate-stderr "$APTUNE" init fixed.cu --output yields.spec
    status_is 0
    has "$(cat yields.spec)" '^param TPB in 128, 64, 256, 512 +# decide: its #define yields to this$'
    has "$(cat yields.spec)" '^block TPB$'
    lacks "$(cat yields.spec)" 'WARP'
    # So does a constant.
    sed 's/^#define TPB 128/const int TPB = 128;/' fixed.cu >constant.cu
    run --separate-stderr "$APTUNE" init constant.cu
    status_is 0
    has "$(cat constant.spec)" '^param TPB in 128, 64, 256, 512 +# decide: its constant yields to this$'
    has "$(cat constant.spec)" '^block TPB$'
    # One that another kernel uses is that one's.
    sed -i '1i #define OTHER_TILE 4\n__global__ void other(int *a) { a[threadIdx.y] = OTHER_TILE; }' fixed.cu
    run --separate-stderr "$APTUNE" init fixed.cu --kernel fixed --output -
    status_is 0
    lacks "$output" 'OTHER_TILE'
    has "$output" '^param TPB in 128, 64'
    sed -i 1,2d fixed.cu
    sed -i 's/^#define TPB.*/#include "tpb.h"/' fixed.cu
    run --separate-stderr "$APTUNE" check yields.spec
    status_is 0
    tune --space yields.spec --arch sm_90 --output yields
    status_is 0
    column=$(head -n 1 yields/configurations.csv | tr , '\n' | grep -nx shared_bytes | cut -d : -f 1)
    [ "$(tail -n +2 yields/configurations.csv | cut -d , -f "1,$column" | paste -sd ' ')" = "128,512 64,256 256,1024 512,2048" ]
}

@test "init gives buffers the size that the walk reaches, and one size a name" {
    # Blocks in two directions that the kernel numbers through are one row of them.
    cat >line.cu <<'END'
__global__ void line(float *out, const float *in, int N)
{
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) out[i] = in[3 * i + 2];
}
END
    run --separate-stderr "$APTUNE" init line.cu
    status_is 0
    has "$(cat line.spec)" '^grid ceil_div\(N, BLOCK\) '
    has "$(cat line.spec)" '^out out : float\[N\] '
    has "$(cat line.spec)" '^in in : float\[max\(N, 3145728\)\] .*; the first configuration reaches that far$'
    check line.spec
    status_is 0
    # The largest buffer is the size where none has a name; what each block writes is added up; what
    # the author makes equal stays so.
    cat >sums.cu <<'END'
#define TPB 256
template <int WIDE> __global__ void sums(const int *in, int *out)
{
    __shared__ int s[TPB];
    s[threadIdx.x] = in[blockIdx.x * WIDE + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) for (int i = 0, t = 0; i < WIDE; i++) out[blockIdx.x] = t += s[i];
}
int main()
{
    const int many = 1 << 20, blocks = many / TPB;
    int *a, *b;
    cudaMalloc(&a, many * sizeof(int)), cudaMalloc(&b, blocks * sizeof(int));
    sums<TPB><<<blocks, TPB>>>(a, b);
}
END
    run --separate-stderr "$APTUNE" init sums.cu
    status_is 0
    has "$(cat sums.spec)" '^problem N = 1048576 '
    has "$(cat sums.spec)" '^require WIDE == TPB '
    has "$(cat sums.spec)" '^grid N // TPB '
    has "$(cat sums.spec)" '^in in : int32\[N\] '
    has "$(cat sums.spec)" '^out out : int32\[N // TPB\] '
    has "$(cat sums.spec)" '^compare out sum '
    check sums.spec
    status_is 0
}

@test "init makes guessed sizes smaller until grid, memory and accesses allow them" {
    cat >wide.cu <<'END'
__global__ void wide(float *out, int n) { out[blockIdx.y * n + threadIdx.x] = gridDim.x; }
int main() { float *a; int n = ask(); cudaMalloc(&a, n * n * sizeof(float)); wide<<<dim3(1, n), 128>>>(a, n); }
END
    run --separate-stderr "$APTUNE" init wide.cu
    status_is 0
    has "$(cat wide.spec)" '^problem N = 16384 +# decide: the sizes to tune for; larger ones exceed the grid or the memory$'
    has "$(cat wide.spec)" '^out out : float\[N \* N\]'
    check wide.spec
    status_is 0
    # They stay if smaller ones do not help.
    cat >far.cu <<'END'
__global__ void far(float *out) { out[blockIdx.x * 2000000000L + threadIdx.x] = 1; }
int main() { float *a; far<<<4, 128>>>(a); }
END
    run --separate-stderr "$APTUNE" init far.cu
    status_is 0
    has "$(cat far.spec)" '^problem N = 1048576 +# decide: the sizes to tune for$'
}

@test "init passes numbers of the launch as the call does, and none that it cannot have read" {
    cat >numbers.cu <<'END'
#define DIM 128
__global__ void numbers(int bits, bool flag, double by, int **to, float *sums, int *out)
{
    __shared__ float s[DIM];
    s[threadIdx.x] = sums[threadIdx.x];
    if (flag) to[threadIdx.x] = out;
    out[blockIdx.x * DIM + threadIdx.x] = bits + s[threadIdx.x] * by;
}
int main()
{
    unsigned flag = 1325631759;
    int *a, many = 0, **b;
    float *c;
    many += 4;
    cudaMalloc(&c, many * sizeof(float));
    numbers<<<many / 2, DIM>>>(0xdeadbeef, flag, 123456.75, b, c, a);
}
END
    run --separate-stderr "$APTUNE" init numbers.cu
    status_is 0
    spec=$(cat numbers.spec)
    has "$spec" '^arg bits : int32 = -559038737 +# decide; as launched'
    has "$spec" '^arg flag : uint8 = 1 +# decide$'
    has "$spec" '^arg by : double = 123456.75 +# decide; as launched'
    has "$spec" "^out to : uint8\[8 \* .*bytes of 'int \*'"
    has "$spec" '^in sums : float\[N\]'
    has "$spec" '^grid ceil_div\(N, DIM\) +# decide'
    # DIM is a parameter, not a size, too.
    has "$spec" '^param DIM in 128'
    has "$spec" '^problem N = 1048576 '
    check numbers.spec
    status_is 0
}

@test "init takes the classes that a launch passes to a template, by what they are called there" {
    cat >classes.cu <<'END'
#include <cstdint>
namespace ops {
struct Add
{ __device__ float operator()(float a, float b) const { return a + b; } };
template <class T, int N> struct Rows { typedef T type; static const int rows = N; };
}
template <class Op, class R> __global__ void fold(typename R::type *a)
{
    for (int i = 1; i < R::rows; i++) a[threadIdx.x] = Op()(a[threadIdx.x], a[i * 128 + threadIdx.x]);
}
template <class Op, class K> void run(K *a)
{
    using Rows = ops::Rows<K, 4>;
    fold<Op, Rows><<<1, 128>>>(a);
}
int main() { using key = std::uint32_t; key *a; run<ops::Add, key>(a); }
END
    run --separate-stderr "$APTUNE" init classes.cu
    status_is 0
    has "$(cat classes.spec)" '^param Op in "ops::Add" '
    has "$(cat classes.spec)" '^param R in "ops::Rows<uint32_t, 4>" '
    has "$(cat classes.spec)" '^inout a : uint32\['
    check classes.spec
    status_is 0
    # What an option mends hides no mistake behind it.
    printf '__global__ void k(int *a) { a[0] = std::move(1); a.x = 1; }\n' >behind.cu
    run --separate-stderr "$APTUNE" init behind.cu
    status_is 2
    has "$stderr" 'expression must have class type'
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
    has "$(cat dots.spec)" '^include "project" '
    # Windows does not mind how a name's letters are written.
    echo '#include "../src/deep/config.h"' >project/common/Tools.h
    echo '#define TIMES 3' >project/src/deep/Config.h
    rm project/common/tools.h
    sed -i 's/^#include ".*/#include "TOOLS.h"/' project/src/deep/k.cu
    run --separate-stderr "$APTUNE" init project/src/deep/k.cu --output case.spec
    status_is 0
    has "$(cat case.spec)" '^include "project/common" '
    check case.spec
    status_is 0
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
    has "$(cat launch.spec)" '^param BLOCK_SIZE_M in 192, 96, 384 '
    has "$(cat launch.spec)" '^(in)?out a : double\['
    lacks "$(cat launch.spec)" '^option'
    echo '__global__ void k(float *a) { register float x = 1; a[threadIdx.x] = x; }' >old.cu
    run --separate-stderr "$APTUNE" init old.cu
    status_is 0
    has "$(cat old.spec)" '^option "-Dregister=" '
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
    has "$output" '^inout bodies : struct\(float, float, float\)\[N\] .*.body. in the source'
    has "$output" '^in v : float2\[N\] '
    has "$output" '^in not_used : int32\[N\] .*the kernel does not use it'
    has "$output" '^arg n : uint64 = N$'
    printf '%s\n' "$output" | sed 's/in 2, 4/in 2/; s/= 1 .*/= [3, 0.5, 2]/' >types.spec
    check types.spec
    status_is 0
    # What a kernel writes to a variable of its file is no output of the spec.
    echo '__device__ float sums[64]; __global__ void k(int i) { sums[i] += threadIdx.x; }' >own.cu
    run --separate-stderr "$APTUNE" init own.cu
    status_is 0
    has "$(cat own.spec)" '^# decide: what is the result, and what is right'
    check own.spec
    status_is 0
    printf 'struct s { float *p; int n; };\n__global__ void k(s a) { a.p[threadIdx.x] = a.n; }\n' >inner.cu
    run --separate-stderr "$APTUNE" init inner.cu --output -
    status_is 0
    has "$output" '^args struct\(a_0'
    # An array of rows is passed as a pointer to its first row: its elements are numbers all the same.
    cat >rows.cu <<'END'
__global__ void k(double field[][8][16], const float (*row)[32], float *out)
{
    out[threadIdx.x] = row[blockIdx.x][threadIdx.x] + (float)field[blockIdx.x][0][threadIdx.x];
}
END
    run --separate-stderr "$APTUNE" init rows.cu
    status_is 0
    has "$(cat rows.spec)" '^in field : double\['
    has "$(cat rows.spec)" '^in row : float\['
    check rows.spec
    status_is 0
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
    has "$stderr" "h/main.cu' has no kernel; '.*h/tile.cuh', which it includes, has copy: give that file"
    run --separate-stderr "$APTUNE" init h/tile.cuh
    status_is 0
    has "$(cat h/tile.spec)" '^param aligned in true, false '
    check h/tile.spec
    status_is 0
}

@test "init takes textures as the kernel reads them, and says that a spec has no surfaces" {
    cat >blur.cu <<'END'
__global__ void blur(cudaTextureObject_t image, const cudaTextureObject_t texWeights, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float4>(image, x, y).x * tex1Dfetch<float>( texWeights, x & 7);
}
END
    run --separate-stderr "$APTUNE" init blur.cu
    status_is 0
    has "$(cat blur.spec)" '^texture image : float4\[WIDTH, HEIGHT\] = '
    has "$(cat blur.spec)" '^texture texWeights : float\[WIDTH \* HEIGHT\] fetch = '
    check blur.spec
    status_is 0
    sed -i 's/fetch =/fetch linear =/' blur.spec
    check blur.spec
    status_is 2
    has "$stderr" 'a texture that is fetched from has one dimension and no other mode'
    # A directive may stand between __global__ and the name.
    printf '__global__\n#if A > 1\n__launch_bounds__(A)\n#endif\nvoid late(int *a) { a[threadIdx.x] = A; }\n' >late.cu
    run --separate-stderr "$APTUNE" init late.cu --output -
    status_is 0
    has "$output" '^kernel "late.cu" "late"$'
    echo '__global__ void k(cudaSurfaceObject_t s) { surf1Dwrite(1, s, 4 * threadIdx.x); }' >surface.cu
    run --separate-stderr "$APTUNE" init surface.cu
    status_is 2
    has "$stderr" "parameter 's' of 'k' is a surface"
    echo 'surface<void, 1> s; __global__ void k(int *a) { surf1Dread(a, s, 4 * threadIdx.x); }' >reference.cu
    run --separate-stderr "$APTUNE" init reference.cu
    status_is 2
    has "$stderr" "CUDA 12 removed surface references"
}

@test "init goes round what the device's compiler does not take, and reads numbers of headers" {
    mkdir p && printf '#define WIDE 16\n' >p/wide.h
    printf '#include "display_lib.h"\nstruct Window { Display *d; };\n' >p/window.h
    cat >p/k.cu <<'END'
#include "wide.h"
#if WIDE != 16
#error "WIDE must be 16"
#endif
__global__ void k(Pair *a, unsigned __int128 *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i].x = WIDE + (int)b[i];
}
END
    printf '#include "window.h"\nstruct Pair { int x, y; };\n#include <k.cu>\nint main() { k<<<0, 128>>>(0, 0, 0); }\n' >p/main.cu
    run --separate-stderr "$APTUNE" init p/k.cu
    status_is 0
    spec=$(cat p/k.spec)
    has "$spec" '^kernel "main.cu" "k"$'
    has "$spec" '^option "--device-int128" +# for 128'
    has "$spec" '^option "--without-header=display_lib.h" +# unavailable on the device, and not needed$'
    has "$spec" '^option "--without-header=window.h" '
    has "$spec" '^param WIDE in 16, 8, 32 +# decide: its #define yields to this$'
    has "$spec" '^grid ceil_div\(N, BLOCK\) +# decide' # a grid of 0 blocks is no launch
    check p/k.spec
    status_is 0
}

@test "a struct by value with pointers in it is one parameter of several items" {
    cat >members.cu <<'END'
struct Args { const float *in; char kind; float *out; int n; float by; };
__global__ void scale(int first, Args p, int last)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n && i < last) p.out[i] = p.by * p.in[i];
}
END
    run --separate-stderr "$APTUNE" init members.cu
    status_is 0
    spec=$(cat members.spec)
    has "$spec" '^in p_0 : float\[N\] = uniform\(-1, 1\) .* at byte 0 of .Args.$'
    has "$spec" '^out p_16 : float\[N\] .* at byte 16 of .Args.$'
    has "$spec" '^args first, struct\(p_0, p_8 : int32 = 1, p_12 : int32 = 1, p_16, p_24 : int32 = 1, p_28 : float = 1\), last '
    check members.spec
    status_is 0
    sed -i 's/p_16, //' members.spec
    check members.spec
    status_is 2
    has "$stderr" "parameter 2 of 'scale' has 32 bytes, but the struct 24"
}

@test "a number of tiles is a size, a tile is not" {
    cat >tiles.cu <<'END'
__global__ void add(float *a, const float *b, int nTiles, int tiles, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i < nTiles * tiles) a[i] += b[i];
}
END
    run --separate-stderr "$APTUNE" init tiles.cu
    status_is 0
    spec=$(cat tiles.spec)
    has "$spec" '^problem NTILES = 1024, N = 1024 '
    has "$spec" '^arg nTiles : int32 = NTILES$'
    has "$spec" '^arg tiles : int32 = 1 +# decide$'
}

@test "init defines what the #if lines around a kernel ask for, and takes qualified and unusual parameters" {
    cat >off.cu <<'END'
#if defined(HAVE_GPU) && !defined(HOST) && VERSION >= 3
namespace Sweep { __global__ void add(float *, const float *, int numElems); }
__global__ void Sweep::add(float *a, const float *b, int numElems)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < numElems) a[i] += b[i];
}
void launch(float *a, float *b, int n) { Sweep::add<<<(n + 299) / 300, 300>>>(a, b, n); }
#endif
END
    run --separate-stderr "$APTUNE" init off.cu
    status_is 0
    spec=$(cat off.spec)
    has "$spec" '^kernel "off.cu" "Sweep::add"$'
    has "$spec" '^option "-DHAVE_GPU=1" +# an #if around the kernel asks for it$'
    has "$spec" '^option "-DVERSION=3" '
    lacks "$spec" 'HOST'
    has "$spec" '^param BLOCK in 300, 64, 128, 256, 512 +# decide; 300 as launched'
    has "$spec" '^arg numElems : int32 = NUMELEMS$'
    check off.spec
    status_is 0

    mkdir -p e && printf '#ifndef TIMERS\n#error "no timers"\n#endif\n' >e/timer.h
    cat >e/k.cu <<'END'
#include "timer.h"
enum Mode { POINT, LINEAR };
#define TILE 4
#ifdef OTHER
#undef TILE
#define TILE 8
#endif
struct Big { float w[80]; int n; };
template <typename T, Mode mode> __global__ void k(T *a, Big b, std::size_t n)
{
    std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < TILE; t++)
        if (i * TILE + t < n) a[i * TILE + t] = __hadd(a[i], T(b.w[t] + b.n + (mode == LINEAR)));
}
END
    sed -i '1i #include <cuda_fp16.h>' e/k.cu
    run --separate-stderr "$APTUNE" init e/k.cu
    status_is 0
    spec=$(cat e/k.spec)
    has "$spec" '^option "--without-header=timer.h"'
    has "$spec" '^param T in "__half" '
    has "$spec" '^param mode in "\(Mode\)0" '
    [ "$(grep -c '^param TILE in' e/k.spec)" -eq 1 ]
    has "$spec" 'struct\(b_0 : int32 = 1, .*b_320 : int32 = 1\)'
    check e/k.spec
    status_is 0
}

@test "init compiles what the kernel uses alone where the rest of its headers does not compile" {
    mkdir h && cat >h/all.h <<'END'
#pragma once
#include <boost/shared_ptr.hpp>
#include "pair.h"
namespace short_name = boost::nowhere;
using boost::shared_ptr;
using namespace boost;
typedef boost::any Any;
struct failure : public virtual boost::runtime_error { failure(const char *); };
class Layer { boost::shared_ptr<Pair> pair; };
template <typename T> struct wide { typedef T type; };
template <> struct wide<c10::Half> { typedef c10::Half type; };
namespace own { struct half { boost::any x; }; }
template <> struct wide<own::half> { typedef own::half type; };
enum Kind { PLAIN, SCALED };
#define SCALE 2
template <typename C> struct traits { static char test(...); static const int n = sizeof(test(boost::any())); };
inline __device__ Pair operator+(const Pair &a, const Pair &b) { return {a.x + b.x, a.y + b.y}; }
inline __device__ boost::any operator+(const boost::any &a, int b);
END
    printf 'struct Pair { float x, y; };\n' >h/pair.h
    cat >use.cu <<'END'
#include "all.h"
__device__ float times(float x, Kind k) { return k == SCALED ? x * SCALE : x; }
__global__ void scale(Pair *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    wide<float>::type w = i;
    if (i < n) { a[i] = a[i] + Pair{w, 1}; a[i].x = times(a[i].x, SCALED); }
}
__global__ void other(Any *a) { a->f(); }
END
    run --separate-stderr "$APTUNE" init use.cu
    status_is 0
    has "$(cat use.spec)" '^option "--only-for=scale" +# the rest of the file does not compile here$'
    has "$(cat use.spec)" '^option "--without-header=boost/shared_ptr.hpp"'
    check use.spec
    status_is 0
    # A reference of the same file is needed, too.
    sed -i 's/^reference .*/reference "use.cu" "plain" block 256 grid ceil_div(N, 256)/' use.spec
    echo '__global__ void plain(Pair *a, int n) { scale(a, n); }' | sed 's/scale(a, n);/for (int i = 0; i < n; i++) a[i] = a[i] + a[i];/' >>use.cu
    check use.spec
    status_is 0
}

@test "a number that a template recurs by is tried as a small one" {
    cat >recurs.cu <<'END'
template <int DIM> __device__ float sum(const float *a) { return sum<DIM - 1>(a) + a[DIM - 1]; }
template <> __device__ float sum<0>(const float *) { return 0; }
template <int DIM> __global__ void k(float *out, const float *in) { out[threadIdx.x] = sum<DIM>(in); }
END
    run --separate-stderr "$APTUNE" init recurs.cu
    status_is 0
    has "$(cat recurs.spec)" '^param DIM in 4, 2, 8 '
}

@test "a guess that a static assertion refuses is made smaller" {
    echo '__global__ void k(float *y) { static_assert(TX <= 64, "tile too large"); __shared__ float s[TX * 64];
        s[threadIdx.x % TX] = y[threadIdx.x]; __syncthreads(); y[threadIdx.x] = s[threadIdx.x % TX]; }' >assert.cu
    run --separate-stderr "$APTUNE" init assert.cu
    status_is 0
    has "$(cat assert.spec)" '^param TX in 64, '
}

@test "init names the kernels that it did not take" {
    echo '__global__ void a(float *y) { *y = 1; } __global__ void b(float *y) { *y = 2; }
        __global__ void c(float *y) { *y = 3; }' >three.cu
    run --separate-stderr "$APTUNE" init three.cu
    status_is 0
    has "$output" "^  it tunes 'a'; --kernel takes another of this file: b, c$"
    run --separate-stderr "$APTUNE" init three.cu --kernel c --output c.spec
    status_is 0
    lacks "$output" 'another'
}

@test "what a source for Kernel Tuner defines for other builds becomes parameters" {
    cat >other.cu <<'END'
#ifndef kernel_tuner
    #define grid_width 4096
    #define tile_x 1
    #ifdef WIDE
        #define lanes 2
    #endif
    #define steps 1
#else
    #define inside 3
#endif
#define outside 3
__global__ void k(float *y)
{
    for (int i = 0; i < tile_x * steps; i++)
        y[(blockIdx.x * blockDim.x + threadIdx.x) * outside + i * grid_width] = i;
}
END
    run --separate-stderr "$APTUNE" init other.cu
    status_is 0
    for name in tile_x lanes steps; do
        has "$(cat other.spec)" "^param $name in .*its #define yields to this"
    done
    lacks "$(cat other.spec)" '^param (grid_width|inside|outside) '
}

@test "names whose quotients size arrays are tried as equal numbers" {
    cat >quotients.cu <<'END'
#define WORK (MWG / MDIM)
#define LOADS (KWG / ((MDIM * NDIM) / MDIMA))
__global__ void k(float *y)
{
    float a[WORK], b[LOADS];
    for (int i = 0; i < WORK; i++) a[i] = y[i * MDIM + threadIdx.x];
    for (int i = 0; i < LOADS; i++) b[i] = a[i % WORK];
    for (int i = 0; i < LOADS; i++) y[i] = b[i];
}
END
    run --separate-stderr "$APTUNE" init quotients.cu
    status_is 0
    for name in MWG MDIM KWG NDIM MDIMA; do
        has "$(cat quotients.spec)" "^param $name in 8, "
    done
    check quotients.spec
    status_is 0
}

@test "a template's arguments come through macros, through templates that launch it, and by constants of headers" {
    printf '#pragma once\nstatic constexpr unsigned LANES = 32;\n' >lanes.h
    cat >through.cu <<'END'
#include "lanes.h"
namespace sums {
static constexpr unsigned THREADS = 4 * LANES;
typedef float (*Op)(float);
__device__ float same(float x) { return x; }
template <typename I, int DEPTH, int WIDTH, Op op = same>
__global__ void sum(float *y, const float *x, I n)
{
    I i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < DEPTH * WIDTH && i < n; k++) y[i] += op(x[i]);
}
template <int WIDTH> void launch(float *y, const float *x, int count)
{
#define LAUNCH(I, DEPTH) sum<I, DEPTH, WIDTH> \
    <<<(count + THREADS - 1) / THREADS, THREADS>>>(y, x, (I)count)
#define CHOOSE(DEPTH) do { LAUNCH(long, DEPTH); } while (0)
    if (count > 9) CHOOSE(6);
}
void all(float *y, const float *x, int n) { launch<12>(y, x, n); }
}
END
    run --separate-stderr "$APTUNE" init through.cu
    status_is 0
    has "$(cat through.spec)" '^kernel "through.cu" "sums::sum<{I}, {DEPTH}, {WIDTH}>"$'
    has "$(cat through.spec)" '^param I in "long"'
    has "$(cat through.spec)" '^param DEPTH in 6 '
    has "$(cat through.spec)" '^param WIDTH in 12 '
    has "$(cat through.spec)" '^param BLOCK in 128, .*as launched at through.cu:'
    has "$(cat through.spec)" '^grid ceil_div\(N, BLOCK\) +# as launched'
    check through.spec
    status_is 0
}

@test "init takes gcc's words, what waits for the kernel before, and types of the host's libraries" {
    printf '#pragma once\nusing handle = cublasLtHandle_t;\nusing status = cublasStatus_t;\n' >blas.h
    printf '#include "blas.h"\nstruct Context { handle h; handle *more; status s; };\n' >context.h
    cat >words.cu <<'END'
#include <cublasLt.h>
#include "context.h"
struct Pair { __extension__ union { struct { float x, y; }; float2 both; }; };
__global__ void k(Pair *p, int n)
{
    cudaGridDependencySynchronize();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x = p[i].both.y;
    cudaTriggerProgrammaticLaunchCompletion();
}
END
    run --separate-stderr "$APTUNE" init words.cu
    status_is 0
    has "$(cat words.spec)" '^option "--pre-include=cuda_device_runtime_api.h"'
    has "$(cat words.spec)" '^option "-DcublasStatus_t=int"'
    check words.spec
    status_is 0
    printf '__global__ void k(int *a) { *a = 1; }\n__global__ void k(float *a) { *a = 1; }\n' >two.cu
    run --separate-stderr "$APTUNE" init two.cu
    status_is 2
    has "$stderr" 'several kernels have this name'
}

@test "a grid without a launch follows from what the kernel compares its indices with" {
    cat >bounds.cu <<'END'
__global__ void points(int b, int c, int n, int m, const float *x, float *y)
{
    int batch = blockIdx.z, channel = blockIdx.y;
    if (batch >= b || channel >= c) return;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[(batch * c + channel) * n + i] = x[(batch * c + channel) * m + i % m];
}
__global__ void rows(const float *x, float *y, int width, int height, int pitch, int dim, int count)
{
    int i = (blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x + threadIdx.x;
    if (i < count) y[i] = x[i % width + i % height * pitch + dim];
}
END
    run --separate-stderr "$APTUNE" init bounds.cu
    status_is 0
    has "$(cat bounds.spec)" '^problem B = 256, C = 256, N = 256, M = 16 '
    has "$(cat bounds.spec)" '^grid ceil_div\(N, BLOCK\), C, B +# decide'
    has "$(cat bounds.spec)" '^out y : float\[B \* C \* N\]'
    check bounds.spec
    status_is 0
    run --separate-stderr "$APTUNE" init bounds.cu --kernel rows --output rows.spec
    status_is 0
    has "$(cat rows.spec)" '^problem WIDTH = 16, HEIGHT = 16, PITCH = 16, DIM = 16, COUNT = 1048576 '
    has "$(cat rows.spec)" '^grid ceil_div\(COUNT, BLOCK\) +# decide'
    # Room is kept for what the author's grid is made of.
    cat >many.cu <<'END'
__global__ void many(float *y, int na, int nb, int nc, int nd, int ne, int nf, int ng, int nh, int last)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < last) y[i] = na + nb + nc + nd + ne + nf + ng + nh;
}
void go(float *y, int k) { many<<<(k + 127) / 128, 128>>>(y, 1, 2, 3, 4, 5, 6, 7, 8, k); }
END
    run --separate-stderr "$APTUNE" init many.cu
    status_is 0
    has "$(cat many.spec)" '^grid ceil_div\(LAST, 128\) +# as launched'
    has "$(cat many.spec)" '^out y : float\[LAST\]'
}

@test "constants have the types that the source declares" {
    printf '#pragma once\nstatic __constant__ float weights[2 * 4 + 1], scale;\n' >weights.h
    cat >constants.cu <<'END'
#include "weights.h"
__constant__ float3 ways[2];
__constant__ unsigned long long seeds[3];
__global__ void k(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = weights[i % 9] * scale * ways[i % 2].y + seeds[i % 3];
}
END
    run --separate-stderr "$APTUNE" init constants.cu
    status_is 0
    has "$(cat constants.spec)" '^constant weights : float\[9\] = uniform\(0, 1\) +# decide: contents$'
    has "$(cat constants.spec)" '^constant ways : float3\[2\] = uniform\(0, 1\) +# decide: contents$'
    has "$(cat constants.spec)" '^constant seeds : uint64\[3\] = zero +# decide: contents$'
    check constants.spec
    status_is 0
}

@test "init takes what the project's build chooses: what an #error asks for, what is hidden, a newer standard" {
    mkdir widths
    cat >widths/types.h <<'END'
#pragma once
#if INDEX_WIDTH == 32
typedef unsigned Index;
#elif INDEX_WIDTH == 64
typedef unsigned long Index;
#else
#error "Unknown INDEX_WIDTH."
#endif
END
    cat >choice.cu <<'END'
#include "widths/types.h"
#if defined(BY_GRID)
#define STEP (gridDim.x * blockDim.x)
#elif defined(BY_BLOCK)
#define STEP blockDim.x
#else
#error Choose BY_GRID or BY_BLOCK
#endif
#ifdef WITH_SCALE
__device__ float scale(float x) { return 3 * x; }
#endif
__global__ void k(float *y, Index n)
{
    for (Index i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += STEP) y[i] = scale(y[i]);
}
END
    run --separate-stderr "$APTUNE" init choice.cu
    status_is 0
    has "$(cat choice.spec)" '^option "-DINDEX_WIDTH=32" +# decide'
    has "$(cat choice.spec)" '^option "-DBY_GRID=1" +# decide'
    has "$(cat choice.spec)" '^option "-DWITH_SCALE=1" +# decide: it enables scale'
    check choice.spec
    status_is 0
    cat >named.cu <<'END'
struct Kind { int id, weight; };
constexpr Kind kinds[] = {{.id = 1, .weight = 2}, {.id = 2, .weight = 3}};
__global__ void k(int *y) { y[threadIdx.x] = kinds[0].weight; }
END
    run --separate-stderr "$APTUNE" init named.cu
    status_is 0
    has "$(cat named.spec)" '^option "-std=c\+\+20"$'
    # What init asks the compiler is nobody's mistake.
    printf 'template <int N> __device__ float f(float (&a)[N]);\ntemplate <typename T, void (*F)(T)> __global__ void k(T *a) { F(*a); }\n' >many.cuh
    run --separate-stderr "$APTUNE" init many.cuh
    status_is 2
    lacks "$stderr" 'aptune_types'
}

@test "what a header decides by itself is no parameter" {
    printf '#ifdef __HIP__\n#define FOREIGN 1\n#else\n#define FOREIGN 0\n#endif\n' >platform.h
    cat >platform.cu <<'END'
#include "platform.h"
#if FOREIGN
#include <nowhere.h>
#endif
__global__ void k(float *y) { y[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
END
    run --separate-stderr "$APTUNE" init platform.cu
    status_is 0
    lacks "$(cat platform.spec)" '^param FOREIGN'
    check platform.spec
    status_is 0
}

@test "init declares the folder of a header that is included from outside the kernel's" {
    mkdir -p project/kernels
    echo '#define THREADS 96' >project/sizes.h
    printf '%s\n' '#include "../sizes.h"' '__global__ void k(int *a) { a[threadIdx.x] = THREADS; }' \
        'void f(int *a) { dim3 t; t.x = THREADS; k<<<1, t>>>(a); }' >project/kernels/k.cu
    run --separate-stderr "$APTUNE" init project/kernels/k.cu
    status_is 0
    has "$(cat project/kernels/k.spec)" '^include "\.\." +# found: its headers are included$'
    has "$(cat project/kernels/k.spec)" '^param THREADS in 96'
    check project/kernels/k.spec
    status_is 0

    # Without host code this header declares nothing.
    echo 'static int number = 96;' >project/sizes.h
    sed -i 's/= THREADS; }/= sizeof number; }/' project/kernels/k.cu
    run --separate-stderr "$APTUNE" init project/kernels/k.cu --output -
    status_is 0
    lacks "$output" '^include'
}

@test "an argument that the block is made of follows the block, and sizes keep what a launch says of tiles" {
    cat >k.cu <<'EOF'
template <typename T> __global__ void k(T *a, int n, int w, int rows)
{
    extern __shared__ T tile[];
    for (int i = threadIdx.x; i < w * rows; i += w)
        tile[i] = a[blockIdx.x * w + i % n];
    __syncthreads();
    a[blockIdx.x * w + threadIdx.x] = tile[threadIdx.x];
}
struct Part { double *a; int n; };
template <typename T> void f(Part *part, int d, int n)
{
    const int w = 32; const int rows = 8;
    dim3 block(w);
    int grid = (part[d].n + w - 1) / w;
    k<T><<<grid, block, rows * w * sizeof(T)>>>((T *)part[d].a, part[d].n, w, rows);
}
void g(Part *part, int n) { f<double>(part, 0, n); }
EOF
    run --separate-stderr "$APTUNE" init k.cu
    status_is 0
    spec=$(cat k.spec)
    has "$spec" '^problem N = [0-9]+, ROWS = 8 '
    has "$spec" '^param BLOCK in 32, 16, 64 '
    has "$spec" '^grid ceil_div\(N, BLOCK\) +# as launched'
    has "$spec" '^shared \(ROWS \* BLOCK\) \* 8 '
    has "$spec" '^arg w : int32 = BLOCK$'
    check k.spec
    status_is 0
}

@test "advice fits the errors that are shown" {
    printf '%s\n' '__global__ void k(int *a) {' 'a->b = 1;' 'a->b = 2;' 'a->b = 3;' 'a[0] = tex1D(e, 0); }' >many.cu
    run --separate-stderr "$APTUNE" init many.cu --output -
    status_is 2
    lacks "$stderr" 'texture'
}

@test "a struct whose members have one type is one in the spec" {
    cat >k.cu <<'EOF'
struct Body { double x, y, m; };
struct Box { int first; double size; };
__global__ void k(Body *bodies, const Box *boxes, int **lists, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].x += bodies[i].m * boxes[i].size + boxes[i].first + (lists[i] != nullptr);
}
EOF
    run --separate-stderr "$APTUNE" init k.cu
    status_is 0
    has "$(cat k.spec)" '^inout bodies : struct\(double, double, double\)\[N\] = uniform\(-1, 1\) .*.Body. in the source'
    has "$(cat k.spec)" '^in boxes : uint8\[16 \* N\] = zero .*bytes of .Box.'
    has "$(cat k.spec)" '^in lists : uint8\[8 \* N\]'
    check k.spec
    status_is 0
}
