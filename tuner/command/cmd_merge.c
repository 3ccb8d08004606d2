/* aptune merge: the parts of a space, tuned apart, as one recording. */
#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tuner/command/command.h"
#include "tuner/command/options.h"
#include "tuner/record/find.h"
#include "tuner/record/merge.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

typedef VEC(const char *) Paths;

static bool ends_with(const char *name, const char *suffix)
{
    size_t n = strlen(name), s = strlen(suffix);
    return n > s && strcmp(name + n - s, suffix) == 0;
}

/* The one recording of times in a folder. */
static bool find_in_folder(Arena *a, const char *folder, DIR *dir, Paths *out, Diag *d)
{
    size_t before = out->count;
    for (const struct dirent *e; (e = readdir(dir)) != NULL;)
        if (ends_with(e->d_name, ".times") || ends_with(e->d_name, ".times.zst"))
            VEC_PUSH(a, out, arena_printf(a, "%s/%s", folder, e->d_name));
    size_t found = out->count - before;
    return found == 1 || diag_fail(d, "'%s' holds %s recording of times", folder,
                                   found == 0 ? "no" : "more than one");
}

static bool find_times(Arena *a, const char *in, Paths *out, Diag *d)
{
    DIR *dir = opendir(in);
    if (!dir && errno == ENOTDIR) {
        VEC_PUSH(a, out, in);
        return true;
    }
    if (!dir)
        return diag_fail(d, "cannot open '%s': %s", in, strerror(errno));
    bool ok = find_in_folder(a, in, dir, out, d);
    closedir(dir);
    return ok;
}

/* The profiles beside the times; a missing one is told. */
static void find_profiles(Arena *a, const Paths *times, Paths *out, Diag *d)
{
    for (size_t i = 0; i < times->count; i++) {
        const char *path = record_profile_path(a, times->at[i]);
        if (path && file_exists(path))
            VEC_PUSH(a, out, path);
        else
            diag_warn(
                d, (Span){0},
                "there is no profile beside '%s': its configurations have to be compiled again "
                "to be carved",
                times->at[i]);
    }
}

static void say_counts(const MergeCounts *c, size_t parts, const char *to, Buf *out)
{
    buf_printf(out,
               "merged %zu part%s into %s: %zu rows, %zu of them without an outcome; %zu equal "
               "ones left out\n",
               parts, parts == 1 ? "" : "s", to, c->rows, c->skipped, c->equal);
    if (c->again > 0)
        buf_printf(out,
                   "%zu configurations were measured in more than one part; the last one counts\n",
                   c->again);
}

static bool merge(Arena *a, const char *folder, const char *const *in, size_t count, Diag *d)
{
    Paths times = {0}, profiles = {0};
    for (size_t i = 0; i < count; i++)
        if (!find_times(a, in[i], &times, d))
            return false;
    RecordHeader h;
    if (!record_header_read(a, times.at[0], &h, d) || !folder_create(folder, d))
        return false;
    find_profiles(a, &times, &profiles, d);
    const char *to = arena_printf(a, "%s/%s.times", folder, h.space);
    MergeCounts counts;
    if (!merge_times(to, times.at, times.count, &counts, d))
        return false;
    if (profiles.count > 0 &&
        !merge_profiles(record_profile_path(a, to), profiles.at, profiles.count, d)) {
        unlink(to); /* or the next try would find its place taken */
        return false;
    }
    Buf out = {0};
    say_counts(&counts, times.count, to, &out);
    return command_finish(&out);
}

int cmd_merge(int argc, char **argv)
{
    const CommandLine line = {
        .usage = "usage: aptune merge OUT IN…\n"
                 "Joins recordings of parts of a space, as --shard leaves them, to one in the "
                 "folder OUT.  Each IN\nis the folder of a run or a recording of times; the "
                 "profiles beside them are joined, too.  They\nmust be of one space, problem, "
                 "source, kind of device and version, and may not contradict each\nother.  "
                 "`aptune --space FILE --recordings OUT` then carves and replays the whole.\n",
        .least = 2,
        .most = INT_MAX,
        .wanted = "which parts, and where to? Say aptune merge OUT IN…"};
    int rest, code = command_line_read(&line, argc, argv, &rest);
    if (code != COMMAND_GOES_ON)
        return code;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    bool ok =
        merge(a, argv[rest], (const char *const *)&argv[rest + 1], (size_t)(argc - rest - 1), &d);
    command_flush_messages(&d);
    arena_free(a);
    return ok ? EXIT_DONE : EXIT_FAILED;
}
