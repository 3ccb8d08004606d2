/* What a rival's plugin is made of: a library's call that a kernel is measured against.
 *
 * A plugin is a shared object with one function, aptune_rival.  aptune's GPU process opens it when
 * a spec has a line such as
 *
 *     rival cub sum args total, data, n : uint = N        # aptune-rival-cub.so
 *     rival "mine.so" sum args total, data, n : uint = N
 *
 * and asks it to get the call ready; then it has the call run once, compares what it made with the
 * spec's reference, and times it in turn with the kernel.  The plugin's process has the device's
 * primary context current, so CUDA's runtime API works as it is.
 *
 * This header stands alone and is C and C++. */
#ifndef APTUNE_GPU_RIVAL_H
#define APTUNE_GPU_RIVAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when the structs below change. */
#define APTUNE_RIVAL_VERSION 1

/* One argument, in the order of the spec's line: a buffer or a number. */
typedef struct AptuneRivalArgument {
    const char *name;  /* as the spec calls it */
    const char *type;  /* of a buffer's elements: "float", "half", "int32", "uint8", "float4" … */
    void *buffer;      /* in the device's memory, aligned to 256 bytes; NULL: a number */
    long long count;   /* elements of the buffer */
    long long integer; /* the number; without its fraction if it has one */
    double real;       /* the number */
} AptuneRivalArgument;

/* What is asked for.  Everything in it lives as long as the rival. */
typedef struct AptuneRivalCall {
    int version;      /* APTUNE_RIVAL_VERSION of who asks */
    const char *name; /* of the call: "sum" */
    const AptuneRivalArgument *arguments;
    int argument_count;
    void *stream; /* the cudaStream_t or CUstream that all work goes to */
} AptuneRivalCall;

/* What the plugin makes of it; all zero before. */
typedef struct AptuneRival {
    void *state; /* the plugin's own */
    /* Gives the work of one call to the stream, without waiting for it.  It may be recorded into a
     * CUDA graph, so nothing is allocated here.  0, or not, with the reason in `error`. */
    int (*run)(struct AptuneRival *r);
    void (*end)(struct AptuneRival *r); /* frees the state; NULL: nothing to free */
    char title[64];                     /* "CUB DeviceReduce::Sum" */
    char details[128];                  /* "CUB 3.0.1": version, and how it computes */
    char error[256];                    /* why it failed */
} AptuneRival;

/* Gets a call ready: looks at the arguments, takes the temporary memory that it needs.  0, or not,
 * with the reason in `error`; then `end` is not called. */
#if defined(__GNUC__)
__attribute__((visibility("default"))) /* also where all else is hidden */
#endif
int aptune_rival(const AptuneRivalCall *call, AptuneRival *rival);

#ifdef __cplusplus
}
#endif

#endif
