/* What tests of libaptune share.  They see it through its header alone, as somebody else's program
 * does.  Spaces of this source tree are replayed from their recordings, and what has to be measured
 * is answered by a GPU process that makes its times up (cli/synthetic_gpu.c): no GPU is needed. */
#pragma once

#include <aptune.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TUTORIAL "spaces/transpose-tutorial.spec"
#define SCAN     "spaces/scan-two-pass.spec"
#define ENDLESS  "tests/data/cli/endless.spec"
#define MANY     "tests/data/cli/many.spec"

/* Everything lies in a folder of this process, made and removed by the group. */
extern char folder[64];

typedef struct Heard {
    size_t count[APTUNE_ERROR + 1];
    char last[4096];
} Heard;

typedef struct Seen {
    size_t calls, backwards;
    char stage[64];
    size_t done;
    size_t stop_at; /* steps; 0: never */
} Seen;

const char *in_folder(const char *name);
void set(aptune *a, const char *name, const char *value);
void check(const aptune *a, aptune_status status);
aptune *handle_on(const char *spec);
aptune *replay_of(const char *spec);
char *output_of(const char *command);
void write_text(const char *path, const char *text);
char *settled(const char *json);
char *settled_program(const char *spec);
int see(void *context, const char *stage, size_t done, size_t all, const char *what);
aptune *compiling(Seen *seen);
void make_synthetic_home(void);
aptune *measuring(const char *output);
int make_folder(void **state);
int remove_folder(void **state);
void hear(void *context, aptune_severity severity, const char *text);
