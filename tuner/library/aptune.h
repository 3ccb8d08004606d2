/* aptune.h: GPU kernel autotuning as a library.
 *
 * A handle takes options, then works on one space of configurations: it opens the spec, compiles, carves,
 * measures and judges, and then answers questions.
 *
 *     aptune *a = aptune_new();
 *     if (aptune_set(a, "space", "mm.spec") || aptune_tune(a))
 *         fprintf(stderr, "%s\n", aptune_message(a));
 *     else if (aptune_best(a) != APTUNE_NOTHING)
 *         printf("%s: %g ms\n", aptune_name(a, aptune_best(a)), aptune_time_ms(a, aptune_best(a)));
 *     aptune_free(a);
 *
 * Errors: a function that can fail returns a status, APTUNE_OK being 0, and aptune_message explains it.  No
 * call prints, exits, changes signal handlers, the locale, the working directory or the environment, or
 * waits for children that it did not start.
 *
 * Threads: there are no globals, so several threads may work at the same time, each on its own handle.  A
 * handle may be used by any thread, but by one at a time; only aptune_stop may be called at any time from
 * another thread or from a signal handler.
 *
 * Processes: compilers and kernels run in helper programs (aptune-compile, aptune-gpu), so that a compiler
 * crash or a kernel fault costs one configuration and does not affect a CUDA context of the caller.  They
 * are searched for near libaptune itself, below the environment variable APTUNE_HOME, or below the option
 * "home" (the installation prefix).  The caller may handle or ignore SIGCHLD, but must not reap children
 * that are not its own (waitpid(-1, …)) during a call.
 *
 * Texts and arrays belong to the handle and are valid until aptune_reset or aptune_free, unless it says
 * "until the next call".  Texts are UTF-8; numbers in them have a decimal point in every locale.  Functions
 * whose answer is not known yet, or whose argument is out of range, return NULL, 0, NaN or APTUNE_NOTHING.
 * Pointer arguments must not be NULL unless it says so.
 *
 * Out of memory: aptune_new returns NULL, functions with a status return APTUNE_NO_MEMORY.  What the call
 * was using, including descriptors of helper programs, is then released only at exit, but the caller can
 * save its work.  Functions that return a text or a number print a line and end the process.
 *
 * Compatibility: within one APTUNE_INTERFACE (the number in libaptune.so.N) functions are only added,
 * enumerators and struct members only appended; the first member of a struct is its size in the caller. */
#ifndef APTUNE_H
#define APTUNE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define APTUNE_INTERFACE 0

#if defined(__GNUC__)
#define APTUNE_API __attribute__((visibility("default")))
#else
#define APTUNE_API
#endif

/* "0.1.0": the version of the loaded library. */
APTUNE_API const char *aptune_version(void);

/* The APTUNE_INTERFACE of the loaded library. */
APTUNE_API int aptune_interface(void);

/* --- a handle --------------------------------------------------------------------------------- */

typedef struct aptune aptune;

typedef enum aptune_status {
    APTUNE_OK = 0,
    APTUNE_WRONG = 1,    /* wrong input: an option, the spec, a name */
    APTUNE_FAILED = 2,   /* the task failed: no compiler, nothing compiles, disk full */
    APTUNE_STOPPED = 3,  /* by aptune_stop; what was measured is recorded */
    APTUNE_TOO_LATE = 4, /* the handle has begun its work, see aptune_reset */
    APTUNE_NO_MEMORY = 5
} aptune_status;

/* No configuration. */
#define APTUNE_NOTHING ((size_t)-1)

/* NULL if memory or descriptors have run out. */
APTUNE_API aptune *aptune_new(void);

/* Also ends helper programs that still run.  NULL is allowed. */
APTUNE_API void aptune_free(aptune *a);

/* Sets an option by its name on the command line (`aptune tune --help`), without dashes:
 * aptune_set(a, "space", "mm.spec"), aptune_set(a, "exhaustive", NULL).  The value is checked and copied;
 * NULL if the option has none, or if it is optional.  A later value replaces an earlier one.
 *
 * "home" exists in the library only: the prefix below which helper programs and data are searched for.
 * Unlike the program, a handle works on the whole space unless "shard" is set ("auto": the part that mpirun
 * or srun assigns), and on one problem: that of "problem", else of aptune_choose_problem, else the first. */
APTUNE_API aptune_status aptune_set(aptune *a, const char *name, const char *value);

/* Name, placeholder of the value (NULL: none; "[TEXT]": optional), help of option `i`; NULL past the end. */
APTUNE_API const char *aptune_option_name(size_t i);
APTUNE_API const char *aptune_option_value(size_t i);
APTUNE_API const char *aptune_option_help(size_t i);

/* Chooses one of the spec's problems, counted from 0; aptune_open checks that it exists. */
APTUNE_API aptune_status aptune_choose_problem(aptune *a, size_t number);

/* Forgets the space and all results, ends helper programs, and revokes a stop.  Options and callbacks are
 * kept, so the handle can start again. */
APTUNE_API void aptune_reset(aptune *a);

/* Why the last call with a status failed: one or more lines without a final newline, with file, line and
 * column where known.  "" if it did not fail.  Until the next call with a status. */
APTUNE_API const char *aptune_message(const aptune *a);

/* --- while it works --------------------------------------------------------------------------- */

typedef enum aptune_severity {
    APTUNE_NOTE = 0, /* more about the message before it */
    APTUNE_WARNING = 1,
    APTUNE_ERROR = 2
} aptune_severity;

/* Receives every message once, before the call that caused it returns.  `text` is as the program shows it,
 * "aptune: warning: …", ends with a newline and is valid during the callback.  Called on the thread that
 * uses the handle; aptune_stop is the only function of this handle that it may call. */
typedef void aptune_message_function(void *context, aptune_severity severity, const char *text);

/* Progress of a stage: `done` of `all` steps, the last of them on `what` (may be NULL).  A result other than
 * 0 stops the work like aptune_stop.  The rules above hold here, too. */
typedef int aptune_progress_function(void *context, const char *stage, size_t done, size_t all,
                                     const char *what);

/* NULL removes a callback. */
APTUNE_API void aptune_on_message(aptune *a, aptune_message_function *function, void *context);
APTUNE_API void aptune_on_progress(aptune *a, aptune_progress_function *function, void *context);

/* Makes the current call return APTUNE_STOPPED soon, and later ones at once, until aptune_reset.  May be
 * called from any thread and from a signal handler. */
APTUNE_API void aptune_stop(aptune *a);

/* Stops in the same way when the descriptor becomes readable (a signalfd, a pipe).  The caller keeps it and
 * must leave it open until aptune_reset.  A negative one removes the last one. */
APTUNE_API aptune_status aptune_stop_on(aptune *a, int descriptor);

/* --- the work ---------------------------------------------------------------------------------
 *
 * Each function brings the handle to a stage, through the stages before it; it does nothing if the handle
 * is there already.  After a failure only aptune_reset helps.
 *
 * By default a search decides what is compiled and timed, both in aptune_measure; configurations that it
 * does not visit stay APTUNE_UNDECIDED, without metrics.  With "carve", "exhaustive" or "shard", or without
 * times and without a budget ("seconds", "trials", "compiles"), the stages are as described here. */

/* Reads the spec, counts its configurations, finds the GPU or a recording. */
APTUNE_API aptune_status aptune_open(aptune *a);

/* Gets code and profile of every configuration: compiled, from the cache of compiled code, or from the
 * recording.  Before measuring, locks GPU and output folder against other runs. */
APTUNE_API aptune_status aptune_compile(aptune *a);

/* Evaluates the metrics and selects configurations by them. */
APTUNE_API aptune_status aptune_carve(aptune *a);

/* Gets the times of these: measured on the GPU and recorded in the option "output", or from a recording.
 * Does nothing if aptune_source is APTUNE_STATIC. */
APTUNE_API aptune_status aptune_measure(aptune *a);

/* Determines the winner (aptune_best).  APTUNE_OK even if there is none: nothing was timed or correct. */
APTUNE_API aptune_status aptune_tune(aptune *a);

/* --- what was opened -------------------------------------------------------------------------- */

typedef enum aptune_source_kind {
    APTUNE_MEASURED = 0, /* on a GPU of this machine, by this handle */
    APTUNE_REPLAYED = 1, /* taken from a recording */
    APTUNE_STATIC = 2    /* there are no times */
} aptune_source_kind;

/* Where times come from; APTUNE_STATIC before aptune_open. */
APTUNE_API aptune_source_kind aptune_source(const aptune *a);

/* Why nothing is measured here ("no CUDA driver on this machine …"); NULL if it is. */
APTUNE_API const char *aptune_why_not_measured(const aptune *a);

/* The recording that is replayed or compared with: its file, date and device.  NULL without one. */
APTUNE_API const char *aptune_recording(const aptune *a);
APTUNE_API const char *aptune_recorded(const aptune *a);
APTUNE_API const char *aptune_recorded_on(const aptune *a);

/* The tuner that made the recording if it was not aptune, else NULL. */
APTUNE_API const char *aptune_imported(const aptune *a);

APTUNE_API const char *aptune_space_name(const aptune *a);

/* The device tuned for, "NVIDIA H200", and its architecture, 90. */
APTUNE_API const char *aptune_device(const aptune *a);
APTUNE_API int aptune_architecture(const aptune *a);

/* The folder for results. */
APTUNE_API const char *aptune_output(const aptune *a);

/* The spec's problems, "N=4096 …", and the number of the chosen one. */
APTUNE_API size_t aptune_problem_count(const aptune *a);
APTUNE_API const char *aptune_problem(const aptune *a, size_t number);
APTUNE_API size_t aptune_problem_chosen(const aptune *a);

APTUNE_API size_t aptune_parameter_count(const aptune *a);
APTUNE_API const char *aptune_parameter(const aptune *a, size_t parameter);

/* --- configurations ---------------------------------------------------------------------------
 *
 * They are numbered from 0, in the order of the space. */

APTUNE_API size_t aptune_count(const aptune *a);

/* The configuration named "BM=64 BN=128 …", with parameters in any order.  APTUNE_NOTHING, with a message
 * that names the most similar one, if there is none. */
APTUNE_API size_t aptune_find(aptune *a, const char *name);

/* "BM=64 BN=128 …" */
APTUNE_API const char *aptune_name(aptune *a, size_t configuration);

/* The value of a parameter, "64" or "float". */
APTUNE_API const char *aptune_value(aptune *a, size_t configuration, const char *parameter);

/* The same as a number; `otherwise` if it is not a number or there is no such parameter. */
APTUNE_API double aptune_number(aptune *a, size_t configuration, const char *parameter,
                                double otherwise);

typedef enum aptune_fate_kind {
    APTUNE_UNDECIDED = 0,     /* not judged yet, in another shard, or not visited by a search */
    APTUNE_BEYOND_LIMITS = 1, /* the device cannot run it; never compiled */
    APTUNE_NOT_COMPILED = 2,  /* the compiler refused it, took too long or crashed */
    APTUNE_SAME = 3,          /* its code is that of another one, see aptune_same_as */
    APTUNE_CARVED = 4,        /* dropped by carving, or compiled by a search and not timed */
    APTUNE_SELECTED = 5,      /* left by carving; not timed (yet) */
    APTUNE_TIMED = 6,         /* timed, and its result is correct or cannot be checked */
    APTUNE_WRONG_RESULT = 7,  /* ran with a wrong result; never wins */
    APTUNE_FAILED_TO_RUN = 8  /* refused by the driver, faulted, took too long */
} aptune_fate_kind;

APTUNE_API aptune_fate_kind aptune_fate(const aptune *a, size_t configuration);

/* The same in words, with the deciding metrics.  Until the next call. */
APTUNE_API const char *aptune_why(aptune *a, size_t configuration);

/* The configuration that represents this one: itself unless APTUNE_SAME. */
APTUNE_API size_t aptune_same_as(const aptune *a, size_t configuration);

/* How it ran: "ok", "wrong", "fault" …; NULL if it was not timed. */
APTUNE_API const char *aptune_outcome(const aptune *a, size_t configuration);

/* Median of its times in milliseconds, and the 95 % confidence interval of the median; NaN unless it ran.
 * aptune_source tells whether they were measured here. */
APTUNE_API double aptune_time_ms(const aptune *a, size_t configuration);
APTUNE_API double aptune_time_low_ms(const aptune *a, size_t configuration);
APTUNE_API double aptune_time_high_ms(const aptune *a, size_t configuration);

/* All its times in milliseconds, in the order of measurement. */
APTUNE_API const double *aptune_times_ms(const aptune *a, size_t configuration, size_t *count);

/* Names and units of the metrics ("bound_cycles"; `aptune profile --metrics` explains them). */
APTUNE_API size_t aptune_metric_count(const aptune *a);
APTUNE_API const char *aptune_metric_name(const aptune *a, size_t metric);
APTUNE_API const char *aptune_metric_unit(const aptune *a, size_t metric);

/* The value of a metric or of a field of the static profile ("registers") by name; NaN if unknown. */
APTUNE_API double aptune_metric(const aptune *a, size_t configuration, const char *name);

/* --- the result ------------------------------------------------------------------------------- */

/* The winner; APTUNE_NOTHING if there is none. */
APTUNE_API size_t aptune_best(const aptune *a);

/* The finalists, fastest first by their earlier times; and if one ties with the fastest when timed in turn. */
APTUNE_API size_t aptune_finalist_count(const aptune *a);
APTUNE_API size_t aptune_finalist(const aptune *a, size_t place);
APTUNE_API int aptune_is_tied(const aptune *a, size_t configuration);

/* The recording's best time over its time of the winner, at most 1; NaN without a recording. */
APTUNE_API double aptune_relative_performance(const aptune *a);

typedef enum aptune_text_kind {
    APTUNE_HEADING = 0, /* space, device, source of times; from aptune_open on */
    APTUNE_COUNTS = 1,  /* of the space, and what its constraints reject; from aptune_open on */
    APTUNE_COUNTS_JSON = 2,
    APTUNE_REPORT = 3, /* what `aptune tune` prints */
    APTUNE_JSON = 4,   /* what `aptune tune --json` prints */
    APTUNE_TABLE = 5   /* every configuration as CSV */
} aptune_text_kind;

/* NULL before it is available; the last three are from aptune_tune on.  Until the next call of this kind. */
APTUNE_API const char *aptune_text(aptune *a, aptune_text_kind kind);

/* Writes the tuned kernel for other projects into a folder, created if needed: sources, code, a C header
 * with loader and launcher.  The options "emit" (flavour), "emit-name" and "emit-prefix" control it.
 * aptune_emitted lists the files, separated by commas. */
APTUNE_API aptune_status aptune_emit(aptune *a, const char *folder);

/* The same from recordings of the option "space", without tuning or opening the handle's space: one unit
 * that chooses between several problems and devices.  The first recording is the default.  With count 0,
 * those beside the spec are taken. */
APTUNE_API aptune_status aptune_emit_recordings(aptune *a, const char *folder,
                                                const char *const *recordings, size_t count);
APTUNE_API const char *aptune_emitted(const aptune *a);

/* Writes the report with pictures, report.html and pictures/, into a folder, created if needed.
 * aptune_drawn is the path of the page; NULL before. */
APTUNE_API aptune_status aptune_draw(aptune *a, const char *folder);
APTUNE_API const char *aptune_drawn(const aptune *a);

/* --- code to launch ---------------------------------------------------------------------------
 *
 * For programs that launch the winner themselves, with the driver API: what to load, and how to launch it. */

/* Gets the code of a configuration, from the cache of compiled code or compiled; the functions below are
 * about it.  The space need only be open, so a program that has stored the winner's name need not tune
 * again: aptune_fetch(a, aptune_find(a, stored)). */
APTUNE_API aptune_status aptune_fetch(aptune *a, size_t configuration);

typedef struct aptune_launch {
    size_t struct_size;        /* sizeof(aptune_launch), set by the caller */
    const char *kernel;        /* name of the function in cubin and PTX */
    const void *cubin;         /* for the architecture of aptune_architecture */
    size_t cubin_size;         /* bytes */
    const char *ptx;           /* for that architecture and later ones; ends with a zero byte */
    unsigned grid[3];          /* blocks */
    unsigned block[3];         /* threads */
    unsigned shared_bytes;     /* dynamic shared memory */
    unsigned long long repeat; /* times in a row */
    size_t argument_count;
    int cooperative; /* to be launched by cuLaunchCooperativeKernel */
} aptune_launch;

typedef enum aptune_argument_kind {
    APTUNE_VALUE = 0,  /* passed as it is */
    APTUNE_BUFFER = 1, /* the address of a buffer of the caller */
    APTUNE_TEXTURE = 2 /* a texture object of the caller */
} aptune_argument_kind;

typedef struct aptune_argument {
    size_t struct_size; /* sizeof(aptune_argument), set by the caller */
    const char *name;   /* as in the spec */
    aptune_argument_kind kind;
    /* Type of the value or of the buffer's elements: "int8" to "int64", "uint8" to "uint64", "half",
     * "bfloat16", "fp8_e4m3", "fp8_e5m2", "float", "double", and CUDA's vector types, "float4". */
    const char *type;
    const void *value;        /* APTUNE_VALUE: its bytes; else NULL */
    size_t value_size;        /* bytes of the kernel's parameter */
    unsigned long long count; /* APTUNE_BUFFER: elements that it must have */
    int joined; /* a member of the same struct as the argument before, laid out as in C */
} aptune_argument;

/* The launches in order; a run of the configuration is each of them once.  Here and below, APTUNE_WRONG for
 * a number past the last one. */
APTUNE_API size_t aptune_launch_count(const aptune *a);
APTUNE_API aptune_status aptune_get_launch(aptune *a, size_t launch, aptune_launch *out);

/* Argument number `place` of a launch. */
APTUNE_API aptune_status aptune_get_argument(aptune *a, size_t launch, size_t place,
                                             aptune_argument *out);

/* Device variables that must get the contents of a buffer once after loading: the name in the module and
 * `count` elements; `value` is NULL. */
APTUNE_API size_t aptune_variable_count(const aptune *a);
APTUNE_API aptune_status aptune_get_variable(aptune *a, size_t variable, aptune_argument *out);

#ifdef __cplusplus
}
#endif

#endif
