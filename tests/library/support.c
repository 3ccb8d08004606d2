#include "support.h"

char folder[64];

const char *in_folder(const char *name)
{
    static _Thread_local char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

void set(aptune *a, const char *name, const char *value)
{
    if (aptune_set(a, name, value) != APTUNE_OK)
        fail_msg("%s", aptune_message(a));
}

void check(const aptune *a, aptune_status status)
{
    if (status != APTUNE_OK)
        fail_msg("status %d: %s", (int)status, aptune_message(a));
}

/* A handle on a spec of this tree, with the cache of the group. */
aptune *handle_on(const char *spec)
{
    char path[512];
    aptune *a = aptune_new();
    assert_non_null(a);
    snprintf(path, sizeof path, "%s/%s", SOURCE_DIR, spec);
    set(a, "space", path);
    set(a, "output", in_folder("out"));
    set(a, "cache-dir", in_folder("cache"));
    return a;
}

/* The same where there is no GPU: a replay. */
aptune *replay_of(const char *spec)
{
    aptune *a = handle_on(spec);
    set(a, "no-gpu", NULL);
    return a;
}

/* What a command prints. */
char *output_of(const char *command)
{
    enum { ROOM = 1 << 18 };
    char *text = malloc(ROOM);
    FILE *f = popen(command, "r");
    assert_non_null(text);
    assert_non_null(f);
    size_t n = fread(text, 1, ROOM - 1, f);
    text[n] = '\0';
    assert_int_equal(pclose(f), 0);
    return text;
}

void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* A JSON text without what differs from run to run. */
char *settled(const char *json)
{
    char command[512];
    write_text(in_folder("one.json"), json);
    snprintf(command, sizeof command, "jq -S 'del(.seconds, .ledger)' %s", in_folder("one.json"));
    return output_of(command);
}

/* The same of what the program prints. */
char *settled_program(const char *spec)
{
    char command[1024];
    snprintf(
        command, sizeof command,
        "%s/aptune --space %s/%s --no-gpu --output %s/out --json | jq -S 'del(.seconds, .ledger)'",
        BUILD_DIR, SOURCE_DIR, spec, folder);
    return output_of(command);
}

int see(void *context, const char *stage, size_t done, size_t all, const char *what)
{
    Seen *s = context;
    (void)what;
    s->backwards += done > all || (strcmp(s->stage, stage) == 0 && done < s->done);
    snprintf(s->stage, sizeof s->stage, "%s", stage);
    s->done = done;
    return ++s->calls == s->stop_at;
}

/* All configurations of a small space are compiled here, into the cache of the group. */
aptune *compiling(Seen *seen)
{
    aptune *a = handle_on(MANY);
    set(a, "arch", "sm_90");
    aptune_on_progress(a, see, seen);
    return a;
}

/* An installed prefix whose GPU process makes times up. */
void make_synthetic_home(void)
{
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && mkdir -p home/libexec/aptune && cd home/libexec/aptune &&"
             " ln -sf %s/aptune-compile . && ln -sf %s/tests/synthetic_gpu aptune-gpu",
             folder, BUILD_DIR, BUILD_DIR);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "library-%ld", (long)getpid());
    setenv("SYNTHETIC_UUID", command, 1);
}

aptune *measuring(const char *output)
{
    aptune *a = handle_on(MANY);
    make_synthetic_home();
    set(a, "home", in_folder("home"));
    set(a, "output", in_folder(output));
    return a;
}

int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/aptune-library-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int remove_folder(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s /tmp/aptune-GPU-synthetic-library-%ld-*.lock",
             folder, (long)getpid());
    return system(command);
}

void hear(void *context, aptune_severity severity, const char *text)
{
    Heard *h = context;
    h->count[severity]++;
    snprintf(h->last, sizeof h->last, "%s", text);
}
