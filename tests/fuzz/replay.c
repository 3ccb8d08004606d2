/* Runs a fuzz target over every file of its corpus folders, so that each finding stays a test, and over changed copies of
 * each, always the same.  What the target told of a file and its copies is held, as a checksum in tests/golden/fuzz:
 * APTUNE_UPDATE_GOLDEN=1 writes them anew, and with APTUNE_TOLD=FILE the texts themselves go there, for a comparison of two
 * builds.
 *
 * With a number of seconds behind the folders it goes on with changed copies of these files for as
 * long, and says how many: a plain fuzzer where libFuzzer is not to be had.  The input that is
 * tried lies in ./fuzz-input, so that it is there after a crash; what takes above a second is told.
 */
#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "metrics/base/hash.h"
#include "metrics/base/vec.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/told.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MOST = 1 << 16, CHANGES_MOST = 8 };

/* Changed copies of a file whose outcome is held, and how large a file may be for that. */
enum { COPIES = 60, COPIED_MOST = 3 << 14 };

typedef struct Input {
    const char *name;
    const char *bytes;
    size_t size;
} Input;

typedef VEC(Input) Inputs;

static Hasher *telling;
static FILE *told_file;
static size_t told_bytes;

void told(Buf *text)
{
    /* Where files of inputs are differs. */
    for (char *at = text->text; at && (at = strstr(at, FUZZ_FOLDER)) != NULL;
         at += sizeof FUZZ_FOLDER - 1)
        memset(at, 'X', sizeof FUZZ_FOLDER + 5);
    told_bytes += text->size;
    if (telling)
        hasher_add(telling, buf_text(text), text->size);
    if (telling && told_file)
        fwrite(buf_text(text), 1, text->size, told_file);
    buf_free(text);
}

void told_messages(const Diag *d)
{
    Buf out = {0};
    diag_print(d, &out);
    told(&out);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Input *)a)->name, ((const Input *)b)->name);
}

static bool read_folder(Arena *a, const char *path, Inputs *all)
{
    DIR *folder = opendir(path);
    Diag d = diag_new(a);
    bool ok = folder != NULL;
    for (struct dirent *e; ok && (e = readdir(folder));) {
        Input in;
        if (e->d_name[0] == '.' || e->d_type == DT_DIR || strcmp(e->d_name, "README.md") == 0)
            continue;
        in.name = arena_string(a, e->d_name);
        in.bytes = file_read(a, arena_printf(a, "%s/%s", path, e->d_name), &in.size, &d);
        ok = in.bytes != NULL;
        VEC_PUSH(a, all, in);
    }
    if (folder)
        closedir(folder);
    return ok && all->count > 0;
}

/* --- changed copies --------------------------------------------------------------------------- */

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static size_t below(uint64_t *state, size_t n)
{
    return n ? (size_t)(random_next(state) % n) : 0;
}

/* A byte, a number of interest, a piece that goes, comes twice, or comes from another input. */
static size_t change(uint64_t *s, uint8_t *data, size_t size, const Inputs *all)
{
    static const char *const words[] = {"0",     "-1", "4294967296", "9223372036854775807",
                                        "1e999", "\"", "\n",         "{",
                                        "}",     "[",  "]",          "(",
                                        ")",     "\\", ","};
    size_t at = below(s, size), rest = size - at, n = 1 + below(s, rest < 32 ? rest : 32);
    const Input *other = &all->at[below(s, all->count)];
    const char *piece = words[below(s, sizeof words / sizeof *words)];
    size_t length = strlen(piece);
    switch (below(s, 5)) {
    case 0:
        if (size)
            data[at] = (uint8_t)random_next(s);
        return size;
    case 1:
        n = n < rest ? n : rest;
        memmove(data + at, data + at + n, rest - n);
        return size - n;
    case 2:
        n = n < rest ? n : rest;
        length = n;
        piece = (const char *)data + at;
        break;
    case 3:
        piece = other->bytes + below(s, other->size);
        length = below(s, (size_t)(other->bytes + other->size - piece) + 1) % 256;
        break;
    }
    char copy[256];
    length = length < sizeof copy ? length : sizeof copy;
    length = size + length < INPUT_MOST ? length : 0;
    memcpy(copy, piece, length);
    memmove(data + at + length, data + at, rest);
    memcpy(data + at, copy, length);
    return size + length;
}

/* An input and changed copies of it, as one line; of slow ones there are no copies. */
static void hold(const Inputs *all, const Input *in, Buf *lines)
{
    static uint8_t data[INPUT_MOST];
    Hash name = hash_bytes(in->bytes, in->size);
    uint64_t state = strtoull((name.text[16] = '\0', name.text), NULL, 16) | 1;
    telling = hasher_new();
    LLVMFuzzerTestOneInput((const uint8_t *)in->bytes, in->size);
    bool slow = in->size > COPIED_MOST || strncmp(in->name, "slow_", 5) == 0;
    for (int i = 0; i < COPIES && !slow; i++) {
        size_t size = in->size;
        memcpy(data, in->bytes, size);
        for (size_t k = 1 + below(&state, CHANGES_MOST); k > 0; k--)
            size = change(&state, data, size, all);
        LLVMFuzzerTestOneInput(data, size);
    }
    buf_printf(lines, "%s %s\n", hasher_end(telling).text, in->name);
    telling = NULL;
}

/* Is what the inputs were taken for what it was? */
static bool is_held(Arena *a, const char *target, const Buf *lines)
{
    const char *path = arena_printf(a, SOURCE_DIR "/tests/golden/fuzz/%s.txt", target);
    Diag d = diag_new(a);
    if (told_bytes == 0)
        return true;
    if (getenv("APTUNE_UPDATE_GOLDEN"))
        return folder_create(path_folder(a, path), &d) &&
               file_write(path, lines->text, lines->size, &d);
    size_t size;
    const char *wanted = file_read(a, path, &size, &d);
    if (wanted && size == lines->size && memcmp(wanted, lines->text, size) == 0)
        return true;
    fprintf(stderr, "not as in %s:\n%s", path, lines->text);
    return false;
}

static size_t go_on(const Inputs *all, double seconds)
{
    int fd = open("fuzz-input", O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || ftruncate(fd, INPUT_MOST) != 0)
        return 0;
    uint8_t *data = mmap(NULL, INPUT_MOST, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    uint64_t state = (uint64_t)(clock_seconds() * 1e9) | 1;
    size_t ran = 0;
    for (double start = clock_seconds(), last = start; last - start < seconds; ran++) {
        const Input *in = &all->at[below(&state, all->count)];
        size_t size = in->size < INPUT_MOST / 2 ? in->size : INPUT_MOST / 2;
        memcpy(data, in->bytes, size);
        for (size_t k = 1 + below(&state, CHANGES_MOST); k > 0; k--)
            size = change(&state, data, size, all);
        LLVMFuzzerTestOneInput(data, size);
        double now = clock_seconds();
        if (now - last > 1)
            printf("%.1f s for an input of %zu bytes\n", now - last, size);
        last = now;
    }
    munmap(data, INPUT_MOST);
    close(fd);
    unlink("fuzz-input");
    return ran;
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    Inputs all = {0};
    int folders = 1;
    while (folders < argc && read_folder(a, argv[folders], &all))
        folders++;
    if (folders == 1 || folders < argc - 1) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER… [SECONDS]\n", argv[0]);
        return 2;
    }
    qsort(all.at, all.count, sizeof *all.at, by_name);
    if (getenv("APTUNE_TOLD"))
        told_file = fopen(getenv("APTUNE_TOLD"), "w");
    Buf lines = {0};
    for (size_t i = 0; i < all.count; i++)
        hold(&all, &all.at[i], &lines);
    if (told_file)
        fclose(told_file);
    bool held = is_held(a, path_stem(a, argv[0], ""), &lines);
    buf_free(&lines);
    printf("%zu inputs\n", all.count);
    if (folders < argc)
        printf("%zu changed ones\n", go_on(&all, strtod(argv[folders], NULL)));
    arena_free(a);
    return !held;
}
