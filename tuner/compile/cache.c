#include "tuner/compile/cache.h"

#include "metrics/base/file.h"
#include "metrics/base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

struct Cache {
    const char *folder; /* of this format's version */
};

/* The format of the files; another one gets another folder. */
static const char FORMAT[] = "v1";

enum {
    LINE = 8 + 8 + 1 + 32 + 1, /* the first line: see write_line */
    FIRST_READ = 4096,         /* holds the header of nearly every entry */
    HEADER_LIMIT = 4 << 20,    /* bytes of JSON */
    BLOB_LIMIT = 256 << 20,    /* bytes of one unpacked blob */
    LEVEL = 3,                 /* of compression: PTX shrinks to a sixth in a tenth of a ms */
    USE_GRAIN_SECONDS = 3600,  /* how finely the time of last use is kept */
    LEFTOVER_SECONDS = 3600    /* age of a temporary file that nobody writes any more */
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

/* Whoever can write into it can put code there that runs as the user. */
static bool is_private(const char *folder, Diag *d)
{
    struct stat st;
    if (stat(folder, &st) != 0)
        return diag_fail(d, "cannot look at '%s': %s", folder, strerror(errno));
    bool others = st.st_mode & (S_IWGRP | S_IWOTH);
    bool ours = st.st_uid == geteuid() || st.st_uid == 0;
    return (ours && !others) ||
           diag_fail(d,
                     "'%s' %s, and what lies there is run as code: say --trust-cache if you trust "
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
    mkdir(folder, 0700); /* where it is new; what fails is told of the folder in it */
    mkdir(c->folder, trusted ? 0777 : 0700);
    bool ok = folder_create(c->folder, d) &&
              (trusted || (is_private(folder, d) && is_private(c->folder, d)));
    return ok ? c : NULL;
}

const char *cache_path(const Cache *c, Arena *a, const Hash *key)
{
    return arena_printf(a, "%s/%.2s/%s", c->folder, key->text, key->text);
}

void cache_entry_free(CacheEntry *e)
{
    json_decref(e->head);
    *e = (CacheEntry){0};
}

/* ---- the first line and the header --------------------------------------------------------- */

/* "aptcache" size of the JSON, its hash.  Of one length and one spelling, so that no damage
 * to it goes unseen. */
static void write_line(char line[LINE + 1], const char *json, size_t size)
{
    Hash sum = hash_bytes(json, size);
    snprintf(line, LINE + 1, "aptcache%08zx %s\n", size, sum.text);
}

/* An entry's file, as far as it has been read. */
typedef struct EntryFile {
    int fd;
    uint64_t size; /* of the file */
    char *bytes;   /* malloc'd: the line and the header at least */
    size_t have;   /* bytes read */
    size_t json_size;
    json_t *header;
} EntryFile;

static void file_close(EntryFile *f)
{
    if (f->fd >= 0)
        close(f->fd);
    free(f->bytes);
    json_decref(f->header);
    *f = (EntryFile){.fd = -1};
}

/* Reads on until `wanted` bytes are there. */
static bool read_up_to(EntryFile *f, size_t wanted)
{
    if (wanted > f->size)
        return false;
    if (wanted <= f->have)
        return true;
    f->bytes = memory_resize(f->bytes, wanted, 1);
    while (f->have < wanted) {
        ssize_t n = pread(f->fd, f->bytes + f->have, wanted - f->have, (off_t)f->have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        f->have += (size_t)n;
    }
    return true;
}

/* The size of the JSON by the first line; false when the line is not one of ours. */
static bool read_json_size(EntryFile *f)
{
    char digits[9] = {0};
    if (!read_up_to(f, LINE) || memcmp(f->bytes, "aptcache", 8) != 0)
        return false;
    memcpy(digits, f->bytes + 8, 8);
    f->json_size = strtoul(digits, NULL, 16);
    return f->json_size <= HEADER_LIMIT;
}

static bool read_header(EntryFile *f)
{
    char line[LINE + 1];
    if (!read_json_size(f) || !read_up_to(f, LINE + f->json_size))
        return false;
    write_line(line, f->bytes + LINE, f->json_size);
    if (memcmp(line, f->bytes, LINE) != 0)
        return false;
    f->header = json_loadb(f->bytes + LINE, f->json_size, 0, NULL);
    return f->header != NULL;
}

/* The sizes in the header add up to the file, and it is the entry that was asked for. */
static bool check_header(const EntryFile *f, const Hash *key)
{
    const char *name = json_string_value(json_object_get(f->header, "key"));
    json_t *blobs = json_object_get(f->header, "blobs"), *blob;
    size_t i;
    uint64_t size = LINE + f->json_size;
    json_array_foreach(blobs, i, blob)
    {
        json_int_t packed = json_integer_value(json_object_get(blob, "packed"));
        if (packed < 0 || (uint64_t)packed > f->size)
            return false;
        size += (uint64_t)packed;
    }
    return name && strcmp(name, key->text) == 0 && json_array_size(blobs) <= WIRE_BLOBS &&
           size == f->size;
}

/* Eviction goes by last use, which is the file's time of change; some file systems do not keep
 * a time of access.  Failure does not matter. */
static void mark_used(int fd, const struct stat *st)
{
    if (time(NULL) - st->st_mtime > USE_GRAIN_SECONDS)
        futimens(fd, NULL);
}

static bool open_entry(const char *path, const Hash *key, EntryFile *f)
{
    struct stat st;
    *f = (EntryFile){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
    if (f->fd < 0 || fstat(f->fd, &st) != 0 || !S_ISREG(st.st_mode))
        goto bad;
    f->size = (uint64_t)st.st_size;
    if (!read_up_to(f, f->size < FIRST_READ ? (size_t)f->size : FIRST_READ) || !read_header(f) ||
        !check_header(f, key))
        goto bad;
    mark_used(f->fd, &st);
    return true;
bad:
    file_close(f);
    return false;
}

static bool open_key(const Cache *c, const Hash *key, EntryFile *f)
{
    Buf path = {0};
    buf_printf(&path, "%s/%.2s/%s", c->folder, key->text, key->text);
    bool ok = open_entry(buf_text(&path), key, f);
    buf_free(&path);
    return ok;
}

bool cache_get_head(const Cache *c, const Hash *key, CacheEntry *e)
{
    EntryFile f;
    if (!open_key(c, key, &f))
        return false;
    *e = (CacheEntry){.head = json_incref(json_object_get(f.header, "head"))};
    file_close(&f);
    return true;
}

/* ---- blobs --------------------------------------------------------------------------------- */

/* Unpacks one blob; `at` holds its packed bytes. */
static bool unpack(Arena *a, const json_t *about, const char *at, size_t packed, Blob *blob)
{
    const char *sum = json_string_value(json_object_get(about, "sum"));
    json_int_t size = json_integer_value(json_object_get(about, "size"));
    Hash found = hash_bytes(at, packed);
    if (!sum || strcmp(sum, found.text) != 0 || size < 0 || size > BLOB_LIMIT)
        return false;
    char *bytes = arena_array(a, (size_t)size + 1, 1);
    *blob = (Blob){bytes, (size_t)size};
    return ZSTD_decompress(bytes, (size_t)size, at, packed) == (size_t)size;
}

static bool unpack_all(Arena *a, const EntryFile *f, CacheEntry *e)
{
    const char *at = f->bytes + LINE + f->json_size;
    json_t *blobs = json_object_get(f->header, "blobs"), *about;
    size_t i;
    json_array_foreach(blobs, i, about)
    {
        size_t packed = (size_t)json_integer_value(json_object_get(about, "packed"));
        if (!unpack(a, about, at, packed, &e->blob[i]))
            return false;
        at += packed;
        e->blob_count++;
    }
    return true;
}

bool cache_get(const Cache *c, Arena *a, const Hash *key, CacheEntry *e)
{
    EntryFile f;
    if (!open_key(c, key, &f))
        return false;
    *e = (CacheEntry){.head = json_incref(json_object_get(f.header, "head"))};
    bool ok = read_up_to(&f, (size_t)f.size) && unpack_all(a, &f, e);
    if (!ok)
        cache_entry_free(e);
    file_close(&f);
    return ok;
}

/* ---- writing ------------------------------------------------------------------------------- */

static bool write_file(const Cache *c, const Hash *key, const Buf *content, Diag *d)
{
    Buf path = {0};
    buf_printf(&path, "%s/%.2s", c->folder, key->text);
    bool ok = file_exists(buf_text(&path)) || folder_create(buf_text(&path), d);
    buf_printf(&path, "/%s", key->text);
    ok = ok && file_write(buf_text(&path), content->text, content->size, d);
    buf_free(&path);
    return ok;
}

static bool write_entry(const Cache *c, const Hash *key, const json_t *header, const char *payload,
                        size_t size, Diag *d)
{
    char *json = json_dumps(header, JSON_COMPACT);
    size_t length = json ? strlen(json) : 0;
    if (!json || length > HEADER_LIMIT) {
        free(json);
        return diag_fail(d, "a cache entry's header is too long or not UTF-8");
    }
    char line[LINE + 1];
    write_line(line, json, length);
    Buf content = {0};
    buf_add(&content, line, LINE);
    buf_add(&content, json, length);
    if (size)
        buf_add(&content, payload, size);
    bool ok = write_file(c, key, &content, d);
    buf_free(&content);
    free(json);
    return ok;
}

/* Appends the packed blob to `out`; what the header says of it, or NULL. */
static json_t *pack(Buf *out, Blob blob)
{
    size_t room = ZSTD_compressBound(blob.size);
    char *bytes = memory_new(room);
    size_t size = ZSTD_compress(bytes, room, blob.bytes, blob.size, LEVEL);
    json_t *about = NULL;
    if (!ZSTD_isError(size)) {
        Hash sum = hash_bytes(bytes, size);
        buf_add(out, bytes, size);
        about = json_pack("{s:I, s:I, s:s}", "size", (json_int_t)blob.size, "packed",
                          (json_int_t)size, "sum", sum.text);
    }
    free(bytes);
    return about;
}

bool cache_put(const Cache *c, const Hash *key, const json_t *head, const Blob *blobs, size_t count,
               Diag *d)
{
    Buf payload = {0};
    json_t *list = json_array();
    for (size_t i = 0; i < count && list; i++)
        json_array_append_new(list, pack(&payload, blobs[i]));
    bool ok = json_array_size(list) == count && count <= WIRE_BLOBS;
    json_t *header =
        json_pack("{s:s, s:o, s:o}", "key", key->text, "head", json_deep_copy(head), "blobs", list);
    ok = ok && header ? write_entry(c, key, header, payload.text, payload.size, d)
                      : diag_fail(d, "a cache entry cannot be packed");
    json_decref(header);
    buf_free(&payload);
    return ok;
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
    Arena *a = arena_new();
    uint64_t total;
    KeptList list = list_all(a, c, &total);
    for (size_t i = 0; i < list.count && total > limit_bytes; i++)
        if (unlink(list.at[i].path) == 0)
            total -= list.at[i].size;
    arena_free(a);
    return total;
}

CacheUse cache_use(const Cache *c)
{
    Arena *a = arena_new();
    CacheUse use = {.folder = c->folder};
    KeptList list = list_all(a, c, &use.bytes);
    use.entries = list.count;
    if (list.count > 0) {
        use.oldest = list.at[0].used.tv_sec;
        use.latest = list.at[list.count - 1].used.tv_sec;
    }
    arena_free(a);
    return use;
}
