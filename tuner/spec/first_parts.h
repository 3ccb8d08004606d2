/* What the first_*.c files share: guesses from names, and the state while a first spec is written. */
#pragma once

#include "tuner/spec/first_spec.h"
#include "tuner/spec/kernel_facts.h"

/* --- first_names.c: what a name suggests ------------------------------------------------------- */

typedef enum Meaning {
    MEANS_THREADS, /* of a block, along one dimension */
    MEANS_TILE,    /* work per thread, tile, unrolling */
    MEANS_SWITCH,
    MEANS_SIZE, /* of the problem */
    MEANS_FILTER,
    MEANS_NOTHING
} Meaning;

Meaning first_meaning(const char *name);

/* 0, 1 or 2 for a name with a suffix x, y or z; −1: none. */
int first_direction(const char *name);

/* True if a name contains one of the words, which are separated by blanks, ignoring case. */
bool first_sounds_like(const char *name, const char *words);

/* True for an integer of at least 32 bits, as sizes are. */
bool first_is_integer(const KernelParameter *p);

/* True if the kernel is one-dimensional. */
bool first_is_flat(const FirstGuess *g);

/* A value for a template parameter. */
const char *first_argument(const TemplateParameter *t, const FirstGuess *g);

/* --- first_launch.c: the launch in the kernel author's host code, as far as it can be evaluated --- */

enum { DIRECTIONS = 3, SIZES_MOST = 8 };

typedef struct FirstLaunch {
    const KernelSource *kernel;
    const LaunchSite *site;       /* NULL: none was found, or nothing is to be learned from it */
    bool known;                   /* its block is */
    const char *open, *open_name; /* a number of threads that callers choose, and its parameter */
    VEC(const char *) parameters; /* names of the spec's parameters */
    const char **sizes; /* for each kernel argument the name of its size, once sizes have names */
    bool *used;         /* for each: the launch or an allocation depends on it */
    int *threads_of;    /* for each: the direction + 1 whose number of threads it is; 0: none */
    HostNames names;
    const HostValue *block[DIRECTIONS];
    double threads[DIRECTIONS]; /* of the block; 0: given by parameters */
    double whole;               /* where no size has a name: elements of the largest buffer, … */
    const char *whole_name;     /* … and their name */
} FirstLaunch;

/* The spec's name for a name of the source (HostNames, the context being a FirstLaunch); NULL: none. */
const char *first_launch_meaning(void *context, const char *written);

/* Reads the launch, before sizes have names. */
void first_launch_read(Arena *a, FirstLaunch *l);

/* The block along x as a product or quotient of two numbers that all launches pass to the template, "(A // B)";
 * NULL: it is none. */
const char *first_launch_ratio(Arena *a, const FirstLaunch *l);

/* The variable that is the block of a launch if no value of it is found; NULL: the block is something else. */
const char *first_launch_open(const FirstLaunch *l);

/* "as launched at saxpy.cu:30" */
const char *first_launch_where(Arena *a, const FirstLaunch *l);

/* Prints a comment about what is not understood of the launch: its grid, or its block first. */
void first_launch_doubt(Arena *a, const FirstLaunch *l, Buf *out);

/* True if a word occurs at least `times` times outside host code, other kernels and directives. */
bool first_launch_in_device(const KernelSource *k, const char *word, int times);

/* True if device code uses the number by a name, so that it cannot be changed. */
bool first_launch_is_fixed(Arena *a, const FirstLaunch *l, double number);

/* Prints the grid in terms of the block's parameters; false, and nothing printed: unknown. */
bool first_launch_grid(Arena *a, const FirstLaunch *l, const char *const *threads, Buf *out);

/* Likewise the bytes of shared memory, and the elements of the buffer that is argument i. */
bool first_launch_shared(Arena *a, const FirstLaunch *l, const char *const *threads, Buf *out);
bool first_launch_buffer(Arena *a, const FirstLaunch *l, size_t i, size_t element,
                         const char *const *threads, bool alone, Buf *out);

/* The elements of the largest buffer; 0: unknown. */
double first_launch_whole(const FirstLaunch *l);

/* The value of argument i; false: unknown. */
bool first_launch_number(const FirstLaunch *l, size_t i, double *out);

/* --- the spec being written -------------------------------------------------------------------- */

typedef struct FirstWriter {
    Arena *arena;
    const FirstGuess *guess;
    const KernelSource *kernel;
    KernelFacts facts;
    FirstLaunch launch;
    const char *threads[DIRECTIONS]; /* the block's size: a name or number; NULL: not settled */
    long value[DIRECTIONS];          /* of such a name */
    long alike;                      /* value of a name that may size every direction; 0: none */
    const char *tiles[DIRECTIONS];   /* elements per thread; NULL: one */
    VEC(const char *) names;         /* declared so far */
    VEC(const char *) named;         /* those of them that are macros or template parameters */
    VEC(long) given;                 /* for each of these, its value in the source; 0: none */
    VEC(const char *) sizes;         /* of the problem; the first `macros` of them are macros */
    size_t macros;
    VEC(const char *) fixed;        /* values of the first sizes, as the source defines them */
    double values[SIZES_MOST];      /* of the sizes, as launched; 0: unknown */
    bool square;                    /* one size serves two directions */
    const char *bounds[DIRECTIONS]; /* sizes that the grid's indices are compared with, or NULL */
    size_t extents; /* number of bounds; 0: they are not the only sizes that matter */
    bool output;    /* one is declared: a kernel may write only to variables of its file */
    VEC(const char *) partial; /* outputs whose number of elements depends on the block */
    Buf *out;
} FirstWriter;

/* Declares a name that neither the spec nor, for a macro, the source uses. */
const char *first_fresh(FirstWriter *w, const char *wanted, bool macro);

/* first_param.c: writes the parameters, among them those of the block. */
void first_write_parameters(FirstWriter *w);

/* --- first_size.c ------------------------------------------------------------------------------ */

/* Names the problem's sizes; sets `w->launch.sizes`. */
void first_find_sizes(FirstWriter *w);

void first_write_problem(FirstWriter *w);
void first_write_launch(FirstWriter *w);

/* Prints the product of the sizes that span the output. */
void first_print_product(const FirstWriter *w, Buf *out);

/* The size along a direction; of a width and a height x takes the width.  NULL: none. */
const char *first_size_along(const FirstWriter *w, int direction);
