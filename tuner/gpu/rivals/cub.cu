/* CUB's device-wide sum, maximum and prefix sums, as rivals.
 *
 *     nvcc -O3 -arch=native -shared -Xcompiler -fPIC -I. tuner/gpu/rivals/cub.cu \
 *          -o aptune-rival-cub.so
 *
 * or `cmake --build build --target aptune-rival-cub` if there is an nvcc.  In a spec:
 *
 *     rival cub sum  args OUT, IN, N               OUT[0] = the sum of N elements
 *     rival cub max  args OUT, IN, N               OUT[0] = the maximum of N elements
 *     rival cub scan args OUT, IN, N, INCLUSIVE    OUT = the prefix sums of N elements;
 *                                                  INCLUSIVE defaults to 0 */
#include "tuner/gpu/rival.h"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

namespace
{

struct Call;
using Submit = cudaError_t (*)(Call &);

/* Temporary memory is allocated once. */
struct Call {
    Submit submit;
    void *out;
    const void *in;
    int count;
    cudaStream_t stream;
    void *room;
    size_t bytes;
};

/* Submits a call on elements of type T. */
#define SUBMIT(name, function)                                                                     \
    template <typename T> cudaError_t name(Call &c)                                                \
    {                                                                                              \
        return cub::function(c.room, c.bytes, static_cast<const T *>(c.in),                        \
                             static_cast<T *>(c.out), c.count, c.stream);                          \
    }
SUBMIT(submit_sum, DeviceReduce::Sum)
SUBMIT(submit_max, DeviceReduce::Max)
SUBMIT(submit_exclusive, DeviceScan::ExclusiveSum)
SUBMIT(submit_inclusive, DeviceScan::InclusiveSum)

enum Operation { SUM, MAX, EXCLUSIVE, INCLUSIVE, OPERATIONS };

const char *const titles[] = {"DeviceReduce::Sum", "DeviceReduce::Max", "DeviceScan::ExclusiveSum",
                              "DeviceScan::InclusiveSum"};

struct Known {
    const char *type;
    Submit submit[OPERATIONS];
};

#define KNOWN(name, type)                                                                          \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            submit_sum<type>, submit_max<type>, submit_exclusive<type>, submit_inclusive<type>     \
        }                                                                                          \
    }
const Known known[] = {KNOWN("int32", int32_t), KNOWN("uint32", uint32_t),
                       KNOWN("int64", int64_t), KNOWN("uint64", uint64_t),
                       KNOWN("float", float),   KNOWN("double", double)};

int refuse(AptuneRival *r, const char *why)
{
    std::snprintf(r->error, sizeof r->error, "%s", why);
    return 1;
}

int check(AptuneRival *r, cudaError_t e, const char *what)
{
    if (e != cudaSuccess)
        std::snprintf(r->error, sizeof r->error, "%s: %s", what, cudaGetErrorString(e));
    return e != cudaSuccess;
}

int run(AptuneRival *r)
{
    Call &c = *static_cast<Call *>(r->state);
    return check(r, c.submit(c), r->title);
}

void end(AptuneRival *r)
{
    Call *c = static_cast<Call *>(r->state);
    cudaFree(c->room);
    delete c;
}

Submit find(const char *type, Operation o)
{
    for (const Known &k : known)
        if (std::strcmp(k.type, type) == 0)
            return k.submit[o];
    return nullptr;
}

/* OPERATIONS if there is no such call. */
Operation operation_of(const AptuneRivalCall *call)
{
    if (std::strcmp(call->name, "sum") == 0)
        return SUM;
    if (std::strcmp(call->name, "max") == 0)
        return MAX;
    if (std::strcmp(call->name, "scan") != 0)
        return OPERATIONS;
    return call->argument_count == 4 && call->arguments[3].integer ? INCLUSIVE : EXCLUSIVE;
}

/* A CUB call without temporary memory only returns its size. */
int allocate(AptuneRival *r, Call &c)
{
    return check(r, c.submit(c), "the size of the temporary memory") ||
           check(r, cudaMalloc(&c.room, c.bytes ? c.bytes : 1), "temporary memory");
}

} // namespace

extern "C" int aptune_rival(const AptuneRivalCall *call, AptuneRival *r)
{
    const Operation o = operation_of(call);
    const bool scans = o == EXCLUSIVE || o == INCLUSIVE;
    const AptuneRivalArgument *x = call->arguments;
    if (call->version != APTUNE_RIVAL_VERSION)
        return refuse(r, "this plugin was built for another version of aptune");
    if (o == OPERATIONS)
        return refuse(r, "'cub' has only the calls 'sum', 'max' and 'scan'");
    if (call->argument_count < 3 || call->argument_count > 3 + scans || !x[0].buffer ||
        !x[1].buffer || x[2].buffer || (call->argument_count == 4 && x[3].buffer))
        return refuse(r, "'cub' takes OUT, IN, N: two buffers and a number; 'scan' also INCLUSIVE");
    if (x[2].integer < 1 || x[2].integer > INT_MAX || x[1].count < x[2].integer ||
        x[0].count < (scans ? x[2].integer : 1))
        return refuse(r, "'cub' takes N from 1 to 2^31 - 1, and buffers as large");
    Submit submit = std::strcmp(x[0].type, x[1].type) == 0 ? find(x[0].type, o) : nullptr;
    if (!submit)
        return refuse(r, "'cub' takes two buffers of the same type, a number of 32 or 64 bits");
    Call *c = new (std::nothrow) Call{submit,
                                      x[0].buffer,
                                      x[1].buffer,
                                      static_cast<int>(x[2].integer),
                                      static_cast<cudaStream_t>(call->stream),
                                      nullptr,
                                      0};
    if (!c)
        return refuse(r, "no memory");
    if (allocate(r, *c)) {
        delete c;
        return 1;
    }
    r->state = c;
    r->run = run;
    r->end = end;
    std::snprintf(r->title, sizeof r->title, "CUB %s", titles[o]);
    std::snprintf(r->details, sizeof r->details, "CUB %d.%d.%d", CUB_MAJOR_VERSION,
                  CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
    return 0;
}
