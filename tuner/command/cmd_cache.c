/* aptune cache: shows what the cache of compiled code holds, and shrinks it. */
#include "tuner/command/command.h"

typedef struct CacheOptions {
    const char *folder;
    double keep_gb; /* below 0: keep everything */
    bool trust;
} CacheOptions;

#define INTO(field) OPTION_INTO(CacheOptions, field, 0, 0)

static const Option own_options[] = {
    {"cache-dir", "DIR", "the cache's folder (default $APTUNE_CACHE, else ~/.cache/aptune)",
     INTO(folder)},
    {"keep", "GB", "remove the least recently used entries until GB are left (0: all)", option_size,
     offsetof(CacheOptions, keep_gb), 0, 1 << 20},
    {"trust-cache", NULL, "use it even if other users can write it", INTO(trust)},
};

static void print_time(const char *what, time_t t, Buf *out)
{
    char text[32];
    struct tm day;
    if (t != 0 && localtime_r(&t, &day) && strftime(text, sizeof text, "%Y-%m-%d", &day) > 0)
        buf_printf(out, "%s     %s\n", what, text);
}

static bool cache(Call *c)
{
    const CacheOptions *o = c->options;
    const char *folder = o->folder ? o->folder : cache_default_folder(c->arena);
    if (!folder)
        return diag_fail(c->diag, "there is no cache: neither APTUNE_CACHE nor HOME is set");
    const Cache *opened = cache_open(c->arena, folder, o->trust, c->diag);
    if (opened && o->keep_gb >= 0)
        cache_trim(opened, (uint64_t)(o->keep_gb * 1e9));
    if (!opened)
        return false;
    CacheUse use = cache_use(opened);
    SCOPED_BUF out = {0};
    buf_printf(&out, "folder     %s\nentries    %zu, %.1f MB\n", use.folder, use.entries,
               (double)use.bytes / 1e6);
    buf_printf(&out, "limit      %g GB after a run that compiles (--cache-limit)\n",
               CACHE_LIMIT_GB);
    print_time("oldest", use.oldest, &out);
    print_time("latest", use.latest, &out);
    return command_print_text(buf_text(&out));
}

static CacheOptions asked = {.keep_gb = -1};

const CommandLine cmd_cache = {
    .usage = "usage: aptune cache [options]\n"
             "Shows what the cache of compiled code holds. A run that compiles trims it to 4 GB "
             "(--cache-limit\nGB); --keep trims it now.\n",
    .table = {{OPTION_GROUP(own_options, &asked)}},
    .work = cache,
    .options = &asked};
