/* The interface of a rival's plugin: a library call that a kernel is measured against.
 *
 * A plugin is a shared object with one function, aptune_rival.  aptune's GPU process opens it when
 * a spec has a line such as
 *
 *     rival cub sum args total, data, n : uint = N        # aptune-rival-cub.so
 *     rival "mine.so" sum args total, data, n : uint = N
 *
 * and asks it to prepare the call; then it runs the call once, compares the outputs with the spec's
 * reference, and times it alternately with the kernel.  The device's primary context is current in that
 * process, so the CUDA runtime API can be used.
 *
 * This header needs no other, and is both C and C++. */
#ifndef APTUNE_GPU_RIVAL_H
#define APTUNE_GPU_RIVAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when the structs below change. */
#define APTUNE_RIVAL_VERSION 1

/* One argument, in the order of the spec's line: a buffer or a number. */
typedef struct AptuneRivalArgument {
    const char *name;  /* its name in the spec */
    const char *type;  /* of a buffer's elements: "float", "half", "int32", "uint8", "float4" … */
    void *buffer;      /* device memory, aligned to 256 bytes; NULL: a number */
    long long count;   /* elements of the buffer */
    long long integer; /* the number, truncated */
    double real;       /* the number */
} AptuneRivalArgument;

/* The call to prepare.  Everything in it lives as long as the rival. */
typedef struct AptuneRivalCall {
    int version;      /* APTUNE_RIVAL_VERSION of the caller */
    const char *name; /* of the call: "sum" */
    const AptuneRivalArgument *arguments;
    int argument_count;
    void *stream; /* the cudaStream_t or CUstream for all work */
} AptuneRivalCall;

/* Filled in by the plugin; zeroed before. */
typedef struct AptuneRival {
    void *state; /* the plugin's own */
    /* Submits the work of one call to the stream, without waiting.  It may be captured into a CUDA graph, so
     * it must not allocate.  Returns 0, or non-zero with the reason in `error`. */
    int (*run)(struct AptuneRival *r);
    void (*end)(struct AptuneRival *r); /* frees the state; NULL: nothing to free */
    char title[64];                     /* "CUB DeviceReduce::Sum" */
    char details[128];                  /* "CUB 3.0.1": version, and how it computes */
    char error[256];                    /* why it failed */
} AptuneRival;

/* Prepares a call: checks the arguments, allocates temporary memory.  Returns 0, or non-zero with the reason
 * in `error`; then `end` is not called. */
#if defined(__GNUC__)
__attribute__((visibility("default"))) /* even with -fvisibility=hidden */
#endif
int aptune_rival(const AptuneRivalCall *call, AptuneRival *rival);

#ifdef __cplusplus
}
#endif

#endif
