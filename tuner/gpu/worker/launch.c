#include "launch.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

Outcome launch_status(Driver *v, Buf *words)
{
    static const Outcome outcomes[] = {
        [DRIVER_OK] = OUTCOME_OK,
        [DRIVER_REFUSED] = OUTCOME_LAUNCH_FAILED,
        [DRIVER_NO_MEMORY] = OUTCOME_LAUNCH_FAILED,
        [DRIVER_NO_IMAGE] = OUTCOME_LOAD_FAILED,
        [DRIVER_LOST] = OUTCOME_SKIPPED,
        [DRIVER_FAULT] = OUTCOME_FAULT,
    };
    const DriverStatus s = driver_status(v);
    if (s != DRIVER_OK)
        buf_puts(words, driver_error(v));
    driver_clear_error(v);
    return outcomes[s];
}

bool launch_context_is_sound(Outcome s)
{
    return s != OUTCOME_FAULT && s != OUTCOME_SKIPPED;
}

/* The driver is not told the size of an image and trusts its headers; it would read past the end of a
 * truncated one. */
static bool is_whole_elf(const TaskModule *m)
{
    Elf64_Ehdr h;
    if (m->size < sizeof h)
        return false;
    memcpy(&h, m->cubin, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    uint64_t sections = (uint64_t)h.e_shnum * sizeof(Elf64_Shdr);
    uint64_t segments = (uint64_t)h.e_phnum * sizeof(Elf64_Phdr);
    return h.e_shoff <= m->size && sections <= m->size - h.e_shoff && h.e_phoff <= m->size &&
           segments <= m->size - h.e_phoff;
}

static Outcome load_modules(Driver *v, const TaskRun *task, ReadyRun *r, Buf *words)
{
    for (size_t i = 0; i < task->module_count; i++) {
        if (!is_whole_elf(&task->modules[i])) {
            buf_puts(words, "not a cubin: not a complete ELF image");
            return OUTCOME_LOAD_FAILED;
        }
        driver_load(v, task->modules[i].cubin, &r->modules[i]);
        r->module_count = i + 1;
        if (driver_status(v) != DRIVER_OK) {
            Outcome status = launch_status(v, words);
            return launch_context_is_sound(status) ? OUTCOME_LOAD_FAILED : status;
        }
    }
    return OUTCOME_OK;
}

/* A buffer is passed as its address, a texture as its handle, which has the same size. */
static size_t argument_size(const TaskArgument *x)
{
    return x->buffer >= 0 ? sizeof(DriverAddress) : x->size;
}

/* Bytes of the parameter that begins with argument *i, which is advanced past it. */
static size_t parameter_size(const TaskLaunch *t, size_t *i)
{
    StructLayout l = {0};
    do
        layout_add(&l, argument_size(&t->arguments[*i]), (size_t)t->arguments[*i].alignment);
    while (++*i < t->argument_count && t->arguments[*i].joined);
    return layout_size(&l);
}

/* With too few arguments the driver would read past the list. */
static bool parameters_agree(Driver *v, const ReadyLaunch *l, Buf *words)
{
    const TaskLaunch *t = l->task;
    for (size_t i = 0, next = 0;; i++) {
        bool known;
        size_t size = 0, given;
        bool more = driver_parameter(v, l->function, i, &size, &known);
        if (!known || (!more && next == t->argument_count))
            return true;
        if (!more || next == t->argument_count) {
            buf_printf(words, "'%s' takes %s parameters than the %zu given", t->kernel,
                       more ? "more" : "fewer", more ? i : t->argument_count);
            return false;
        }
        if (size != (given = parameter_size(t, &next))) {
            buf_printf(words, "parameter %zu of '%s' has %zu bytes, the argument %zu", i, t->kernel,
                       size, given);
            return false;
        }
    }
}

/* Catches mistakes that the driver would report less clearly, or not at all. */
static bool fits(Driver *v, const ReadyLaunch *l, Buf *words)
{
    const TaskLaunch *t = l->task;
    int registers, most;
    double threads = (double)t->block[0] * (double)t->block[1] * (double)t->block[2];
    if (t->shared < 0 || t->shared > INT32_MAX) {
        buf_printf(words, "%" PRId64 " bytes of dynamic shared memory", t->shared);
        return false;
    }
    if (driver_kernel(v, l->function, &registers, &most) != DRIVER_OK || threads <= most) {
        driver_clear_error(v); /* a broken context fails at the launch */
        return true;
    }
    buf_printf(words, "'%s' with its %d registers allows %d threads per block, not %.0f", t->kernel,
               registers, most, threads);
    return false;
}

static void **lay_out_arguments(Arena *a, const TaskLaunch *t, const Places *places)
{
    void **pointers = ARENA_ARRAY(a, void *, t->argument_count + 1);
    char *whole = NULL; /* a parameter */
    StructLayout l = {0};
    size_t count = 0;
    EACH (const TaskArgument, x, t->arguments, t->argument_count) {
        if (!x->joined) {
            pointers[count++] = whole = arena_array(a, TASK_STRUCT_LIMIT, 1);
            l = (StructLayout){0};
        }
        void *value = whole + layout_add(&l, argument_size(x), (size_t)x->alignment);
        if (x->buffer >= 0 && x->texture)
            memcpy(value, &places->textures[x->buffer], sizeof places->textures[0]);
        else if (x->buffer >= 0)
            memcpy(value, &places->buffers[x->buffer], sizeof places->buffers[0]);
        else
            memcpy(value, x->bytes, x->size);
    }
    return pointers;
}

/* The limit has to be raised if static and dynamic shared memory exceed 48 KB together; otherwise raising it
 * is harmless. */
static Outcome ready_one(Arena *a, Driver *v, const TaskLaunch *t, DriverModule *m,
                         const Places *places, ReadyLaunch *l, Buf *words)
{
    l->task = t;
    l->arguments = lay_out_arguments(a, t, places);
    if (driver_function(v, m, t->kernel, &l->function) != DRIVER_OK) {
        buf_printf(words, "kernel '%s': ", t->kernel);
        return launch_status(v, words);
    }
    if (!parameters_agree(v, l, words) || !fits(v, l, words))
        return OUTCOME_LAUNCH_FAILED;
    if (t->shared == 0)
        return OUTCOME_OK;
    if (driver_allow_shared(v, l->function, t->shared) != DRIVER_OK)
        buf_printf(words, "%" PRId64 " bytes of dynamic shared memory: ", t->shared);
    return launch_status(v, words);
}

/* Fills one variable in every module that has it, and counts these in *found. */
static Outcome fill_symbol(Driver *v, const TaskSymbol *x, const Places *places, ReadyRun *r,
                           size_t *found, Buf *words)
{
    const TaskBuffer *b = &places->buffer[x->buffer];
    size_t want = (size_t)b->count * task_type_size(b->type);
    for (size_t i = 0; i < r->module_count; i++) {
        DriverAddress at;
        size_t size;
        if (!driver_variable(v, r->modules[i], x->name, &at, &size))
            continue;
        ++*found;
        if (size != want) {
            buf_printf(words, "the variable '%s' has %zu bytes, its contents %zu", x->name, size,
                       want);
            return OUTCOME_LOAD_FAILED;
        }
        if (driver_copy(v, at, places->buffers[x->buffer], size) != DRIVER_OK)
            return launch_status(v, words);
    }
    return OUTCOME_OK;
}

/* A variable may be missing in some modules; missing in all, its name in the spec must be wrong. */
static Outcome fill_symbols(Driver *v, const TaskRun *task, const Places *places, ReadyRun *r,
                            Buf *words)
{
    for (size_t i = 0; i < task->symbol_count; i++) {
        size_t found = 0;
        Outcome s = fill_symbol(v, &task->symbols[i], places, r, &found, words);
        if (s != OUTCOME_OK)
            return s;
        if (found == 0 && !task->symbols[i].optional) {
            buf_printf(words, "the code has no variable '%s'", task->symbols[i].name);
            return OUTCOME_LOAD_FAILED;
        }
    }
    return OUTCOME_OK;
}

Outcome ready_run(Arena *a, Driver *v, const TaskRun *task, const Places *places, ReadyRun *r,
                  Buf *words)
{
    *r = (ReadyRun){.modules = ARENA_ARRAY(a, DriverModule *, task->module_count),
                    .launches = ARENA_ARRAY(a, ReadyLaunch, task->launch_count)};
    Outcome s = load_modules(v, task, r, words);
    if (s == OUTCOME_OK)
        s = fill_symbols(v, task, places, r, words);
    for (size_t i = 0; s == OUTCOME_OK && i < task->launch_count; i++) {
        const TaskLaunch *t = &task->launches[i];
        s = ready_one(a, v, t, r->modules[t->module], places, &r->launches[i], words);
        r->launch_count = i + 1;
    }
    if (s == OUTCOME_OK && task->rival)
        s = rival_open(a, v, task->rival, places, &r->rival, words);
    return s;
}

void ready_end(Driver *v, ReadyRun *r)
{
    for (size_t i = 0; i < r->module_count; i++)
        driver_unload(v, r->modules[i]);
    rival_end(r->rival);
    *r = (ReadyRun){0};
}

DriverStatus ready_launch(Driver *v, const ReadyRun *r)
{
    if (r->rival)
        return rival_run(v, r->rival);
    EACH (const ReadyLaunch, l, r->launches, r->launch_count) {
        int64_t times = l->task->repeat > 0 ? l->task->repeat : 1;
        for (int64_t k = 0; k < times && !driver_status(v); k++)
            driver_launch(v, l->function, l->task->grid, l->task->block, l->task->shared,
                          l->task->cooperative, l->arguments);
    }
    return driver_status(v);
}
