/* Any bytes as small texts of others: what compute-sanitizer prints, a launcher's ranks in the
 * environment (a line each: rank, size, local rank), the parts of --shard, names on their way to a
 * terminal, a page, a comment, a string of C, a table's cell. */
#include "metrics/base/csv.h"
#include "tests/fuzz/told.h"
#include "tuner/compile/source.h"
#include "tuner/emit/c_expr.h"
#include "tuner/library/settings.h"
#include "tuner/report/plot.h"
#include "tuner/run/run_parts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_ranks(Arena *a, const char *text)
{
    static const char *const names[] = {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"};
    Diag d = diag_new(a);
    for (size_t i = 0; i < 3; i++) {
        size_t n = strcspn(text, "\n");
        setenv(names[i], arena_copy(a, text, n), 1);
        text += n + (text[n] == '\n');
    }
    RunOptions o = {0};
    bool sound = shard_check(&d);
    if (shard_ask(&o) && (!sound || o.shard < 0 || o.shard >= o.shards))
        __builtin_trap(); /* a part that is none */
    shard_read(text, &o, &d);
    told_messages(&d);
}

/* Nothing of it may end what it stands in, or reach a terminal as it is. */
static void show(const char *text, size_t size)
{
    Buf out = {0};
    buf_shown(&out, text, size, false);
    for (size_t i = 0; i < out.size; i++)
        if ((unsigned char)out.text[i] < ' ' || out.text[i] == 0x7f)
            __builtin_trap();
    told(&out);
    Arena *a = arena_new();
    if (strstr(text_comment(a, text), "*/"))
        __builtin_trap();
    arena_free(a);
    text_string(&out, text);
    if (strchr(buf_text(&out), '\n') || strstr(buf_text(&out), "?\?"))
        __builtin_trap();
    told(&out);
    svg_text(&out, text);
    if (strpbrk(buf_text(&out), "<>\x1b"))
        __builtin_trap();
    told(&out);
    csv_text(&(Csv){.out = &out}, text);
    told(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    const char *text = arena_copy(a, (const char *)data, size);
    run_sanitizer_finding(a, text);
    read_ranks(a, text);
    show(text, strlen(text));
    option_refusal(a, text);
    arena_free(a);
    return 0;
}
