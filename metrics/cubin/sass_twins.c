#include "metrics/cubin/sass_twins.h"

#include "metrics/base/hash.h"
#include "metrics/base/map.h"

/* The terms of a row by column, or of a column by row; each once. */
typedef VEC(SassTerm) Terms;

typedef struct Columns {
    const SassProgram *program;
    Arena *arena;
    Terms *by_column, *by_row;
    double (*costs)[SIMPLEX_AIMS];
    bool *integer;
    int *key; /* by column: the row that limits it, or -1 */
} Columns;

/* Rows are built one after the other, so the terms of a column come in their order. */
static void sort_terms(Columns *c)
{
    const SassProgram *p = c->program;
    VEC_EACH (const SassTerm, t, p->terms) {
        Terms *of = &c->by_column[t->column];
        if (of->count && of->at[of->count - 1].row == t->row)
            of->at[of->count - 1].value += t->value;
        else
            VEC_PUSH(c->arena, of, *t);
    }
    for (int j = 0; j < p->columns; j++)
        for (size_t i = 0; i < c->by_column[j].count; i++)
            VEC_PUSH(c->arena, &c->by_row[c->by_column[j].at[i].row], c->by_column[j].at[i]);
    VEC_EACH (const SassTerm, t, p->costs)
        c->costs[t->column][t->row] += t->value;
    for (size_t i = 0; i < p->integers.count; i++)
        c->integer[p->integers.at[i]] = true;
}

/* True if a row's slack costs nothing and is in no other row. */
static bool only_limits(const Columns *c, size_t row)
{
    const SassRow *r = &c->program->rows.at[row];
    bool free = r->over < 0 && c->by_column[r->basis].count == 1;
    for (int aim = 0; aim < SIMPLEX_AIMS; aim++)
        free &= c->costs[r->basis][aim] == 0;
    return free;
}

/* A row limits the last of its columns: those of earlier branches come before. */
static void find_keys(Columns *c)
{
    enum { NONE = -1, SEVERAL = -2 };
    for (int j = 0; j < c->program->columns; j++)
        c->key[j] = NONE;
    for (size_t i = 0; i < c->program->rows.count; i++) {
        int last = NONE;
        for (size_t k = 0; k < c->by_row[i].count; k++)
            if (c->by_row[i].at[k].column != c->program->rows.at[i].basis)
                last = c->by_row[i].at[k].column;
        if (last != NONE)
            c->key[last] = c->key[last] == NONE && only_limits(c, i) ? (int)i : SEVERAL;
    }
}

/* Everything that twins have in common. */
static Hash describe(const Columns *c, int column)
{
    const int key = c->key[column];
    const SassRow *limit = &c->program->rows.at[key];
    Hasher *h = hasher_new();
    hasher_add(h, c->costs[column], sizeof c->costs[column]);
    hasher_add(h, &c->integer[column], sizeof c->integer[column]);
    hasher_add(h, &limit->rhs, sizeof limit->rhs);
    VEC_EACH (const SassTerm, t, c->by_column[column]) {
        if (t->row != key)
            hasher_add(h, &t->row, sizeof t->row);
        hasher_add(h, &t->value, sizeof t->value);
    }
    VEC_EACH (const SassTerm, t, c->by_row[key]) {
        if (t->column == column || t->column == limit->basis)
            continue;
        hasher_add(h, &t->column, sizeof t->column);
        hasher_add(h, &t->value, sizeof t->value);
    }
    return hasher_end(h);
}

/* By column: the first of its twins.  Their slacks are twins too. */
static int *find_first(const Columns *c)
{
    const SassProgram *p = c->program;
    int *first = ARENA_ARRAY(c->arena, int, (size_t)p->columns + 1);
    Map known = {.arena = c->arena};
    for (int j = 0; j < p->columns; j++)
        first[j] = j;
    for (int j = 0; j < p->columns; j++) {
        if (c->key[j] < 0)
            continue;
        const Hash h = describe(c, j);
        MapEntry *e = map_add(&known, arena_string(c->arena, h.text), strlen(h.text), 0);
        if (e->kind == 0)
            e->value = j;
        e->kind = 1;
        first[j] = e->value;
        first[p->rows.at[c->key[j]].basis] = p->rows.at[c->key[e->value]].basis;
    }
    return first;
}

static Columns columns_of(const SassProgram *p)
{
    const size_t count = (size_t)p->columns + 1;
    Columns c = {.program = p, .arena = p->arena};
    c.by_column = ARENA_ARRAY(p->arena, Terms, count);
    c.by_row = ARENA_ARRAY(p->arena, Terms, p->rows.count + 1);
    c.costs = arena_array(p->arena, count, sizeof *c.costs);
    c.integer = ARENA_ARRAY(p->arena, bool, count);
    c.key = ARENA_ARRAY(p->arena, int, count);
    sort_terms(&c);
    find_keys(&c);
    return c;
}

/* Adds a row `times` times as large, without what its key and slack stand for alone. */
static void merge_row(const Columns *c, SassTwins *t, const int *first, size_t row, int key)
{
    const SassRow *r = &c->program->rows.at[row];
    const int times = key < 0 ? 1 : t->count[key], to = (int)t->merged.rows.count;
    VEC_PUSH(
        c->arena, &t->merged.rows,
        ((SassRow){t->column[r->basis], r->over < 0 ? -1 : t->column[r->over], times * r->rhs}));
    VEC_EACH (const SassTerm, x, c->by_row[row]) {
        const bool own = x->column == key || x->column == r->basis;
        if (first[x->column] == x->column)
            VEC_PUSH(c->arena, &t->merged.terms,
                     ((SassTerm){to, t->column[x->column], own ? x->value : times * x->value}));
    }
}

static void number_columns(const SassProgram *p, SassTwins *t, const int *first)
{
    t->column = ARENA_ARRAY(p->arena, int, (size_t)p->columns + 1);
    t->count = ARENA_ARRAY(p->arena, int, (size_t)p->columns + 1);
    for (int j = 0; j < p->columns; j++) {
        t->column[j] = first[j] == j ? t->merged.columns++ : t->column[first[j]];
        t->count[first[j]]++;
    }
    for (int j = 0; j < p->columns; j++)
        t->count[j] = t->count[first[j]];
}

SassTwins sass_twins_merge(const SassProgram *p)
{
    const Columns c = columns_of(p);
    const int *first = find_first(&c);
    SassTwins t = {.merged = sass_program_new(p->arena)};
    number_columns(p, &t, first);
    int *key = ARENA_ARRAY(p->arena, int, p->rows.count + 1); /* by row: its key + 1 */
    for (int j = 0; j < p->columns; j++)
        if (c.key[j] >= 0)
            key[c.key[j]] = j + 1;
    for (size_t i = 0; i < p->rows.count; i++)
        if (key[i] == 0 || first[key[i] - 1] == key[i] - 1)
            merge_row(&c, &t, first, i, key[i] - 1);
    VEC_EACH (const SassTerm, x, p->costs)
        if (first[x->column] == x->column)
            sass_program_cost(&t.merged, x->row, t.column[x->column], x->value);
    for (size_t i = 0; i < p->integers.count; i++)
        if (first[p->integers.at[i]] == p->integers.at[i])
            VEC_PUSH(p->arena, &t.merged.integers, t.column[p->integers.at[i]]);
    memcpy(t.merged.constants, p->constants, sizeof p->constants);
    return t;
}

double *sass_twins_part(const SassProgram *p, const SassTwins *t, const double *x)
{
    double *part = ARENA_ARRAY(p->arena, double, (size_t)p->columns + 1);
    for (int j = 0; j < p->columns; j++)
        part[j] = x[t->column[j]] / t->count[j];
    return part;
}
