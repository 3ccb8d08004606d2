/* Any bytes as a recording: of times, of a profile, packed or not.  Checksums would keep a fuzzer
 * out of the parser, so the input is also tried with each of its lines sealed. */
#include "tests/fuzz/told.h"
#include "tuner/record/profile.h"
#include "tuner/record/times.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_times(Arena *a, const char *path)
{
    Diag d = diag_new(a);
    TimesRecording *r = times_read(a, path, &d);
    told_messages(&d);
    if (!r) {
        if (d.errors == 0)
            __builtin_trap();
        return;
    }
    for (size_t i = 0; i < r->rows.count; i++) {
        const RecordRow *row = &r->rows.at[i];
        if (!times_find(r, row->key))
            __builtin_trap();
        Buf out = {0};
        buf_printf(&out, "%s %s %s %d %s %zu %zu %g %g %g %g %d\n", row->key,
                   row->code ? row->code : "-", row->launch ? row->launch : "-", (int)row->status,
                   row->message ? row->message : "-", row->time_count, row->warm_count,
                   row->max_error, row->work, row->joules, row->seconds, row->device);
        told(&out);
    }
}

static void try_profile(Arena *a, const char *path)
{
    Diag d = diag_new(a);
    ProfileRecording *r = profiles_read(a, path, &d);
    told_messages(&d);
    if (!r && d.errors == 0)
        __builtin_trap();
    for (size_t i = 0; r && i < r->rows.count; i++) {
        if (!profiles_find(r, r->rows.at[i].code, r->rows.at[i].launch))
            __builtin_trap();
    }
}

static void try_bytes(const void *bytes, size_t size)
{
    enum { INPUT = 99 }; /* messages name it */
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || dup2(fd, INPUT) != INPUT || (size > 0 && write(fd, bytes, size) != (ssize_t)size))
        __builtin_trap();
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", INPUT);
    Arena *a = arena_new();
    try_times(a, path);
    try_profile(a, path);
    arena_free(a);
    close(INPUT);
    close(fd);
}

/* Every line of the input with its right checksum. */
static void seal(const char *text, size_t size, Buf *out)
{
    Buf line = {0};
    for (const char *p = text, *end = text + size; p < end;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t length = (size_t)((newline ? newline : end) - p);
        buf_clear(&line);
        buf_add(&line, p, length);
        line_end(&line);
        buf_add(out, line.text, line.size);
        p += length + 1;
    }
    buf_free(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    Buf sealed = {0};
    seal((const char *)data, size, &sealed);
    try_bytes(buf_text(&sealed), sealed.size);
    buf_free(&sealed);
    return 0;
}
