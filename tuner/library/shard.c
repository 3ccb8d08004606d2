#include "tuner/library/shard.h"

#include <stdlib.h>
#include <string.h>

enum { SHARDS_MOST = 1000000 };

/* What tells a process its number, how many there are, and its number on its machine. */
typedef struct Launcher {
    const char *name;
    const char *rank;
    const char *size;
    const char *local;
} Launcher;

/* mpirun first: it may itself run in an allocation of Slurm, whose variables then are about the
 * daemons of mpirun.  Of Slurm the variable that srun sets for a step: in the batch script, which
 * runs once, SLURM_NTASKS is set as well. */
static const Launcher launchers[] = {
    {"MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"MPI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
};

/* A number of the environment; -1 when there is none, or no such number. */
static int variable(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long n = text ? strtol(text, &end, 10) : -1;
    return text && end != text && *end == '\0' && n >= 0 && n <= SHARDS_MOST ? (int)n : -1;
}

/* Is what the launcher says no rank of so many?  Where nothing is said it is none of ours; only of
 * Slurm one may be there without the other. */
static bool is_wrong(const Launcher *l)
{
    if (!getenv(l->rank) || !getenv(l->size))
        return (getenv(l->rank) || getenv(l->size)) && strcmp(l->name, "Slurm") != 0;
    int rank = variable(l->rank), size = variable(l->size);
    return rank < 0 || size < 1 || rank >= size || (getenv(l->local) && variable(l->local) < 0);
}

bool shard_ask(RunOptions *o)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const Launcher *l = &launchers[i];
        int local = variable(l->local);
        if (is_wrong(l) || variable(l->size) < 2 || variable(l->rank) < 0)
            continue;
        o->shard = variable(l->rank);
        o->shards = variable(l->size);
        o->shard_from = l->name;
        o->local_rank = local > 0 ? local : 0;
        return true;
    }
    return false;
}

bool shard_check(Diag *d)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const Launcher *l = &launchers[i];
        const char *local = getenv(l->local), *rank = getenv(l->rank), *size = getenv(l->size);
        if (is_wrong(l))
            return diag_fail(d,
                             "%s=%s of %s=%s%s%s%s is no rank: this process does not know its part "
                             "of the space; say --shard i/n, or --shard none for all of it",
                             l->rank, rank ? rank : "", l->size, size ? size : "",
                             local ? ", " : "", local ? l->local : "",
                             local ? arena_printf(d->arena, "=%s,", local) : "");
    }
    return true;
}

void shard_ask_rank(RunOptions *o)
{
    RunOptions asked = {0};
    if (shard_ask(&asked))
        o->local_rank = asked.local_rank;
}

static bool read_part(const char *text, RunOptions *o)
{
    char *end;
    long i = strtol(text, &end, 10);
    if (end == text || *end != '/')
        return false;
    const char *second = end + 1;
    long n = strtol(second, &end, 10);
    if (end == second || *end || n < 1 || n > SHARDS_MOST || i < 0 || i >= n)
        return false;
    o->shard = (int)i;
    o->shards = (int)n;
    o->shard_from = "--shard";
    return true;
}

bool shard_read(const char *text, RunOptions *o, Diag *d)
{
    if (strcmp(text, "auto") == 0 && !shard_check(d))
        return false;
    if (strcmp(text, "auto") == 0)
        return shard_ask(o) ||
               diag_fail(d, "--shard auto: neither mpirun nor srun started several of this "
                            "process");
    o->shard = o->shards = 0;
    return strcmp(text, "none") == 0 || read_part(text, o) ||
           diag_fail(d,
                     "--shard takes i/n with i from 0 to n - 1, such as 0/4, or 'auto' or "
                     "'none'; not '%s'",
                     text);
}
