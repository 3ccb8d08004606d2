/* What to run on a GPU, and the results: plain data.
 *
 * A TaskProblem is set once: the buffers with their contents, the reference for the outputs and the
 * tolerances. A Trial is one configuration of that problem: cubins, a list of launches, how often to time
 * them. A TrialResult keeps every sample. Nothing here is an expression: the builder has resolved all names
 * and sizes, so the measuring process does not know specs.
 *
 * Nothing here owns memory: arrays belong to their builder, results live in the arena that was passed. */
#pragma once

#include "metrics/base/outcome.h"
#include "tuner/spec/health.h"

#include <stdint.h>

/* --- element types ------------------------------------------------------------------------- */

typedef enum TaskScalar {
    TASK_I8,
    TASK_U8,
    TASK_I16,
    TASK_U16,
    TASK_I32,
    TASK_U32,
    TASK_I64,
    TASK_U64,
    TASK_HALF, /* this and all after it are floating-point */
    TASK_BFLOAT16,
    TASK_E4M3, /* 8 bits, NVIDIA's __nv_fp8_e4m3: no infinity */
    TASK_E5M2,
    TASK_FLOAT,
    TASK_DOUBLE,
    TASK_SCALARS
} TaskScalar;

typedef struct TaskType {
    TaskScalar scalar;
    int lanes; /* 1; 2, 3 or 4 for vectors ("float4"); more for structs */
} TaskType;

/* Bytes of a scalar, and of an element: lanes × scalar, without padding, as in CUDA's vector types. */
size_t task_scalar_size(TaskScalar s);
size_t task_type_size(TaskType t);

bool task_scalar_is_float(TaskScalar s);

/* The unsigned integer that holds the bits of a floating-point type that C lacks (half, bfloat16, the 8-bit
 * types); other scalars map to themselves. */
TaskScalar task_scalar_in_c(TaskScalar s);

/* Finds a type by CUDA's name: "float", "half2", "int", "uint4", "int8_t", "unsigned char", "longlong2",
 * "__nv_bfloat162", "fp8x4_e4m3" … False: unknown. */
bool task_type_find(const char *name, TaskType *t);

/* Our name of a scalar: "int8" … "uint64", "half", "bfloat16", "fp8_e4m3", "fp8_e5m2", "float", "double". */
const char *task_scalar_name(TaskScalar s);

/* Prints a type in the spec's syntax: task_scalar_name of a scalar, CUDA's name of a vector ("int2",
 * "uchar4", "bfloat162", "fp8x2_e4m3"), since the sized names have no vectors. */
void task_type_print(TaskType t, Buf *out);

/* The layout of a struct in C. */
typedef struct StructLayout {
    size_t size, alignment; /* of the members added so far */
} StructLayout;

/* Adds a member (alignment 0: 1); returns its offset. */
size_t layout_add(StructLayout *l, size_t size, size_t alignment);

/* The struct's size with padding. */
size_t layout_size(const StructLayout *l);

/* --- a problem ----------------------------------------------------------------------------- */

typedef enum TaskRole {
    TASK_IN,       /* read only: a kernel that changes it is wrong */
    TASK_OUT,      /* verified against the reference */
    TASK_INOUT,    /* verified, too; has its contents at the start of each run */
    TASK_SCRATCH,  /* never verified */
    TASK_REFERENCE /* used by the reference only: filled once, freed after the reference has run */
} TaskRole;

typedef enum TaskContentsKind {
    TASK_UNDEFINED, /* a run must not rely on it: poisoned before the verified run */
    TASK_ZERO,
    TASK_KEPT, /* zero before the verified run; then as the preceding run left it */
    TASK_CONSTANT,
    TASK_UNIFORM,
    TASK_NORMAL,
    TASK_BYTES, /* given literally */
    TASK_CONTENTS_KINDS
} TaskContentsKind;

/* The contents of a buffer before a run. They depend on these fields and the index only, see contents.h. */
typedef struct TaskContents {
    TaskContentsKind kind;
    double value; /* TASK_CONSTANT */
    /* TASK_UNIFORM: integers lo..hi, floating-point numbers in [lo, hi]. TASK_NORMAL: mean and deviation. */
    double lo, hi;
    uint64_t seed;     /* TASK_UNIFORM, TASK_NORMAL */
    const void *bytes; /* TASK_BYTES: the whole buffer, of type `made_as` */
    size_t size;       /* of the bytes */
    /* Make the numbers as `made_as`, then convert them to the buffer's type: a double copy of a float
     * buffer holds exactly the same numbers. */
    bool converted;
    TaskScalar made_as;
} TaskContents;

/* What the relative part of a tolerance is relative to. */
typedef enum TaskScale {
    TASK_SCALE_RMS,    /* root mean square of the reference output: fair to long sums */
    TASK_SCALE_MAX,    /* its largest magnitude */
    TASK_SCALE_ELEMENT /* the element itself */
} TaskScale;

/* An element passes if |x − r| <= absolute + relative × scale; if both are zero, when it is equal. An
 * output passes with at most `except` scalars that fail. */
typedef struct TaskTolerance {
    double absolute;
    double relative;
    TaskScale scale;
    /* Compare the sums of the elements, per lane and in double precision; elements that the reference left
     * unwritten do not count. */
    bool sum;
    int64_t except;
} TaskTolerance;

typedef struct TaskBuffer {
    const char *name; /* as in the spec, for messages */
    TaskType type;
    int64_t count; /* elements */
    TaskRole role;
    TaskContents contents;
    TaskTolerance tolerance; /* of an output */
    /* Of an output: the number, from 1, of the buffer that holds the expected values once the reference has
     * run, perhaps in another type. 0: the output itself. */
    int expected;
} TaskBuffer;

enum { TASK_TEXTURE_DIMENSIONS = 3 };

/* How a texture treats coordinates beyond its edge, in the order of CUaddress_mode. */
typedef enum TaskEdge {
    TASK_EDGE_WRAP,
    TASK_EDGE_CLAMP,
    TASK_EDGE_MIRROR,
    TASK_EDGE_BORDER
} TaskEdge;

/* A buffer that kernels read through a texture object. */
typedef struct TaskTexture {
    int buffer;                            /* its contents, row by row; role TASK_IN */
    int64_t size[TASK_TEXTURE_DIMENSIONS]; /* elements, x first; 0 past the last dimension */
    TaskEdge edge;
    bool linear;     /* interpolated */
    bool normalized; /* coordinates from 0 to 1 */
    bool fetch;      /* linear memory, not an array */
} TaskTexture;

typedef struct TaskModule {
    const void *cubin;
    size_t size;
} TaskModule;

enum {
    TASK_VALUE_LIMIT = 256,  /* bytes of the largest argument passed by value, … */
    TASK_STRUCT_LIMIT = 4096 /* … and of a struct made of several: CUDA's limit */
};

typedef struct TaskArgument {
    int buffer;    /* index of the buffer whose address is passed, or −1: a value */
    bool texture;  /* `buffer` is the index of a texture whose handle is passed */
    bool joined;   /* in the same struct as the preceding argument, … */
    int alignment; /* … aligned to so many bytes */
    size_t size;   /* bytes of the value */
    unsigned char bytes[TASK_VALUE_LIMIT];
} TaskArgument;

typedef struct TaskLaunch {
    int module;         /* index into the modules of the run */
    const char *kernel; /* its name in the cubin */
    int64_t grid[3];
    int64_t block[3];
    int64_t shared; /* bytes of dynamic shared memory */
    int64_t repeat; /* times in a row; 0 counts as 1 */
    bool cooperative;
    const TaskArgument *arguments;
    size_t argument_count;
} TaskLaunch;

/* A device variable (`__constant__` or `__device__`) that is set to a buffer's contents, once, after
 * loading, in every module that has it. */
typedef struct TaskSymbol {
    const char *name;
    int buffer;
    bool optional; /* it may be missing in all modules: a reference need not use it */
} TaskSymbol;

/* An argument of a library call. */
typedef struct TaskRivalArgument {
    const char *name; /* as in the spec, for messages */
    int buffer;       /* index of a buffer, or −1: a number */
    bool real;        /* the number is `number`, not `integer` */
    int64_t integer;
    double number;
} TaskRivalArgument;

/* A library call in place of launches. */
typedef struct TaskRival {
    const char *library; /* "cublas", "memory", or a plugin's path (tuner/gpu/rival.h) */
    const char *call;    /* "gemm" */
    const TaskRivalArgument *arguments;
    size_t argument_count;
} TaskRival;

/* Launches in order with their cubins: "a run" is all of them once. */
typedef struct TaskRun {
    const TaskModule *modules;
    size_t module_count;
    const TaskLaunch *launches;
    size_t launch_count;
    const TaskSymbol *symbols;
    size_t symbol_count;
    const TaskRival *rival; /* runs instead of launches; NULL: none */
} TaskRun;

typedef struct TaskProblem {
    const TaskBuffer *buffers;
    size_t buffer_count;
    const TaskTexture *textures;
    size_t texture_count;
    TaskRun reference;   /* without launches and expected buffers nothing can be verified */
    TaskModule checking; /* tuner/gpu/compare.cu, compiled for the device */
    bool bare;           /* allocate to the byte, without guards: for a memory checker */
} TaskProblem;

/* Statistics of the reference's output. */
typedef struct TaskOutput {
    int buffer;
    double rms;        /* of the finite elements */
    double max;        /* largest magnitude of the finite elements */
    int64_t nonfinite; /* NaN or infinite elements; no NaN ever passes */
    int64_t unwritten; /* elements that the reference did not write: they must stay unwritten */
    /* elements in which two reference runs differ by more than the tolerance */
    int64_t nondeterministic;
    double nondeterminism; /* largest difference between the two runs */
} TaskOutput;

/* --- a trial ------------------------------------------------------------------------------- */

/* The state of the L2 cache when a sample begins. */
typedef enum TaskCache {
    TASK_WARM, /* as the preceding run left it */
    TASK_COLD, /* nothing of the problem */
    TASK_BOTH  /* alternating; the cold times decide */
} TaskCache;

/* "warm", "cold", "both", for options, records and reports. */
const char *task_cache_name(TaskCache c);
bool task_cache_find(const char *name, TaskCache *c);

/* How often a run is timed. A sample is the time between two events; see tuner/gpu/sampling.h. */
typedef struct TaskSampling {
    int least;        /* samples always taken */
    int enough;       /* fewest samples of a run that can still win */
    int most;         /* most samples */
    double sample_ms; /* shorter runs are repeated within a sample until it takes as long */
    /* done when the median's confidence interval is narrower than this fraction of it, … */
    double width;
    double budget_ms; /* … or when samples beyond `enough` have taken this much device time */
    double best_ms;   /* a run that is surely slower cannot win; 0: none known */
} TaskSampling;

/* One run, or finalists against each other: loaded together, then timed in rounds, each once per round,
 * in an order that changes from round to round. Finalists are not verified, and TASK_BOTH counts as
 * TASK_COLD. */
typedef struct Trial {
    int64_t id; /* the caller's, returned with the result */
    const TaskRun *runs;
    size_t run_count;
    int rounds;    /* 0: one run, sampled by itself */
    double warm_s; /* warm-up rounds are dropped: at least one, and at least this long */
    /* Elements compared, for each of the first buffers; −1, and for later buffers: all. A configuration may
     * use less of an output than another, and comparing all of it may not be worthwhile. */
    const int64_t *compared;
    size_t compared_count;
    bool verify; /* compare the outputs of a first and a last run with the reference */
    int warmups; /* runs before the timed ones, besides the verified one */
    TaskCache cache;
    TaskSampling sampling; /* all zero: not timed; rounds use sample_ms only */
    double sustain_s;      /* then each run back to back for so long; 0: not */
    double limit_s;        /* time limit of the trial, with loading and verification */
} Trial;

/* How one output compares with the reference. */
typedef struct TrialCheck {
    int buffer;
    int64_t wrong;     /* elements out of tolerance, of all kinds */
    int64_t nan;       /* of them: NaN (not the poison) */
    int64_t unwritten; /* of them: still poisoned */
    int64_t first;     /* index of the first wrong scalar; −1: none */
    double got;        /* its value */
    double expected;   /* the reference's value there */
    double max_error;  /* largest |x − r| of all numbers */
    double scale;      /* what relative errors are relative to; for TASK_SCALE_ELEMENT the RMS */
} TrialCheck;

/* A run repeated back to back for some seconds. */
typedef struct TrialSustained {
    int64_t runs;      /* that were counted */
    double ms;         /* of one run */
    double joules;     /* of one run, whole board; NaN: the device does not measure it */
    double power_w;    /* mean; NaN likewise */
    double clock_mhz;  /* mean; 0: unknown */
    unsigned throttle; /* ThrottleReason bits that were seen */
    double idle;       /* fraction of `ms` that the device waited for the host */
} TrialSustained;

typedef struct TrialResult {
    int64_t id;
    Outcome status;
    bool verified; /* the outputs were compared, with whatever result */
    /* ms of one run per sample, in order; of a final of each finalist, round by round */
    const double *times;
    size_t time_count;
    const double *warm_times; /* of TASK_BOTH: the warm times; `times` are the cold ones */
    size_t warm_count;
    int batch;                       /* runs within a sample; 0: no sample */
    const TrialSustained *sustained; /* if asked for: one, or one per finalist */
    size_t sustained_count;
    GpuHealth health;         /* of the device while it was timed */
    double first_ms;          /* of the verified run; 0: none */
    const TrialCheck *checks; /* of each output, from the last verified run */
    size_t check_count;
    const char *words;   /* error text, with the driver's; "": none */
    const char *title;   /* of a rival: its title, "cuBLAS SGEMM"; else "" */
    const char *details; /* its version and how it computes */
    const char *printed; /* output of the tool that the GPU process ran under; "": none */
    double seconds;      /* wall time from request to answer */
    bool killed; /* somebody killed the GPU process (signal 9), so the fault is not its own */
} TrialResult;
