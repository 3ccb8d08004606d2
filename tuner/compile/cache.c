#include "tuner/compile/cache.h"

#include "metrics/base/file.h"
#include "metrics/base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

struct Cache {
    const char *folder; /* with the format's version */
};

/* The version of the file format; another version uses another folder. */
static const char FORMAT[] = "v1";

/* The first word of every entry. */
static const char MAGIC[] = "aptcach2";

enum {
    LINE = 8 + 1 + 32 + 1,     /* the first line: magic, checksum, newline */
    CONTENT_LIMIT = 512 << 20, /* bytes of an unpacked message */
    LEVEL = 3,                 /* zstd level: PTX shrinks to a sixth in 0.1 ms */
    USE_GRAIN_SECONDS = 3600,  /* granularity of the time of last use */
    LEFTOVER_SECONDS = 3600    /* age of an abandoned temporary file */
};

const char *cache_default_folder(Arena *a)
{
    const char *own = getenv("APTUNE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    if (own && *own)
        return arena_string(a, own);
    if (xdg && *xdg)
        return arena_printf(a, "%s/aptune", xdg);
    return home && *home ? arena_printf(a, "%s/.cache/aptune", home) : NULL;
}

/* Whoever can write to it can plant code that runs as the user. */
static bool is_private(const char *folder, Diag *d)
{
    struct stat st;
    if (stat(folder, &st) != 0)
        return diag_fail(d, "cannot inspect '%s': %s", folder, strerror(errno));
    bool others = st.st_mode & (S_IWGRP | S_IWOTH);
    bool ours = st.st_uid == geteuid() || st.st_uid == 0;
    return (ours && !others) ||
           diag_fail(d,
                     "'%s' %s, and its contents are run as code: use --trust-cache if you trust "
                     "them%s",
                     folder, ours ? "can be written by others" : "belongs to another user",
                     ours ? ", or chmod go-w" : "");
}

Cache *cache_open(Arena *a, const char *folder, bool trusted, Diag *d)
{
    Cache *c = ARENA_NEW(a, Cache);
    c->folder = arena_printf(a, "%s/%s", folder, FORMAT);
    if (!folder_create(path_folder(a, folder), d))
        return NULL;
    mkdir(folder, 0700); /* errors show below */
    mkdir(c->folder, trusted ? 0777 : 0700);
    bool ok = folder_create(c->folder, d) &&
              (trusted || (is_private(folder, d) && is_private(c->folder, d)));
    return ok ? c : NULL;
}

const char *cache_path(const Cache *c, Arena *a, const Hash *key)
{
    return arena_printf(a, "%s/%.2s/%s", c->folder, key->text, key->text);
}

/* Writes the first line of an entry. Its single spelling makes any damage show. */
static void write_line(char line[LINE + 1], const Hash *key, const char *packed, size_t size)
{
    Hasher *h = hasher_new();
    hasher_string(h, key->text);
    hasher_add(h, packed, size);
    const Hash sum = hasher_end(h);
    snprintf(line, LINE + 1, "%s %s\n", MAGIC, sum.text);
}

static bool unpack(Arena *a, const char *packed, size_t size, WireMessage *m)
{
    /* An unknown size is larger than any limit. */
    const unsigned long long whole = ZSTD_getFrameContentSize(packed, size);
    if (whole > CONTENT_LIMIT)
        return false;
    WireReader r = {.bytes = {arena_array(a, whole + 1, 1), whole, whole + 1}, .ended = true};
    if (ZSTD_decompress(r.bytes.text, whole, packed, size) != whole || wire_next(&r, m) != WIRE_OK)
        return false;
    if (r.bytes.size > 0)
        wire_message_free(m);
    return r.bytes.size == 0;
}

/* Eviction goes by last use, kept as the modification time since some file systems have no access time.
 * Failure does not matter. */
static void mark_used(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && time(NULL) - st.st_mtime > USE_GRAIN_SECONDS)
        utimensat(AT_FDCWD, path, NULL, 0);
}

bool cache_get(const Cache *c, const Hash *key, WireMessage *m)
{
    SCOPED_ARENA *a = arena_new();
    size_t size = 0;
    char line[LINE + 1];
    const char *path = cache_path(c, a, key);
    const char *bytes = file_exists(path) ? file_read(a, path, &size, DIAG_UNHEARD(a)) : NULL;
    bool ok = size > LINE;
    if (ok) {
        write_line(line, key, bytes + LINE, size - LINE);
        ok = memcmp(line, bytes, LINE) == 0 && unpack(a, bytes + LINE, size - LINE, m);
    }
    if (ok)
        mark_used(path);
    return ok;
}

bool cache_put(const Cache *c, const Hash *key, const json_t *head, Blob blob, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    WireWriter w = wire_writer(-1);
    bool ok = wire_put(&w, head, blob, d);
    const size_t room = ZSTD_compressBound(w.bytes.size);
    char *file = arena_array(a, LINE + room, 1), line[LINE + 1];
    const size_t size =
        ok ? ZSTD_compress(file + LINE, room, w.bytes.text, w.bytes.size, LEVEL) : 0;
    wire_writer_free(&w);
    if (ok && ZSTD_isError(size))
        ok = diag_fail(d, "a cache entry cannot be compressed");
    if (!ok)
        return false;
    const char *path = cache_path(c, a, key), *folder = path_folder(a, path);
    write_line(line, key, file + LINE, size);
    memcpy(file, line, LINE);
    return (file_exists(folder) || folder_create(folder, d)) &&
           file_write(path, file, LINE + size, d);
}

/* ---- trimming ------------------------------------------------------------------------------ */

typedef struct Kept {
    const char *path;
    uint64_t size;
    struct timespec used;
} Kept;

typedef VEC(Kept) KeptList;

static int by_use(const void *left, const void *right)
{
    const struct timespec *l = &((const Kept *)left)->used, *r = &((const Kept *)right)->used;
    if (l->tv_sec != r->tv_sec)
        return l->tv_sec < r->tv_sec ? -1 : 1;
    return (l->tv_nsec > r->tv_nsec) - (l->tv_nsec < r->tv_nsec);
}

static bool is_leftover(const char *name, const struct stat *st)
{
    return strlen(name) != HASH_TEXT - 1 && time(NULL) - st->st_mtime > LEFTOVER_SECONDS;
}

static void list_folder(Arena *a, const char *folder, KeptList *list)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return;
    const struct dirent *entry;
    for (entry = readdir(dir); entry; entry = readdir(dir)) {
        const char *path = arena_printf(a, "%s/%s", folder, entry->d_name);
        struct stat st;
        if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (is_leftover(entry->d_name, &st))
            unlink(path);
        else
            VEC_PUSH(a, list, ((Kept){path, (uint64_t)st.st_size, st.st_mtim}));
    }
    closedir(dir);
}

static KeptList list_all(Arena *a, const Cache *c, uint64_t *bytes)
{
    KeptList list = {0};
    for (int i = 0; i < 256; i++)
        list_folder(a, arena_printf(a, "%s/%02x", c->folder, (unsigned)i), &list);
    *bytes = 0;
    for (size_t i = 0; i < list.count; i++)
        *bytes += list.at[i].size;
    if (list.count)
        qsort(list.at, list.count, sizeof *list.at, by_use);
    return list;
}

uint64_t cache_trim(const Cache *c, uint64_t limit_bytes)
{
    SCOPED_ARENA *a = arena_new();
    uint64_t total;
    KeptList list = list_all(a, c, &total);
    for (size_t i = 0; i < list.count && total > limit_bytes; i++)
        if (unlink(list.at[i].path) == 0)
            total -= list.at[i].size;
    return total;
}

CacheUse cache_use(const Cache *c)
{
    SCOPED_ARENA *a = arena_new();
    CacheUse use = {.folder = c->folder};
    KeptList list = list_all(a, c, &use.bytes);
    use.entries = list.count;
    if (list.count > 0) {
        use.oldest = list.at[0].used.tv_sec;
        use.latest = list.at[list.count - 1].used.tv_sec;
    }
    return use;
}
