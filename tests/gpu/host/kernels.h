/* Kernels that run on this processor, and what they ask of the driver that launches them. */
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

enum { HOST_THREADS = 256, HOST_SHARED = 232448 };

struct host_index {
    unsigned x, y, z;
};

extern host_index threadIdx, blockIdx, blockDim, gridDim;

/* Waits until all threads of the block are here. */
void host_meet();

[[noreturn]] void host_trap();

struct host_kernel {
    const char *name;
    void (*f)();
    void (*run)(void (*f)(), void **arguments); /* one thread */
    std::vector<size_t> parameters;             /* their sizes */
    int threads;                                /* most of a block */
    bool meets;                                 /* calls host_meet */
};

extern const std::vector<host_kernel> host_kernels;
