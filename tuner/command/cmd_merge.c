/* aptune merge: joins the recordings of parts of a space, tuned separately. */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/record/merge.h"

#include <limits.h>
#include <unistd.h>

static bool merge(Call *c)
{
    Arena *a = c->arena;
    Diag *d = c->diag;
    const char *folder = c->words[0];
    Texts times = {0}, profiles = {0};
    for (int i = 1; i < c->count; i++) {
        const char *path = record_in(a, c->words[i], d);
        if (!path)
            return false;
        VEC_PUSH(a, &times, path);
    }
    RecordHeader h;
    if (!record_header_read(a, times.at[0], &h, d) || !folder_create(folder, d))
        return false;
    VEC_EACH (const char *, at, times) {
        const char *path = record_profile_path(a, *at);
        if (path && file_exists(path))
            VEC_PUSH(a, &profiles, path);
        else
            diag_warn(
                d, (Span){0},
                "there is no profile beside '%s': carving will compile its configurations again",
                *at);
    }
    const char *to = arena_printf(a, "%s/%s.times", folder, h.space);
    MergeCounts counts;
    if (!merge_times(to, times.at, times.count, &counts, d))
        return false;
    if (profiles.count > 0 &&
        !merge_profiles(record_profile_path(a, to), profiles.at, profiles.count, d)) {
        unlink(to); /* so that the command can be repeated */
        return false;
    }
    SCOPED_BUF out = {0};
    buf_printf(&out,
               "merged %zu part%s into %s: %zu rows, %zu of them without an outcome; %zu "
               "duplicates dropped\n",
               times.count, times.count == 1 ? "" : "s", to, counts.rows, counts.skipped,
               counts.equal);
    if (counts.again > 0)
        buf_printf(&out,
                   "%zu configurations were measured in more than one part; the last one counts\n",
                   counts.again);
    return command_print_text(buf_text(&out));
}

const CommandLine cmd_merge = {
    .usage = "usage: aptune merge OUT IN…\n"
             "Joins recordings of parts of a space, as --shard leaves them, into one in the "
             "folder OUT.  Each\nIN is the folder of a run or a recording of times; the "
             "profiles beside them are joined, too.\nAll must be of the same space, problem, "
             "source, kind of device and version, and must not\ncontradict each other.  "
             "`aptune --space FILE --recordings OUT` then carves and replays the whole.\n",
    .least = 2,
    .most = INT_MAX,
    .wanted = "which parts, into which folder? Try aptune merge OUT IN…",
    .work = merge};
