/* aptune.h: GPU kernel autotuning from a program of one's own.
 *
 * A handle takes options, then works on one space of configurations: it opens the spec, compiles,
 * carves, measures and judges, and then answers questions.
 *
 *     aptune *a = aptune_new();
 *     if (aptune_set(a, "space", "mm.spec") || aptune_tune(a))
 *         fprintf(stderr, "%s\n", aptune_message(a));
 *     else if (aptune_best(a) != APTUNE_NOTHING)
 *         printf("%s: %g ms\n", aptune_name(a, aptune_best(a)), aptune_time_ms(a, aptune_best(a)));
 *     aptune_free(a);
 *
 * Errors are values: a function that can fail returns a status, APTUNE_OK being 0, and
 * aptune_message says in words what was wrong.  No call prints, exits, changes a signal's handler,
 * the locale, the folder or the environment, or waits for children that it did not start.
 *
 * Threads: there are no globals, so that several threads may work at the same time, each on a
 * handle of its own.  One handle is used by one thread at a time; only aptune_stop may come from
 * another thread, or from a signal's handler, at any time.  A handle need not stay with one thread.
 *
 * Processes: compilers and kernels run in helper programs (aptune-compile, aptune-gpu), so that a
 * compiler that crashes or a kernel that faults costs one configuration and leaves a CUDA context
 * of the caller alone.  They are found around libaptune itself, below the folder of the environment
 * variable APTUNE_HOME, or that of the option "home" (the prefix that aptune was installed to).
 * The caller's SIGCHLD may be handled or ignored; it must not reap children that are not its own
 * (waitpid(-1, …)) while a call runs.
 *
 * Texts and arrays belong to the handle.  They are valid until aptune_reset or aptune_free, except
 * where it says "until the next call".  Texts are UTF-8.  Numbers in texts have a point whatever
 * the locale is.  Before there is an answer (and for a number that does not exist) functions give
 * NULL, 0, NaN or APTUNE_NOTHING.  Pointers that are given are not NULL unless it says so.
 *
 * Out of memory: aptune_new gives NULL, functions with a status APTUNE_NO_MEMORY; what the call was
 * working with is given back only by the end of the process (descriptors of helper programs among
 * it), so that a caller can save its own work.  In functions that answer with a text or a number, a
 * line on standard error and the end of the process.
 *
 * Compatibility: within one APTUNE_INTERFACE (the number in libaptune.so.N) functions are only
 * added, enumerators and members of structs only appended; a struct's first member tells the
 * library how large it is at the caller's. */
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

/* "0.1.0", of the library that is loaded. */
APTUNE_API const char *aptune_version(void);

/* Its APTUNE_INTERFACE. */
APTUNE_API int aptune_interface(void);

/* --- a handle --------------------------------------------------------------------------------- */

typedef struct aptune aptune;

typedef enum aptune_status {
    APTUNE_OK = 0,
    APTUNE_WRONG = 1,    /* what was given is wrong: an option, the spec, a name */
    APTUNE_FAILED = 2,   /* the task failed: no compiler, nothing compiles, a disk is full */
    APTUNE_STOPPED = 3,  /* by aptune_stop; what was measured is recorded */
    APTUNE_TOO_LATE = 4, /* the handle has begun its work, see aptune_reset */
    APTUNE_NO_MEMORY = 5
} aptune_status;

/* A configuration that there is not. */
#define APTUNE_NOTHING ((size_t)-1)

/* NULL when there is no memory or no descriptor left. */
APTUNE_API aptune *aptune_new(void);

/* Ends helper programs that still run.  NULL is allowed. */
APTUNE_API void aptune_free(aptune *a);

/* Takes an option by the name that it has on the command line (`aptune tune --help`), without
 * dashes: aptune_set(a, "space", "mm.spec"), aptune_set(a, "exhaustive", NULL).  The value is
 * checked and copied; NULL for an option that has none, or may go without.  Given twice, the later
 * one holds.
 *
 * "home" is the library's own: the prefix that helper programs and data are looked for below.
 * Unlike the program, a handle works on the whole space unless "shard" says otherwise ("auto": as
 * mpirun or srun says), and on one of the spec's problems: the one of "problem", else of
 * aptune_choose_problem, else the first. */
APTUNE_API aptune_status aptune_set(aptune *a, const char *name, const char *value);

/* The options there are: name, what stands for the value (NULL: it has none; "[TEXT]": it may be
 * left out), and help of option `i`; NULL past the last one. */
APTUNE_API const char *aptune_option_name(size_t i);
APTUNE_API const char *aptune_option_value(size_t i);
APTUNE_API const char *aptune_option_help(size_t i);

/* Which of the spec's problems, counted from 0; aptune_open says whether there is that one. */
APTUNE_API aptune_status aptune_choose_problem(aptune *a, size_t number);

/* Forgets the space and all that was found out about it, ends helper programs, and takes back a
 * stop.  Options and callbacks stay, so that the handle can begin anew. */
APTUNE_API void aptune_reset(aptune *a);

/* Why the last call with a status failed, without a newline at the end: one or more lines, with
 * file, line and column where there is a place.  "" when it did not.  Until the next call with a
 * status. */
APTUNE_API const char *aptune_message(const aptune *a);

/* --- while it works --------------------------------------------------------------------------- */

typedef enum aptune_severity {
    APTUNE_NOTE = 0, /* says more about the message before it */
    APTUNE_WARNING = 1,
    APTUNE_ERROR = 2
} aptune_severity;

/* Gets every message once, at the latest before the call that it came up in returns; `text` is as
 * the program shows it, "aptune: warning: …", ends with a newline and is valid during the call.
 * Called by the thread that uses the handle.  Must not call functions of this handle but
 * aptune_stop. */
typedef void aptune_message_function(void *context, aptune_severity severity, const char *text);

/* How far a stage is: `done` of `all` steps, the last of them about `what` (may be NULL).  A
 * result other than 0 stops the work as aptune_stop does.  The same rules hold. */
typedef int aptune_progress_function(void *context, const char *stage, size_t done, size_t all,
                                     const char *what);

/* NULL takes a callback away. */
APTUNE_API void aptune_on_message(aptune *a, aptune_message_function *function, void *context);
APTUNE_API void aptune_on_progress(aptune *a, aptune_progress_function *function, void *context);

/* Makes the call that is under way return APTUNE_STOPPED soon, and later ones at once, until
 * aptune_reset.  May be called from any thread and from a signal's handler. */
APTUNE_API void aptune_stop(aptune *a);

/* Stops likewise when the descriptor becomes readable (a signalfd, a pipe); it stays the caller's
 * and must stay open until aptune_reset.  A negative one takes the last one away. */
APTUNE_API aptune_status aptune_stop_on(aptune *a, int descriptor);

/* --- the work ---------------------------------------------------------------------------------
 *
 * Each function brings the handle as far as it says, doing first what comes before; where it is
 * that far already nothing happens.  After a failure only aptune_reset goes on.
 *
 * By default a search decides what is compiled and timed, side by side: all of that happens in
 * aptune_measure, and what the search does not look at stays APTUNE_UNDECIDED, without metrics.
 * With "carve", "exhaustive" or "shard", and where there are no times and no budget ("seconds",
 * "trials", "compiles"), the stages are what they say. */

/* Reads the spec, counts its configurations, finds the GPU or a recording. */
APTUNE_API aptune_status aptune_open(aptune *a);

/* Code and profile of every configuration: compiled, from the cache of compiled code, or from the
 * recording.  When measuring, this first keeps other runs away from GPU and output folder. */
APTUNE_API aptune_status aptune_compile(aptune *a);

/* Metrics, and which configurations they leave. */
APTUNE_API aptune_status aptune_carve(aptune *a);

/* Times of those: measured on the GPU and recorded in the option "output", or taken from a
 * recording.  Nothing where aptune_source is APTUNE_STATIC. */
APTUNE_API aptune_status aptune_measure(aptune *a);

/* Names the winner.  APTUNE_OK also when there is none, since nothing was timed or nothing was
 * right: see aptune_best. */
APTUNE_API aptune_status aptune_tune(aptune *a);

/* --- what was opened -------------------------------------------------------------------------- */

typedef enum aptune_source_kind {
    APTUNE_MEASURED = 0, /* on a GPU of this machine, by this handle */
    APTUNE_REPLAYED = 1, /* taken from a recording: not measured here */
    APTUNE_STATIC = 2    /* there are no times */
} aptune_source_kind;

/* Where times come from; APTUNE_STATIC before aptune_open. */
APTUNE_API aptune_source_kind aptune_source(const aptune *a);

/* Why nothing is measured here ("no CUDA driver on this machine …"); NULL when it is. */
APTUNE_API const char *aptune_why_not_measured(const aptune *a);

/* The recording that is replayed or compared with: its file, when and on which device it was
 * measured.  NULL without one. */
APTUNE_API const char *aptune_recording(const aptune *a);
APTUNE_API const char *aptune_recorded(const aptune *a);
APTUNE_API const char *aptune_recorded_on(const aptune *a);

/* The tuner that the times of the recording come from where it was not aptune; NULL. */
APTUNE_API const char *aptune_imported(const aptune *a);

APTUNE_API const char *aptune_space_name(const aptune *a);

/* The device tuned for, "NVIDIA H200", and its architecture, 90. */
APTUNE_API const char *aptune_device(const aptune *a);
APTUNE_API int aptune_architecture(const aptune *a);

/* The folder that results go to. */
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

/* The configuration that "BM=64 BN=128 …" names, parameters in any order.  APTUNE_NOTHING, with a
 * message that says which one is the most like it. */
APTUNE_API size_t aptune_find(aptune *a, const char *name);

/* "BM=64 BN=128 …" */
APTUNE_API const char *aptune_name(aptune *a, size_t configuration);

/* The value of a parameter, "64" or "float". */
APTUNE_API const char *aptune_value(aptune *a, size_t configuration, const char *parameter);

/* The same as a number; `otherwise` when it is none or there is no such parameter. */
APTUNE_API double aptune_number(aptune *a, size_t configuration, const char *parameter,
                                double otherwise);

typedef enum aptune_fate_kind {
    APTUNE_UNDECIDED = 0,     /* not judged yet, in another shard, or not asked for by a search */
    APTUNE_BEYOND_LIMITS = 1, /* the device cannot run it; never compiled */
    APTUNE_NOT_COMPILED = 2,  /* the compiler refused it, took too long or crashed */
    APTUNE_SAME = 3,          /* its code is that of another one, see aptune_same_as */
    APTUNE_CARVED = 4,        /* carving dropped it; compiled by a search, and not timed */
    APTUNE_SELECTED = 5,      /* left by carving; not timed (yet) */
    APTUNE_TIMED = 6,         /* timed, and its result is right or cannot be checked */
    APTUNE_WRONG_RESULT = 7,  /* ran, and its result is wrong; never wins */
    APTUNE_FAILED_TO_RUN = 8  /* refused by the driver, faulted, took too long */
} aptune_fate_kind;

APTUNE_API aptune_fate_kind aptune_fate(const aptune *a, size_t configuration);

/* The same in words, with the metrics that decided.  Until the next call. */
APTUNE_API const char *aptune_why(aptune *a, size_t configuration);

/* The configuration that stands for this one: itself unless APTUNE_SAME. */
APTUNE_API size_t aptune_same_as(const aptune *a, size_t configuration);

/* How it ran: "ok", "wrong", "fault" …; NULL when it was not timed. */
APTUNE_API const char *aptune_outcome(const aptune *a, size_t configuration);

/* Median of its times in milliseconds, and the 95 % interval of that median; NaN unless it ran.
 * aptune_source says whether they were measured here. */
APTUNE_API double aptune_time_ms(const aptune *a, size_t configuration);
APTUNE_API double aptune_time_low_ms(const aptune *a, size_t configuration);
APTUNE_API double aptune_time_high_ms(const aptune *a, size_t configuration);

/* All its times in milliseconds, in the order they were taken. */
APTUNE_API const double *aptune_times_ms(const aptune *a, size_t configuration, size_t *count);

/* Metrics by number ("bound_cycles"; `aptune profile --metrics` explains them). */
APTUNE_API size_t aptune_metric_count(const aptune *a);
APTUNE_API const char *aptune_metric_name(const aptune *a, size_t metric);
APTUNE_API const char *aptune_metric_unit(const aptune *a, size_t metric);

/* The value of a metric or of a field of the static profile ("registers") by name; NaN when it is
 * not known. */
APTUNE_API double aptune_metric(const aptune *a, size_t configuration, const char *name);

/* --- the result ------------------------------------------------------------------------------- */

/* The winner; APTUNE_NOTHING when there is none. */
APTUNE_API size_t aptune_best(const aptune *a);

/* Those that were compared with it in turn, the fastest as they were known before first, and
 * whether one cannot be told from the fastest. */
APTUNE_API size_t aptune_finalist_count(const aptune *a);
APTUNE_API size_t aptune_finalist(const aptune *a, size_t place);
APTUNE_API int aptune_is_tied(const aptune *a, size_t configuration);

/* Best recorded time over the winner's, both of the recording, at most 1; NaN without one. */
APTUNE_API double aptune_relative_performance(const aptune *a);

typedef enum aptune_text_kind {
    APTUNE_HEADING = 0, /* space, device, where times come from; from aptune_open on */
    APTUNE_COUNTS = 1,  /* of the space, and what its constraints reject; from aptune_open on */
    APTUNE_COUNTS_JSON = 2,
    APTUNE_REPORT = 3, /* what `aptune tune` prints */
    APTUNE_JSON = 4,   /* what `aptune tune --json` prints */
    APTUNE_TABLE = 5   /* every configuration as CSV */
} aptune_text_kind;

/* NULL before there is one: the last three are from aptune_tune on.  Until the next call with the
 * same kind. */
APTUNE_API const char *aptune_text(aptune *a, aptune_text_kind kind);

/* Writes the tuned kernel for other projects into a folder, which is made if need be: sources,
 * code, a C header with loader and launcher.  The options "emit" (flavour), "emit-name" and
 * "emit-prefix" say how.  aptune_emitted lists the files, with commas between them. */
APTUNE_API aptune_status aptune_emit(aptune *a, const char *folder);

/* The same from recordings of the option "space", several problems and devices in one unit that
 * chooses between them, without tuning: the handle's space is not opened.  The first recording is
 * the default.  Without any (count 0) those beside the spec are taken. */
APTUNE_API aptune_status aptune_emit_recordings(aptune *a, const char *folder,
                                                const char *const *recordings, size_t count);
APTUNE_API const char *aptune_emitted(const aptune *a);

/* Writes the report with pictures, report.html and pictures/, into a folder, which is made if need
 * be.  aptune_drawn is the page's path; NULL before there is one. */
APTUNE_API aptune_status aptune_draw(aptune *a, const char *folder);
APTUNE_API const char *aptune_drawn(const aptune *a);

/* --- code to launch ---------------------------------------------------------------------------
 *
 * For a program that launches the winner by itself, with the driver API: what to load, what to
 * launch, with what. */

/* Gets the code of a configuration: from the cache of compiled code, else compiled.  The functions
 * below are then about this one.  The space need only be open, so that a program that has kept the
 * winner's name need not tune again: aptune_fetch(a, aptune_find(a, kept)). */
APTUNE_API aptune_status aptune_fetch(aptune *a, size_t configuration);

typedef struct aptune_launch {
    size_t struct_size;        /* sizeof(aptune_launch), set by the caller */
    const char *kernel;        /* the function's name in cubin and PTX */
    const void *cubin;         /* for the architecture of aptune_architecture */
    size_t cubin_size;         /* bytes */
    const char *ptx;           /* for that architecture and later ones; ends with a zero byte */
    unsigned grid[3];          /* blocks */
    unsigned block[3];         /* threads */
    unsigned shared_bytes;     /* dynamic shared memory */
    unsigned long long repeat; /* times in a row */
    size_t argument_count;
} aptune_launch;

typedef enum aptune_argument_kind {
    APTUNE_VALUE = 0,  /* passed as it is */
    APTUNE_BUFFER = 1, /* the address of a buffer of the caller's */
    APTUNE_TEXTURE = 2 /* a texture object of the caller's */
} aptune_argument_kind;

typedef struct aptune_argument {
    size_t struct_size; /* sizeof(aptune_argument), set by the caller */
    const char *name;   /* as the spec calls it */
    aptune_argument_kind kind;
    /* Of the value, or of the buffer's elements: "int8" to "int64", "uint8" to "uint64", "half",
     * "bfloat16", "fp8_e4m3", "fp8_e5m2", "float", "double", and vectors as CUDA calls them,
     * "float4". */
    const char *type;
    const void *value;        /* APTUNE_VALUE: its bytes; else NULL */
    size_t value_size;        /* bytes that the kernel takes here */
    unsigned long long count; /* APTUNE_BUFFER: elements that it must have */
    int joined; /* it is a member of the same struct as the argument before, laid out as C does */
} aptune_argument;

/* Launches in the order that they are done in; a run of the configuration is all of them once.
 * APTUNE_WRONG for a number past the last one, here and in the functions below. */
APTUNE_API size_t aptune_launch_count(const aptune *a);
APTUNE_API aptune_status aptune_get_launch(aptune *a, size_t launch, aptune_launch *out);

/* What launch `launch` takes at place `place`. */
APTUNE_API aptune_status aptune_get_argument(aptune *a, size_t launch, size_t place,
                                             aptune_argument *out);

/* Variables of the device that get a buffer's contents once after loading: of each, the name in the
 * module (`value` is NULL, `count` its elements). */
APTUNE_API size_t aptune_variable_count(const aptune *a);
APTUNE_API aptune_status aptune_get_variable(aptune *a, size_t variable, aptune_argument *out);

#ifdef __cplusplus
}
#endif

#endif
