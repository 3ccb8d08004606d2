/*%% top */
/* Pattern of NAME.h, the interface of an emitted unit.
 *
 * A pattern is emitted line by line.  Names that begin with unit_ or UNIT_ get the unit's
 * prefix, files of this folder replace their #include, and the text between two marks like
 * the one above is generated for each unit.  Here that text is a sample, which makes the
 * patterns themselves valid C11, C17 and C++17 (tests/unit/test_emit_pattern.c). */
/*%% */
/* SPDX-License-Identifier: 0BSD
 *
 * No conditions apply, except those that a kernel's source states itself. */
#ifndef UNIT_UNIT_H
#define UNIT_UNIT_H

/*     unit_kernel *kernel;
 *     unit_arguments arguments;
 *     unit_problem size = {...};
 *     int status = unit_load(&kernel);    (once per device)
 *     unit_arguments_default(&arguments); (then set the pointers)
 *     if (status == UNIT_OK)
 *         status = unit_launch(kernel, &size, &arguments, stream, NULL);
 *     if (status != UNIT_OK)
 *         puts(unit_status_text(status));
 *     unit_unload(kernel);
 *
 * Any size may be passed.  A launch uses a variant listed above that is valid for the size:
 * the one tuned for it, or for the nearest size.  If none is valid, it launches nothing and
 * returns UNIT_SIZE. */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*%% facts */
#define UNIT_VERSION "aptune"
#define UNIT_ENTRY_COUNT 1
#define UNIT_VARIANT_COUNT 1
/*%% */

/* The problem size.  No variant is valid for a number out of range. */
/*%% problem */
typedef struct unit_problem {
    long long N; /* from 0 to 2147483647 */
    double tolerance;
} unit_problem;
/*%% */

/* The arguments of a launch.  Pointers are device pointers, aligned to 16 bytes.  Numbers
 * that follow from the size are computed, and are not arguments. */
/*%% arguments */
typedef struct unit_arguments {
    float *y;
    const float *table;
    float alpha;
    void *scratch; /* of unit_scratch_bytes, aligned to 256 bytes */
} unit_arguments;
/*%% */

typedef enum unit_status {
    UNIT_OK,
    UNIT_NO_DRIVER, /* no CUDA driver, or no device */
    UNIT_NO_CODE, /* no variant runs on this device */
    UNIT_SIZE, /* no variant is valid for this size */
    UNIT_ARGUMENT, /* NULL, or a pointer that is not aligned */
    UNIT_CUDA /* a CUDA call failed: see unit_cuda_error */
} unit_status;

/* How well a variant matches, best first. */
typedef enum unit_match {
    UNIT_EXACT, /* tuned for this size on this device */
    UNIT_NEAREST_SIZE, /* on this device, for another size */
    UNIT_SAME_ARCHITECTURE, /* on another device that runs the same code */
    UNIT_PTX, /* for an older architecture; the driver compiles its PTX */
    UNIT_DEFAULT /* the default entry: none was tuned near this size */
} unit_match;

typedef struct unit_choice {
    int entry, variant; /* as numbered above, from 1 */
    unit_match match;
    const char *parameters, *tuned_for;
    size_t scratch_bytes; /* enough for this size with any variant */
} unit_choice;

/* The code loaded for one device. */
typedef struct unit_kernel unit_kernel;

/* Functions that return int return a unit_status, except unit_cuda_error.
 *
 * Prepares for the device of this thread's current context, which must outlive the
 * kernel.  Code is loaded when it is first used.  After a failure `*out` is NULL. */
int unit_load(unit_kernel **out);

/* All launches must have finished.  NULL is allowed. */
void unit_unload(unit_kernel *kernel);

/* The variant that a launch of this size would use, and how well it matches. */
int unit_choose(
    const unit_kernel *kernel, const unit_problem *problem, unit_choice *out);

/* The same for a device given by name and compute capability (90 is 9.0).  Needs no GPU. */
int unit_choose_for(
    const char *device, int arch, const unit_problem *problem, unit_choice *out);

/* Launches in a stream (CUstream or cudaStream_t; NULL is the default stream) without
 * waiting: a fault in the kernel is reported where the stream is synchronized.  `took`, if
 * not NULL, receives what was launched.  Several threads may launch at the same time. */
int unit_launch(unit_kernel *kernel, const unit_problem *problem,
    const unit_arguments *arguments, void *stream, unit_choice *took);

/* Bytes of scratch memory for a launch of this size; 0 if it needs none or no variant is
 * valid. */
size_t unit_scratch_bytes(const unit_kernel *kernel, const unit_problem *problem);

/* Sets the numbers to those it was tuned with, and pointers to NULL. */
void unit_arguments_default(unit_arguments *out);

/* "none of the variants is valid for this size" and the like. */
const char *unit_status_text(int status);

/* The CUDA error (CUresult or cudaError_t) behind this thread's last UNIT_CUDA,
 * UNIT_NO_CODE or UNIT_NO_DRIVER; 0 if there was none.  NULL is allowed. */
int unit_cuda_error(const unit_kernel *kernel);

/*%% more */
/* Elements of `y` for a variant that is valid for the size; variant 0: the most that any
 * valid variant needs. */
long long unit_y_elements(int variant, const unit_problem *problem);

/* Floating-point operations per launch: 2 * N; 0 for an invalid size */
double unit_flop(const unit_problem *problem);
/*%% */

#ifdef __cplusplus
}
#endif

#endif
