#include "tuner/compile/data.h"

#include "metrics/base/file.h"
#include "tuner/spec/contents.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct Data {
    Arena *arena;
    Arena *scratch; /* for formulas */
    const char *description;
    DataBuffer *buffers;
    size_t count;
    DataMaps maps;
    WalkData walk;
};

/* Distance of the buffers' synthetic addresses (RUN_ADDRESS_BITS). */
enum { DATA_ADDRESS_BITS = 40 };

/* --- single numbers ---------------------------------------------------------------------------- */

static bool formula_at(Arena *scratch, const DataContents *c, TaskScalar s, uint64_t lanes,
                       uint64_t index, uint64_t *bits, Diag *d)
{
    Evaluation ev = {.arena = scratch};
    Value v;
    const long long i = (long long)(index / lanes);
    c->slots[c->index_slot] = value_int(i);
    c->slots[c->index_slot + 1] = value_int((int64_t)(index % lanes));
    bool ok = expr_eval(c->expr, c->slots, &ev, &v);
    if (!ok && d)
        diag_error(d, ev.error_at, "%s, for i = %lld", ev.error, i);
    else if (ok && !(ok = contents_store_value(s, v, bits)) && d)
        diag_error(d, c->where, "the value for i = %lld does not fit into %s", i,
                   task_scalar_name(s));
    if (arena_used(scratch) > 1 << 16)
        arena_reset(scratch);
    return ok;
}

static bool taken_at(Arena *scratch, const DataContents *c, TaskScalar s, uint64_t index,
                     uint64_t *bits, Diag *d)
{
    const uint64_t wrap = (uint64_t)c->wrap;
    const uint64_t from = (uint64_t)c->first + index % wrap * (uint64_t)c->step + index / wrap;
    if (!data_scalar(scratch, c->of, c->scalar, (uint64_t)c->lanes, from, bits, d))
        return false;
    if (c->scalar != s)
        contents_store(s, contents_value(c->scalar, bits), bits);
    return true;
}

bool data_scalar(Arena *scratch, const DataContents *c, TaskScalar s, uint64_t lanes,
                 uint64_t index, uint64_t *bits, Diag *d)
{
    const size_t size = task_scalar_size(s);
    *bits = 0;
    switch (c->kind) {
    case DATA_MADE:
        contents_fill(c->task, s, index, 1, bits);
        return true;
    case DATA_FORMULA:
        return formula_at(scratch, c, s, lanes, index, bits, d);
    case DATA_TAKEN:
        return taken_at(scratch, c, s, index, bits, d);
    default:
        break;
    }
    if (!c->at || index >= (uint64_t)c->bytes / size)
        return false;
    memcpy(bits, c->at + index * size, size);
    return true;
}

/* --- the interface for walks ------------------------------------------------------------------- */

static const DataBuffer *buffer_at(const Data *d, uint64_t address)
{
    for (size_t i = 0; i < d->count; i++)
        if ((uint64_t)d->buffers[i].address >> DATA_ADDRESS_BITS == address >> DATA_ADDRESS_BITS)
            return &d->buffers[i];
    return NULL;
}

static bool contents_at(Data *d, const DataBuffer *b, uint64_t address, int bytes, uint64_t *value)
{
    const uint64_t size = task_scalar_size(b->scalar), at = address - (uint64_t)b->address;
    uint64_t sum = 0;
    for (int done = 0; done < bytes;) {
        const uint64_t within = (at + (uint64_t)done) % size;
        uint64_t one;
        if (!data_scalar(d->scratch, &b->is, b->scalar, (uint64_t)b->lanes,
                         (at + (uint64_t)done) / size, &one, NULL))
            return false;
        sum |= one >> (8 * within) << (8 * done);
        done += (int)(size - within);
    }
    *value = bytes < 8 ? sum & ((UINT64_C(1) << (8 * bytes)) - 1) : sum;
    return true;
}

/* True if a buffer keeps what earlier launches left. */
static bool is_kept(const DataBuffer *b)
{
    return b->is.kind == DATA_MADE && b->is.task.kind == TASK_KEPT;
}

static bool load(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const DataBuffer *b = buffer_at(context, address);
    return b && !b->written && !is_kept(b) && contents_at(context, b, address, bytes, value);
}

static bool before(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const DataBuffer *b = buffer_at(context, address);
    return b && !is_kept(b) && contents_at(context, b, address, bytes, value);
}

static bool first(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const DataBuffer *b = buffer_at(context, address);
    return b && contents_at(context, b, address, bytes, value);
}

static bool symbol(void *context, const char *name, uint64_t *address)
{
    const Data *d = context;
    const DataBuffer *b = NAME_FIND(d->buffers, d->count, symbol, name);
    *address = b ? (uint64_t)b->address : 0;
    return b != NULL;
}

/* --- descriptions ----------------------------------------------------------------------------- */

JSON_TABLE(TASK, TaskContents, JSON_FIELD_BELOW(TaskContents, kind, TASK_CONTENTS_KINDS),
           JSON_FIELD(TaskContents, value), JSON_FIELD(TaskContents, lo),
           JSON_FIELD(TaskContents, hi), JSON_FIELD(TaskContents, seed));

JSON_TABLE(NAME, DataName, JSON_FIELD(DataName, name),
           JSON_FIELD_BELOW(DataName, kind, VALUE_STRING + 1), JSON_FIELD(DataName, integer),
           JSON_FIELD(DataName, real), JSON_FIELD(DataName, text));

static const JsonStruct CONTENTS;
static const JsonField CONTENTS_FIELDS[] = {
    JSON_FIELD_BELOW(DataContents, kind, DATA_KINDS),
    JSON_FIELD_STRUCT(DataContents, task, TASK),
    JSON_FIELD_TEXT_OR_NULL(DataContents, formula),
    JSON_FIELD_STRUCTS(DataContents, names, name_count, NAME),
    JSON_FIELD_TEXT_OR_NULL(DataContents, path),
    JSON_FIELD_TEXT_OR_NULL(DataContents, stamp),
    JSON_FIELD(DataContents, offset),
    JSON_FIELD(DataContents, bytes),
    JSON_FIELD_POINTER(DataContents, of, CONTENTS),
    JSON_FIELD_BELOW(DataContents, scalar, TASK_SCALARS),
    JSON_FIELD(DataContents, lanes),
    JSON_FIELD(DataContents, first),
    JSON_FIELD(DataContents, step),
    JSON_FIELD(DataContents, wrap)};
static const JsonStruct CONTENTS = JSON_STRUCT(DataContents, CONTENTS_FIELDS);

JSON_TABLE(BUFFER, DataBuffer, JSON_FIELD(DataBuffer, address),
           JSON_FIELD_TEXT_OR_NULL(DataBuffer, symbol),
           JSON_FIELD_BELOW(DataBuffer, scalar, TASK_SCALARS), JSON_FIELD(DataBuffer, lanes),
           JSON_FIELD(DataBuffer, written), JSON_FIELD_STRUCT(DataBuffer, is, CONTENTS));

const char *data_describe(Arena *a, const DataBuffer *buffers, size_t count)
{
    json_auto_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_of_struct(&BUFFER, &buffers[i], NULL));
    char *text = json_dumps(list, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    const char *out = arena_string(a, text ? text : "[]");
    free(text);
    return out;
}

static bool read_formula(Arena *a, DataContents *c)
{
    Diag quiet = diag_new(a);
    const char *text = arena_printf(a, "(%s\n)", c->formula ? c->formula : "");
    Lexer l = lexer_new(a, source_new(a, "formula", text, strlen(text)), &quiet);
    Expr *e = expr_parse(&l);
    Scope scope = {.arena = a};
    scope_add(&scope, "i", 0, VALUE_INT);
    scope_add(&scope, "lane", 1, VALUE_INT);
    c->slots = ARENA_ARRAY(a, Value, c->name_count + 2);
    for (size_t i = 0; i < c->name_count; i++) {
        const DataName *n = &c->names[i];
        c->slots[i + 2] = n->kind == VALUE_INT    ? value_int(n->integer)
                          : n->kind == VALUE_BOOL ? value_bool(n->integer)
                          : n->kind == VALUE_REAL ? value_real(n->real)
                                                  : value_string(n->text);
        scope_add(&scope, n->name, i + 2, n->kind);
    }
    c->expr = e;
    return e && expr_bind(e, &scope, &quiet);
}

static const char *map_file(Arena *a, DataMaps *maps, const char *path, size_t *size, Diag *d)
{
    uint64_t found;
    const int fd = file_open(path, &found, d);
    void *at = fd < 0 ? MAP_FAILED : mmap(NULL, found, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (at == MAP_FAILED)
        return NULL;
    VEC_PUSH(a, maps, ((DataMap){at, found}));
    *size = found;
    return at;
}

static bool read_file(Arena *a, DataContents *c, DataMaps *maps, Diag *d)
{
    size_t size = 0;
    const uint64_t most = (uint64_t)c->offset + (uint64_t)c->bytes;
    const char *at = !c->path ? NULL
                     : maps   ? map_file(a, maps, c->path, &size, d)
                              : file_read_most(a, c->path, most, &size, d);
    if (!at)
        return false;
    c->at = (const unsigned char *)at + c->offset;
    return (c->bytes > 0 && c->offset >= 0 && (uint64_t)c->offset <= size &&
            (uint64_t)c->bytes <= size - (uint64_t)c->offset) ||
           diag_fail(d, "'%s' was truncated", c->path);
}

static bool sort(Arena *a, DataContents *c, TaskScalar s, Diag *d)
{
    const size_t size = task_scalar_size(s), count = (size_t)c->bytes / size;
    unsigned char *room = arena_alloc(a, (size_t)c->bytes + sizeof(uint64_t));
    SCOPED_ARENA *scratch = arena_new();
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        uint64_t bits;
        ok = data_scalar(scratch, c->of, s, 1, i, &bits, d);
        memcpy(room + i * size, &bits, size);
    }
    contents_sort(s, room, count);
    c->at = room;
    return ok;
}

bool data_ready(Arena *a, DataContents *c, TaskScalar s, int64_t lanes, int64_t most,
                DataMaps *maps, Diag *d)
{
    switch (c->kind) {
    case DATA_MADE:
        return true;
    case DATA_FORMULA:
        return c->expr || read_formula(a, c);
    case DATA_FILE:
        return read_file(a, c, maps, d);
    case DATA_SORTED:
        if (lanes != 1 || !c->of || c->bytes < 0 || c->bytes > most)
            return diag_fail(d, "sorted contents have at most %lld MB", (long long)(most >> 20));
        return data_ready(a, c->of, s, 1, most, maps, d) && sort(a, c, s, d);
    default:
        return c->wrap > 0 && c->lanes > 0 && c->of &&
               data_ready(a, c->of, c->scalar, c->lanes, most, maps, d);
    }
}

static bool is_known(const DataContents *c)
{
    return c->kind != DATA_MADE ? !c->of || is_known(c->of)
                                : c->task.kind != TASK_UNDEFINED && c->task.kind != TASK_BYTES;
}

Data *data_open(const char *description)
{
    Arena *a = arena_new();
    Data *d = ARENA_NEW(a, Data);
    Diag quiet = diag_new(a);
    *d = (Data){.arena = a, .scratch = arena_new(), .description = arena_string(a, description)};
    d->walk = (WalkData){d, load, before, symbol, first, NULL};
    json_auto_t *list = json_loads(description, 0, NULL);
    json_t *one;
    size_t i;
    d->buffers = ARENA_ARRAY(a, DataBuffer, json_array_size(list) + 1);
    json_array_foreach(list, i, one)
    {
        DataBuffer *b = &d->buffers[d->count];
        d->count += json_read_struct(a, &BUFFER, one, (Blob){0}, b, &quiet) && b->lanes > 0 &&
                    is_known(&b->is) &&
                    data_ready(a, &b->is, b->scalar, b->lanes, DATA_MADE_LIMIT, &d->maps, &quiet);
    }
    d->walk.fault = quiet.messages.count > 0 ? diag_first(&quiet) : NULL;
    return d;
}

void data_close(Data *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->maps.count; i++)
        munmap(d->maps.at[i].at, d->maps.at[i].size);
    arena_free(d->scratch);
    arena_free(d->arena);
}

Data *data_reopen(Data *d, const char *description)
{
    if (d && strcmp(d->description, description) == 0)
        return d;
    data_close(d);
    return data_open(description);
}

const WalkData *data_of_walk(Data *d)
{
    return &d->walk;
}
