/* What is to be run on a GPU, and what came of it: plain data.
 *
 * A TaskProblem is set once: the buffers with their contents, the reference that
 * says what the outputs must be, and how near is near enough.  A Trial is one
 * configuration on that problem: cubins, a list of launches, how often to time them.
 * A TrialResult keeps every sample.  Nothing here is an expression: whoever builds
 * these has resolved all names and sizes, so the measuring process knows nothing of
 * specs.
 *
 * Nothing here owns memory: the arrays belong to their builder, results live in
 * the arena they were asked into. */
#pragma once

#include "metrics/base/buf.h"
#include "metrics/base/outcome.h"
#include "tuner/spec/health.h"

#include <stdbool.h>
#include <stddef.h>
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
    TASK_HALF, /* this and all behind it are floating-point */
    TASK_BFLOAT16,
    TASK_E4M3, /* 8 bits, NVIDIA's __nv_fp8_e4m3: no infinity */
    TASK_E5M2,
    TASK_FLOAT,
    TASK_DOUBLE,
    TASK_SCALARS
} TaskScalar;

typedef struct TaskType {
    TaskScalar scalar;
    int lanes; /* 1; 2, 3 or 4 for the vectors ("float4"); more for structs */
} TaskType;

/* Bytes of one scalar, and of one element: lanes × scalar, without padding, as CUDA's vector
 * types lie in memory. */
size_t task_scalar_size(TaskScalar s);
size_t task_type_size(TaskType t);

bool task_scalar_is_float(TaskScalar s);

/* The unsigned integer that holds the bits of a floating-point type that C does not have (half,
 * bfloat16, the two of 8 bits); any other scalar is its own. */
TaskScalar task_scalar_in_c(TaskScalar s);

/* By CUDA's names: "float", "half2", "int", "uint4", "int8_t", "unsigned char", "longlong2",
 * "__nv_bfloat162", "fp8x4_e4m3" …  False when unknown. */
bool task_type_find(const char *name, TaskType *t);

/* The name this program uses for a scalar: "int8" … "uint64", "half", "bfloat16", "fp8_e4m3",
 * "fp8_e5m2", "float", "double". */
const char *task_scalar_name(TaskScalar s);

/* The name of a type as a spec has it: task_scalar_name for a scalar, CUDA's name for a vector
 * ("int2", "uchar4", "bfloat162", "fp8x2_e4m3"), since the sized names have none. */
void task_type_print(TaskType t, Buf *out);

/* A struct as C lays it out. */
typedef struct StructLayout {
    size_t size, alignment; /* of what was added so far */
} StructLayout;

/* Adds a member, aligned by 1 where 0 is said; its offset. */
size_t layout_add(StructLayout *l, size_t size, size_t alignment);

/* Bytes of all of it, with what fills it up. */
size_t layout_size(const StructLayout *l);

/* --- a problem ----------------------------------------------------------------------------- */

typedef enum TaskRole {
    TASK_IN,       /* read only: a kernel that changes it is wrong */
    TASK_OUT,      /* verified against the reference */
    TASK_INOUT,    /* verified too; begins each run with its contents */
    TASK_SCRATCH,  /* never verified */
    TASK_REFERENCE /* only the reference uses it: filled once, gone after the reference has run */
} TaskRole;

typedef enum TaskContentsKind {
    TASK_UNDEFINED, /* a run must not rely on it: poisoned before the verified run */
    TASK_ZERO,
    TASK_KEPT, /* zero before the verified run; then each run finds what the one before it left */
    TASK_CONSTANT,
    TASK_UNIFORM,
    TASK_NORMAL,
    TASK_BYTES, /* given as they are */
    TASK_CONTENTS_KINDS
} TaskContentsKind;

/* What stands in a buffer before a run.  Depends on nothing but these fields and the index, see
 * contents.h. */
typedef struct TaskContents {
    TaskContentsKind kind;
    double value; /* TASK_CONSTANT */
    /* TASK_UNIFORM: integers lo..hi, floating-point numbers in [lo, hi].  TASK_NORMAL: mean and
     * deviation. */
    double lo, hi;
    uint64_t seed;     /* TASK_UNIFORM, TASK_NORMAL */
    const void *bytes; /* TASK_BYTES: the whole buffer, of the type `made_as` */
    size_t size;       /* of the bytes */
    /* The numbers are made as `made_as` before they become the buffer's type: a copy in double
     * precision of a float buffer holds the very same numbers. */
    bool converted;
    TaskScalar made_as;
} TaskContents;

/* What the relative part of a tolerance is relative to. */
typedef enum TaskScale {
    TASK_SCALE_RMS,    /* root mean square of the reference output: fair to long sums */
    TASK_SCALE_MAX,    /* its largest magnitude */
    TASK_SCALE_ELEMENT /* the element itself */
} TaskScale;

/* An element passes when |x − r| <= absolute + relative × scale.  Both zero: when it is equal.  An
 * output passes with at most `except` numbers that don't. */
typedef struct TaskTolerance {
    double absolute;
    double relative;
    TaskScale scale;
    /* Not the elements are compared but their sums, each lane's for itself, in double precision;
     * what the reference left unwritten does not count. */
    bool sum;
    int64_t except;
} TaskTolerance;

typedef struct TaskBuffer {
    const char *name; /* as the spec calls it, for messages */
    TaskType type;
    int64_t count; /* elements */
    TaskRole role;
    TaskContents contents;
    TaskTolerance tolerance; /* of an output */
    /* Of an output: the buffer, counted from 1, that holds what it should be once the reference has
     * run, perhaps in another type.  0: the output itself. */
    int expected;
} TaskBuffer;

enum { TASK_TEXTURE_DIMENSIONS = 3 };

/* What a texture says of a coordinate beyond its edge; the order of CUaddress_mode. */
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
    bool fetch;      /* the buffer itself, and no array */
} TaskTexture;

typedef struct TaskModule {
    const void *cubin;
    size_t size;
} TaskModule;

enum {
    TASK_VALUE_LIMIT = 256,  /* bytes of the largest argument passed by value, … */
    TASK_STRUCT_LIMIT = 4096 /* … and of what is passed as members of one struct: CUDA's limit */
};

typedef struct TaskArgument {
    int buffer;    /* index of a buffer whose address is passed, or −1: a value */
    bool texture;  /* `buffer` is the index of a texture whose handle is passed */
    bool joined;   /* lies behind the argument before, in the same struct, … */
    int alignment; /* … at a multiple of so many bytes */
    size_t size;   /* bytes of the value */
    unsigned char bytes[TASK_VALUE_LIMIT];
} TaskArgument;

typedef struct TaskLaunch {
    int module;         /* index into the modules that come with the launches */
    const char *kernel; /* its name in the cubin */
    int64_t grid[3];
    int64_t block[3];
    int64_t shared; /* bytes of dynamic shared memory */
    int64_t repeat; /* times in a row; 0 counts as 1 */
    const TaskArgument *arguments;
    size_t argument_count;
} TaskLaunch;

/* A variable of the device (`__constant__` or `__device__`) that gets a buffer's contents in every
 * module that has it, once, after loading. */
typedef struct TaskSymbol {
    const char *name;
    int buffer;
    bool optional; /* that no module has it is no mistake: a reference need not use it */
} TaskSymbol;

/* What a library's call gets at one place. */
typedef struct TaskRivalArgument {
    const char *name; /* as the spec calls it, for messages */
    int buffer;       /* index of a buffer, or −1: a number */
    bool real;        /* which of the two it is */
    int64_t integer;
    double number;
} TaskRivalArgument;

/* A library's call in place of launches. */
typedef struct TaskRival {
    const char *library; /* "cublas", "memory", or a plugin's path (tuner/gpu/rival.h) */
    const char *call;    /* "gemm" */
    const TaskRivalArgument *arguments;
    size_t argument_count;
} TaskRival;

/* Launches in order with the cubins they come from: "a run" is all of them once. */
typedef struct TaskRun {
    const TaskModule *modules;
    size_t module_count;
    const TaskLaunch *launches;
    size_t launch_count;
    const TaskSymbol *symbols;
    size_t symbol_count;
    const TaskRival *rival; /* what runs instead of launches; NULL: nothing */
} TaskRun;

typedef struct TaskProblem {
    const TaskBuffer *buffers;
    size_t buffer_count;
    const TaskTexture *textures;
    size_t texture_count;
    TaskRun reference;   /* no launches and nothing expected: nothing can be verified */
    TaskModule checking; /* tuner/gpu/compare.cu, compiled for the device */
    bool bare; /* allocate to the byte, without guards: for a checker that watches allocations */
} TaskProblem;

/* What the reference made of one output. */
typedef struct TaskOutput {
    int buffer;
    double rms;        /* of the finite elements */
    double max;        /* largest magnitude of the finite elements */
    int64_t nonfinite; /* elements that are NaN or infinite; no NaN ever passes */
    int64_t unwritten; /* elements the reference did not write: they must stay unwritten */
    int64_t
        nondeterministic; /* elements in which two runs of the reference differ beyond the tolerance */
    double nondeterminism; /* largest difference between the two runs */
} TaskOutput;

/* --- a trial ------------------------------------------------------------------------------- */

/* What the L2 cache holds when a sample begins. */
typedef enum TaskCache {
    TASK_WARM, /* what the run before left there */
    TASK_COLD, /* nothing of the problem */
    TASK_BOTH  /* each in turn; the cold times are the ones that decide */
} TaskCache;

/* "warm", "cold", "both", for options, records and reports. */
const char *task_cache_name(TaskCache c);
bool task_cache_find(const char *name, TaskCache *c);

/* How often a run is timed.  A sample is the time between two events; see tuner/gpu/sampling.h. */
typedef struct TaskSampling {
    int least;        /* samples always taken */
    int enough;       /* fewest samples of a run that can still win */
    int most;         /* samples never exceeded */
    double sample_ms; /* shorter runs are repeated within a sample until it is as long */
    double width;     /* done when the median's interval is narrower than this part of it */
    double budget_ms; /* or when samples beyond `enough` have taken as much of the device's time */
    double best_ms;   /* a run that is surely slower cannot win; 0: none is known */
} TaskSampling;

/* One run, or finalists against each other: loaded together, then timed in rounds, each once in every
 * round, in an order that changes from round to round.  Of those nothing is verified, and TASK_BOTH
 * counts as TASK_COLD. */
typedef struct Trial {
    int64_t id; /* the caller's, comes back with the result */
    const TaskRun *runs;
    size_t run_count;
    int rounds;    /* 0: it is one run, sampled by itself */
    double warm_s; /* rounds before that are not kept: one at least, and for so long */
    /* Elements of each of the first buffers that are compared, −1: all, as of the buffers behind
     * them.  A configuration may use less of an output than another, and less than all of it may be
     * worth comparing. */
    const int64_t *compared;
    size_t compared_count;
    bool verify; /* compare the outputs of a first and of a last run with the reference */
    int warmups; /* runs before the timed ones, beyond the verified one */
    TaskCache cache;
    TaskSampling sampling; /* all zero: not timed; of rounds sample_ms alone counts */
    double sustain_s;      /* then each run over and over for so long; 0: not */
    double limit_s;        /* longest the trial may take, loading and verification included */
} Trial;

/* How one output compares with the reference. */
typedef struct TrialCheck {
    int buffer;
    int64_t wrong;     /* elements beyond the tolerance, all kinds */
    int64_t nan;       /* of them: NaN (not the poison) */
    int64_t unwritten; /* of them: still poisoned */
    int64_t first;     /* index of the first wrong scalar, −1 when none */
    double got;        /* its value */
    double expected;   /* the reference's value there */
    double max_error;  /* largest |x − r| among numbers, right or wrong */
    double scale;      /* what relative errors are relative to; of TASK_SCALE_ELEMENT the RMS */
} TrialCheck;

/* A run over and over, back to back, for some seconds. */
typedef struct TrialSustained {
    int64_t runs;      /* that were counted */
    double ms;         /* of one run */
    double joules;     /* of one run, the whole board's; NaN where the device does not count them */
    double power_w;    /* mean; NaN likewise */
    double clock_mhz;  /* mean; 0: not known */
    unsigned throttle; /* ThrottleReason, or-ed: what was seen to hold the clock back */
    double idle;       /* part of the time that the device waited for the host, which is in `ms` */
} TrialSustained;

typedef struct TrialResult {
    int64_t id;
    Outcome status;
    bool verified;       /* the outputs were compared, whatever came out */
    const double *times; /* ms of one run, each sample in order; of a final of each finalist, round
                            by round */
    size_t time_count;
    const double *warm_times; /* of TASK_BOTH: the warm ones, `times` being the cold */
    size_t warm_count;
    int batch;                       /* runs within a sample; 0 when none was taken */
    const TrialSustained *sustained; /* where it was asked for: one, or one of each finalist */
    size_t sustained_count;
    GpuHealth health;         /* of the device while it was timed */
    double first_ms;          /* of the verified run; 0 when there was none */
    const TrialCheck *checks; /* of each output, as the last run that was verified left it */
    size_t check_count;
    const char *words;   /* what went wrong, with the driver's words; "" when nothing did */
    const char *title;   /* of a rival: what it says it is, "cuBLAS SGEMM"; else "" */
    const char *details; /* its version and how it computes */
    const char *printed; /* by what the GPU process ran under, meanwhile; "" without such */
    double seconds;      /* wall time from handing it to the GPU process to the answer */
    bool killed; /* a fault that is not its own: somebody killed the GPU process (signal 9) */
} TrialResult;
