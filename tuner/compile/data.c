#include "tuner/compile/data.h"

#include "metrics/base/expr.h"
#include "metrics/base/json.h"
#include "tuner/spec/contents.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum DataKind {
    DATA_UNKNOWN,
    DATA_MADE,    /* by contents_fill */
    DATA_FORMULA, /* evaluated */
    DATA_BYTES,   /* there */
    DATA_TAKEN    /* from other contents */
} DataKind;

typedef struct DataContents {
    DataKind kind;
    TaskContents task; /* DATA_MADE */
    const Expr *formula;
    Value *slots;               /* `i`, `lane`, then its names */
    const unsigned char *bytes; /* DATA_BYTES */
    size_t size;
    const struct DataContents
        *of; /* DATA_TAKEN: scalar i is `first` + i % wrap × step + i ÷ wrap */
    TaskScalar of_scalar;
    uint64_t of_lanes, first, step, wrap;
} DataContents;

typedef struct DataBuffer {
    uint64_t address;
    const char *symbol;
    TaskScalar scalar;
    uint64_t lanes;
    const DataContents *contents;
} DataBuffer;

/* A file. */
typedef struct DataMap {
    void *at;
    size_t size;
} DataMap;

struct Data {
    Arena *arena;
    Arena *scratch; /* of formulas */
    const char *description;
    DataBuffer *buffers;
    size_t count;
    VEC(DataMap) maps;
    WalkData walk;
};

/* Pretended addresses of buffers are this far apart (RUN_ADDRESS_BITS). */
enum { DATA_ADDRESS_BITS = 40 };

/* --- one number ------------------------------------------------------------------------------- */

static bool scalar_at(Data *d, const DataContents *c, TaskScalar s, uint64_t lanes, uint64_t index,
                      uint64_t *bits);

static bool formula_at(Data *d, const DataContents *c, TaskScalar s, uint64_t lanes, uint64_t index,
                       uint64_t *bits)
{
    Evaluation ev = {.arena = d->scratch};
    Value v;
    c->slots[0] = value_int((int64_t)(index / lanes));
    c->slots[1] = value_int((int64_t)(index % lanes));
    const bool ok = expr_eval(c->formula, c->slots, &ev, &v) && contents_store_value(s, v, bits);
    if (arena_used(d->scratch) > 1 << 16)
        arena_reset(d->scratch);
    return ok;
}

static bool taken_at(Data *d, const DataContents *c, TaskScalar s, uint64_t index, uint64_t *bits)
{
    const uint64_t from = c->first + index % c->wrap * c->step + index / c->wrap;
    if (!scalar_at(d, c->of, c->of_scalar, c->of_lanes, from, bits))
        return false;
    if (c->of_scalar != s)
        contents_store(s, contents_value(c->of_scalar, bits), bits);
    return true;
}

static bool scalar_at(Data *d, const DataContents *c, TaskScalar s, uint64_t lanes, uint64_t index,
                      uint64_t *bits)
{
    const size_t size = task_scalar_size(s);
    *bits = 0;
    switch (c->kind) {
    case DATA_MADE:
        contents_fill(c->task, s, index, 1, bits);
        return true;
    case DATA_FORMULA:
        return formula_at(d, c, s, lanes, index, bits);
    case DATA_BYTES:
        if (index >= c->size / size)
            return false;
        memcpy(bits, c->bytes + index * size, size);
        return true;
    case DATA_TAKEN:
        return taken_at(d, c, s, index, bits);
    case DATA_UNKNOWN:
        break;
    }
    return false;
}

/* --- what walks ask --------------------------------------------------------------------------- */

static const DataBuffer *buffer_at(const Data *d, uint64_t address)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->buffers[i].address >> DATA_ADDRESS_BITS == address >> DATA_ADDRESS_BITS)
            return &d->buffers[i];
    return NULL;
}

static bool load(void *context, uint64_t address, int bytes, uint64_t *value)
{
    Data *d = context;
    const DataBuffer *b = buffer_at(d, address);
    const uint64_t size = b ? task_scalar_size(b->scalar) : 1;
    const uint64_t at = b ? address - b->address : 0;
    uint64_t sum = 0;
    for (int done = 0; b && done < bytes;) {
        const uint64_t within = (at + (uint64_t)done) % size;
        uint64_t one;
        if (!scalar_at(d, b->contents, b->scalar, b->lanes, (at + (uint64_t)done) / size, &one))
            return false;
        sum |= one >> (8 * within) << (8 * done);
        done += (int)(size - within);
    }
    *value = bytes < 8 ? sum & ((UINT64_C(1) << (8 * bytes)) - 1) : sum;
    return b != NULL;
}

static bool symbol(void *context, const char *name, uint64_t *address)
{
    const Data *d = context;
    for (size_t i = 0; i < d->count; i++) {
        if (!d->buffers[i].symbol || strcmp(d->buffers[i].symbol, name) != 0)
            continue;
        *address = d->buffers[i].address;
        return true;
    }
    return false;
}

/* --- reading a description -------------------------------------------------------------------- */

static uint64_t count_of(const json_t *j, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(j, key));
}

static bool scalar_of(const json_t *j, TaskScalar *out)
{
    TaskType t;
    const bool ok = task_type_find(json_text_at(j, "scalar"), &t) && t.lanes == 1;
    *out = ok ? t.scalar : TASK_I32;
    return ok;
}

static bool find_name(void *context, const char *name, int *slot, ValueKind *kind,
                      const char **reason)
{
    json_t *names = context, *value;
    const char *key;
    int at = 2;
    (void)reason;
    *kind = VALUE_INT;
    *slot = strcmp(name, "lane") == 0;
    if (*slot == 1 || strcmp(name, "i") == 0)
        return true;
    json_object_foreach(names, key, value)
    {
        if (strcmp(key, name) == 0) {
            *slot = at;
            *kind = json_is_integer(value) ? VALUE_INT
                    : json_is_real(value)  ? VALUE_REAL
                                           : VALUE_STRING;
            return true;
        }
        at++;
    }
    return false;
}

static Value *slots_of(Arena *a, json_t *names)
{
    Value *slots = ARENA_ARRAY(a, Value, json_object_size(names) + 2);
    json_t *value;
    const char *key;
    int at = 2;
    json_object_foreach(names, key, value)
    {
        slots[at++] = json_is_integer(value) ? value_int(json_integer_value(value))
                      : json_is_real(value)
                          ? value_real(json_real_value(value))
                          : value_string(arena_string(
                                a, json_string_value(value) ? json_string_value(value) : ""));
    }
    return slots;
}

static void read_formula(Data *d, const json_t *j, DataContents *c)
{
    json_t *names = json_object_get(j, "names");
    Diag quiet = diag_new(d->arena);
    Source *s = ARENA_NEW(d->arena, Source);
    const char *text = arena_printf(d->arena, "(%s\n)", json_text_at(j, "text"));
    *s = (Source){"formula", text, strlen(text)};
    Lexer l = lexer_new(d->arena, s, &quiet);
    Expr *e = expr_parse(&l);
    const Scope scope = {.context = names, .find = find_name};
    if (!e || !expr_bind(e, &scope, &quiet))
        return;
    *c = (DataContents){.kind = DATA_FORMULA, .formula = e, .slots = slots_of(d->arena, names)};
}

static void read_file(Data *d, const json_t *j, DataContents *c)
{
    struct stat st;
    const size_t offset = count_of(j, "offset"), size = count_of(j, "size");
    const int fd = open(json_text_at(j, "path"), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    const bool there = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && size > 0 &&
                       offset <= (size_t)st.st_size && size <= (size_t)st.st_size - offset;
    void *at = there ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (at == MAP_FAILED)
        return;
    VEC_PUSH(d->arena, &d->maps, ((DataMap){at, (size_t)st.st_size}));
    *c = (DataContents){.kind = DATA_BYTES, .bytes = (unsigned char *)at + offset, .size = size};
}

static const DataContents *read_contents(Data *d, const json_t *j, TaskScalar s, uint64_t lanes);

static void read_sorted(Data *d, const json_t *j, TaskScalar s, DataContents *c)
{
    const DataContents *of = read_contents(d, json_object_get(j, "of"), s, 1);
    const size_t size = task_scalar_size(s), count = count_of(j, "count");
    if (of->kind == DATA_UNKNOWN || count > DATA_MADE_LIMIT / size)
        return;
    unsigned char *room = arena_alloc(d->arena, count * size + 8);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        if (!scalar_at(d, of, s, 1, i, &bits))
            return;
        memcpy(room + i * size, &bits, size);
    }
    contents_sort(s, room, count);
    *c = (DataContents){.kind = DATA_BYTES, .bytes = room, .size = count * size};
}

static void read_taken(Data *d, const json_t *j, DataContents *c)
{
    DataContents t = {.kind = DATA_TAKEN,
                      .of_lanes = count_of(j, "lanes"),
                      .first = count_of(j, "from"),
                      .step = count_of(j, "step"),
                      .wrap = count_of(j, "wrap")};
    const bool typed = scalar_of(j, &t.of_scalar);
    t.of = read_contents(d, json_object_get(j, "of"), t.of_scalar, t.of_lanes);
    if (typed && t.wrap > 0 && t.of_lanes > 0 && t.of->kind != DATA_UNKNOWN)
        *c = t;
}

static const DataContents *read_contents(Data *d, const json_t *j, TaskScalar s, uint64_t lanes)
{
    static const struct {
        const char *name;
        TaskContentsKind kind;
    } made[] = {{"zero", TASK_ZERO},
                {"constant", TASK_CONSTANT},
                {"uniform", TASK_UNIFORM},
                {"normal", TASK_NORMAL}};
    const char *kind = json_text_at(j, "kind");
    DataContents *c = ARENA_NEW(d->arena, DataContents);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strcmp(kind, made[i].name) == 0)
            *c = (DataContents){.kind = DATA_MADE,
                                .task = {.kind = made[i].kind,
                                         .value = json_number_value(json_object_get(j, "value")),
                                         .lo = json_number_value(json_object_get(j, "lo")),
                                         .hi = json_number_value(json_object_get(j, "hi")),
                                         .seed = count_of(j, "seed")}};
    if (strcmp(kind, "formula") == 0)
        read_formula(d, j, c);
    else if (strcmp(kind, "file") == 0)
        read_file(d, j, c);
    else if (strcmp(kind, "sorted") == 0 && lanes == 1)
        read_sorted(d, j, s, c);
    else if (strcmp(kind, "taken") == 0)
        read_taken(d, j, c);
    return c;
}

static void read_buffers(Data *d, const json_t *list)
{
    const json_t *one;
    size_t i;
    d->buffers = ARENA_ARRAY(d->arena, DataBuffer, json_array_size(list) + 1);
    json_array_foreach(list, i, one)
    {
        DataBuffer b = {.address = count_of(one, "address"), .lanes = count_of(one, "lanes")};
        const char *name = json_string_value(json_object_get(one, "symbol"));
        if (!scalar_of(one, &b.scalar) || b.lanes == 0)
            continue;
        b.symbol = name ? arena_string(d->arena, name) : NULL;
        b.contents = read_contents(d, json_object_get(one, "is"), b.scalar, b.lanes);
        d->buffers[d->count++] = b;
    }
}

Data *data_open(const char *description)
{
    Arena *a = arena_new();
    Data *d = ARENA_NEW(a, Data);
    *d = (Data){.arena = a, .scratch = arena_new(), .description = arena_string(a, description)};
    d->walk = (WalkData){d, load, symbol};
    json_t *list = json_loads(description, 0, NULL);
    read_buffers(d, list);
    json_decref(list);
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

const char *data_description(const Data *d)
{
    return d->description;
}

const WalkData *data_of_walk(Data *d)
{
    return &d->walk;
}
