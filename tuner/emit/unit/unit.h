/*%% top */
/* Pattern of NAME.h, the interface of an emitted unit.
 *
 * Emitted is what stands here, line by line: names that begin with unit_ or UNIT_ get
 * the unit's prefix, what stands between marks like the one above is written anew for
 * each unit, and files of this folder take the place of their #include.  What stands
 * between marks is a sample, with which the patterns are units of C11, C17 and C++17
 * themselves (tests/CMakeLists.txt). */
/*%% */
/* SPDX-License-Identifier: 0BSD
 *
 * Free of conditions, but for what the kernels' text says of itself. */
#ifndef UNIT_UNIT_H
#define UNIT_UNIT_H

/*     unit_kernel *kernel;
 *     unit_arguments arguments;
 *     unit_problem size = {...};
 *     int status = unit_load(&kernel); (once for each device)
 *     unit_arguments_default(&arguments); (and then the pointers)
 *     if (status == UNIT_OK)
 *         status = unit_launch(kernel, &size, &arguments, stream, NULL);
 *     if (status != UNIT_OK)
 *         puts(unit_status_text(status));
 *     unit_unload(kernel);
 *
 * Any size may be asked for.  It gets a variant that is valid for it, of those above
 * the one that was tuned for it or for the size nearest to it; never a wrong result,
 * but the status UNIT_SIZE where none is. */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*%% facts */
#define UNIT_VERSION "aptune"
#define UNIT_ENTRY_COUNT 1
#define UNIT_VARIANT_COUNT 1
/*%% */

/* A size.  Numbers that are out of range have no variant. */
/*%% problem */
typedef struct unit_problem {
    long long N; /* from 0 to 2147483647 */
    double tolerance;
} unit_problem;
/*%% */

/* What a launch gets.  Pointers are the device's, aligned to 16 bytes; what follows
 * from the size is computed. */
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
    UNIT_CUDA /* the driver said no: unit_cuda_error */
} unit_status;

/* How well a variant matches, the best first. */
typedef enum unit_match {
    UNIT_EXACT, /* tuned for this size on this device */
    UNIT_NEAREST_SIZE, /* on this device, for another size */
    UNIT_SAME_ARCHITECTURE, /* on another device for which the same code runs */
    UNIT_PTX, /* for an older architecture, compiled by the driver */
    UNIT_DEFAULT /* the declared default: no entry is near this size */
} unit_match;

typedef struct unit_choice {
    int entry, variant; /* numbers as above, from 1 */
    unit_match match;
    const char *parameters, *tuned_for;
    size_t scratch_bytes; /* that a launch of this size needs, whichever variant it
                             takes */
} unit_choice;

/* What is loaded for a device. */
typedef struct unit_kernel unit_kernel;

/* Functions give a unit_status.
 *
 * Prepares for the device of this thread's current context, which must outlive the
 * kernel. Code is loaded at its first use.  NULL in `*out` after a failure. */
int unit_load(unit_kernel **out);

/* NULL is fine.  Nothing that was launched may be under way. */
void unit_unload(unit_kernel *kernel);

/* What a launch of this size would take, and by what right. */
int unit_choose(
    const unit_kernel *kernel, const unit_problem *problem, unit_choice *out);

/* The same for a device by its name and compute capability (90 for 9.0); needs no GPU.
 */
int unit_choose_for(
    const char *device, int arch, const unit_problem *problem, unit_choice *out);

/* Launches in a stream (CUstream or cudaStream_t; NULL is the default stream) and does
 * not wait: an error of the kernel itself shows where the stream is waited for.  `took`
 * tells what was launched and may be NULL.  Several threads may launch at a time. */
int unit_launch(unit_kernel *kernel, const unit_problem *problem,
    const unit_arguments *arguments, void *stream, unit_choice *took);

/* Bytes of scratch memory that a launch of this size needs; 0 for none, and where no
 * variant is valid. */
size_t unit_scratch_bytes(const unit_kernel *kernel, const unit_problem *problem);

/* Zeros, no pointers, and the numbers that it was tuned with. */
void unit_arguments_default(unit_arguments *out);

/* "none of the variants is valid for this size" and the like. */
const char *unit_status_text(int status);

/* The number of the last CUDA error that this thread met here (CUresult or
 * cudaError_t), after UNIT_CUDA, UNIT_NO_CODE or UNIT_NO_DRIVER; 0 when there was none.
 * NULL is fine. */
int unit_cuda_error(const unit_kernel *kernel);

/*%% more */
/* Elements of `y` for a variant that is valid for the size; for variant 0 the most of
 * any that is. */
long long unit_y_elements(int variant, const unit_problem *problem);

/* Floating-point operations of a launch: 2 * N; 0 for what is no size */
double unit_flop(const unit_problem *problem);
/*%% */

#ifdef __cplusplus
}
#endif

#endif
