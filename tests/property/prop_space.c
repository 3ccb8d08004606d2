/* Enumeration against brute force: random small specs, every point of the product judged with
 * expr_eval alone.  APTUNE_SEED=n repeats a run. */
#include "tests/support/spec_text.h"
#include "tuner/space/diagram.h"
#include "tuner/space/space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CASES = 3000, PRODUCT = 500, NAMES = 16 };

/* --- random specs ---------------------------------------------------------------------------- */

/* A spec while it is written. */
typedef struct Writer {
    uint64_t random;
    Buf text;
    const char *ints[NAMES]; /* names that hold integers */
    size_t int_count;
    const char *string; /* name of a string parameter, or NULL */
    const char *real;
    const char *boolean;
} Writer;

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int pick(Writer *w, int n)
{
    return (int)(next_random(&w->random) % (uint64_t)n);
}

static void add_name(Writer *w, const char *name)
{
    w->ints[w->int_count++] = name;
}

static const char *any_int(Writer *w)
{
    return w->ints[pick(w, (int)w->int_count)];
}

static void write_int(Writer *w, int depth);

/* before a between b after */
static void write_pair(Writer *w, int depth, const char *before, const char *between,
                       const char *after)
{
    buf_puts(&w->text, before);
    write_int(w, depth - 1);
    buf_puts(&w->text, between);
    write_int(w, depth - 1);
    buf_puts(&w->text, after);
}

/* Division with and without a guard against zero. */
static void write_division(Writer *w, int depth)
{
    static const char *const signs[] = {"/", "//", "%"};
    const char *divisor = any_int(w), *sign = signs[pick(w, 3)];
    bool guarded = pick(w, 4) != 0;
    if (guarded)
        buf_printf(&w->text, "(%s == 0 ? 0 : ", divisor);
    buf_puts(&w->text, "(");
    write_int(w, depth - 1);
    buf_printf(&w->text, ") %s %s", sign, divisor);
    buf_puts(&w->text, guarded ? ")" : "");
}

static void write_int(Writer *w, int depth)
{
    switch (depth > 0 ? pick(w, 8) : pick(w, 2)) {
    case 0:
        buf_printf(&w->text, "%d", pick(w, 12));
        break;
    case 2:
        write_pair(w, depth, "(", " + ", ")");
        break;
    case 3:
        write_pair(w, depth, "(", " - ", ")");
        break;
    case 4:
        write_pair(w, depth, "", " * ", "");
        break;
    case 5:
        write_pair(w, depth, pick(w, 2) ? "min(" : "max(", ", ", ")");
        break;
    case 6:
        write_division(w, depth);
        break;
    default:
        buf_puts(&w->text, any_int(w));
        break;
    }
}

static void write_condition(Writer *w, int depth);

static void write_comparison(Writer *w)
{
    static const char *const signs[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
    write_int(w, 2);
    for (int links = 1 + pick(w, 2); links > 0; links--) {
        buf_puts(&w->text, signs[pick(w, 6)]);
        write_int(w, 1);
    }
}

static void write_other_kind(Writer *w)
{
    if (w->string && pick(w, 2))
        buf_printf(&w->text, "%s %s \"x\"", w->string, pick(w, 2) ? "==" : "!=");
    else if (w->real && pick(w, 2))
        buf_printf(&w->text, "%s * %s <= 3", w->real, any_int(w));
    else if (w->boolean)
        buf_printf(&w->text, "%s%s", pick(w, 2) ? "not " : "", w->boolean);
    else
        buf_printf(&w->text, "is_pow2(%s)", any_int(w));
}

static void write_condition(Writer *w, int depth)
{
    switch (pick(w, depth > 0 ? 8 : 4)) {
    case 0:
    case 1:
        write_comparison(w);
        break;
    case 2:
        buf_printf(&w->text, "%s %s [1, %d, %s]", any_int(w), pick(w, 2) ? "in" : "not in",
                   pick(w, 9), any_int(w));
        break;
    case 3:
        write_other_kind(w);
        break;
    case 4:
        buf_printf(&w->text, "%s in divisors(%d)", any_int(w), 1 + pick(w, 24));
        break;
    default:
        buf_puts(&w->text, pick(w, 4) ? "(" : "not (");
        write_condition(w, depth - 1);
        buf_puts(&w->text, pick(w, 2) ? ") and (" : ") or (");
        write_condition(w, depth - 1);
        buf_puts(&w->text, ")");
        break;
    }
}

static void write_int_values(Writer *w)
{
    switch (pick(w, 9)) {
    case 0:
        buf_printf(&w->text, "range(%d)", 1 + pick(w, 5));
        break;
    case 1:
        buf_puts(&w->text, "divisors(N)");
        break;
    case 2:
        buf_printf(&w->text, "pow2(1, %d)", 1 + pick(w, 16));
        break;
    case 3:
        buf_printf(&w->text, "divisors(%s)", any_int(w));
        break;
    case 4:
        buf_printf(&w->text, "range(1, %s + 1)", any_int(w));
        break;
    case 5:
        buf_printf(&w->text, "%s, %d", any_int(w), pick(w, 5));
        break;
    default:
        for (int n = 1 + pick(w, 4), i = 0; i < n; i++)
            buf_printf(&w->text, "%s%d", i ? ", " : "", pick(w, 9));
        break;
    }
}

static void write_parameter(Writer *w, const char *name)
{
    buf_printf(&w->text, "param %s in ", name);
    int kind = pick(w, 8);
    if (kind == 0) {
        buf_puts(&w->text, "\"x\", \"y\", \"z\"");
        w->string = name;
    } else if (kind == 1) {
        buf_puts(&w->text, "0.5, 1, 2.25");
        w->real = name;
    } else if (kind == 2) {
        buf_puts(&w->text, "true, false");
        w->boolean = name;
    } else {
        write_int_values(w);
        add_name(w, name);
    }
    buf_puts(&w->text, "\n");
}

static void write_require(Writer *w)
{
    buf_puts(&w->text, "require ");
    if (pick(w, 3) == 0)
        buf_printf(&w->text, "%s > 0", any_int(w)); /* a guard for what is judged later */
    else
        write_condition(w, 2);
    buf_puts(&w->text, "\n");
}

static void write_spec(Writer *w)
{
    static const char *const names[] = {"A", "B", "C", "D", "E"};
    static const char *const lets[] = {"X", "Y", "Z", "U", "V"};
    buf_printf(&w->text, "problem N = %d\n", 1 + pick(w, 12));
    add_name(w, "N");
    int parameters = 1 + pick(w, 5);
    for (int i = 0; i < parameters; i++) {
        write_parameter(w, names[i]);
        if (pick(w, 3) == 0) {
            buf_printf(&w->text, "let %s = ", lets[i]);
            write_int(w, 2);
            buf_puts(&w->text, "\n");
            add_name(w, lets[i]);
        }
        if (pick(w, 4) == 0)
            write_require(w);
    }
    for (int n = pick(w, 3); n > 0; n--)
        write_require(w);
}

/* --- brute force ------------------------------------------------------------------------------ */

typedef struct Brute {
    Arena *scratch;
    const Space *space;
    Value *slots;
    bool *failed; /* slots whose arithmetic failed at this point */
    bool missing; /* some item gave a value that the parameter does not list */
} Brute;

static bool evaluate(const Brute *b, const Expr *e, Value *out)
{
    Evaluation ev = {.arena = b->scratch};
    return !expr_uses_any(e, b->failed) && expr_eval(e, b->slots, &ev, out);
}

static bool contains(const ValueList *list, Value v)
{
    for (size_t i = 0; i < list->count; i++)
        if (value_equal(list->at[i], v))
            return true;
    return false;
}

/* Is `v` among the item's values?  All of them must be among the parameter's. */
static bool item_has(Brute *b, const Value *item, const ValueList *all, Value v)
{
    ValueList one = {1, NULL};
    Value copy = *item;
    one.at = &copy;
    const ValueList *list = item->kind == VALUE_LIST ? item->list : &one;
    for (size_t i = 0; i < list->count; i++)
        b->missing = b->missing || !contains(all, list->at[i]);
    return contains(list, v);
}

typedef enum Point { POINT_VALID, POINT_REJECTED, POINT_ERROR } Point;

static Point judge_membership(Brute *b, size_t p)
{
    const Spec *s = b->space->spec;
    bool member = false;
    for (size_t i = 0; i < s->parameters[p].item_count; i++) {
        Value item;
        if (!evaluate(b, s->parameters[p].items[i], &item))
            return POINT_ERROR;
        member =
            item_has(b, &item, &b->space->values[p], b->slots[spec_parameter_slot(s, p)]) || member;
    }
    return member ? POINT_VALID : POINT_REJECTED;
}

static Point worst(Point a, Point b)
{
    return a > b ? a : b;
}

/* The slots hold the point's parameters; an error anywhere makes the point one. */
static Point judge_point(Brute *b)
{
    const Spec *s = b->space->spec;
    for (size_t k = 0; k < s->derived_count; k++) {
        size_t slot = spec_derived_slot(s, k);
        b->failed[slot] = !evaluate(b, s->derived[k].value, &b->slots[slot]);
    }
    Point result = POINT_VALID;
    for (size_t p = 0; p < s->parameter_count; p++)
        result = worst(result, judge_membership(b, p));
    for (size_t i = 0; i < s->constraint_count; i++) {
        Value v;
        if (!evaluate(b, s->constraints[i].condition, &v))
            result = POINT_ERROR;
        else if (v.kind == VALUE_BOOL ? !v.boolean : value_as_real(v) == 0)
            result = worst(result, POINT_REJECTED);
    }
    arena_reset(b->scratch);
    return result;
}

/* Slots of the point `rank`, decoded without the space's strides. */
static void set_point(Brute *b, uint64_t rank)
{
    const Spec *s = b->space->spec;
    spec_set_problem(s, 0, b->slots);
    for (size_t p = s->parameter_count; p-- > 0;) {
        const ValueList *v = &b->space->values[p];
        b->slots[spec_parameter_slot(s, p)] = v->at[rank % v->count];
        rank /= v->count;
    }
}

/* --- the properties --------------------------------------------------------------------------- */

static const char *check_valid_points(Brute *b)
{
    const Space *s = b->space;
    size_t next = 0;
    for (uint64_t rank = 0; rank < s->product; rank++) {
        set_point(b, rank);
        bool in_space = next < s->count && s->ranks[next] == rank;
        if ((judge_point(b) == POINT_VALID) != in_space)
            return in_space ? "a point of the space is not valid" : "a valid point is missing";
        next += in_space;
    }
    if (b->missing)
        return "a dependent parameter lacks a value";
    return next == s->count ? NULL : "the ranks do not rise";
}

static const char *check_counts(const Space *s)
{
    uint64_t sum = s->count;
    for (size_t i = 0; i < s->spec->constraint_count; i++)
        sum += s->rejected[i];
    for (size_t p = 0; p < s->spec->parameter_count; p++)
        sum += s->refused[p];
    return sum == s->product ? NULL : "valid, rejected and refused points are not the product";
}

static const char *check_find(const Space *s)
{
    Value values[NAMES];
    uint64_t rank;
    for (size_t i = 0; i < s->count; i++) {
        for (size_t p = 0; p < s->spec->parameter_count; p++)
            values[p] = s->values[p].at[space_place(s, s->ranks[i], p)];
        if (!space_rank(s, values, &rank) || rank != s->ranks[i] || !space_has(s, rank))
            return "a configuration is not found by its values";
    }
    return NULL;
}

/* A space that could not be built has a point where arithmetic fails. */
static const char *check_error(Brute *b)
{
    for (uint64_t rank = 0; rank < b->space->product; rank++) {
        set_point(b, rank);
        if (judge_point(b) == POINT_ERROR)
            return NULL;
    }
    return "no point explains the arithmetic error";
}

typedef struct Tally {
    int built, empty, failed, refused, large;
} Tally;

/* What is wrong, or NULL. */
static const char *check_space(Arena *a, const Space *s, bool built, Tally *t)
{
    size_t slots = spec_slot_count(s->spec);
    Brute b = {arena_new(), s, ARENA_ARRAY(a, Value, slots), ARENA_ARRAY(a, bool, slots), false};
    const char *wrong;
    if (built) {
        wrong = check_valid_points(&b);
        wrong = wrong ? wrong : check_counts(s);
        wrong = wrong ? wrong : check_find(s);
        t->built++;
        t->empty += s->count == 0;
    } else {
        wrong = check_error(&b);
        t->failed++;
    }
    arena_free(b.scratch);
    return wrong;
}

/* The rank of a point's value numbers. */
static uint64_t rank_of(const Space *s, const uint16_t *point)
{
    uint64_t rank = 0;
    for (size_t p = 0; p < s->spec->parameter_count; p++)
        rank += s->stride[p] * point[p];
    return rank;
}

static bool is_listed(const Space *s, uint64_t rank)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->ranks[i] == rank)
            return true;
    return false;
}

/* The diagram of a space that was listed: counts, every point, draws. */
static const char *check_diagram(Arena *a, const Space *listed, Diag *d)
{
    Space s;
    SpaceDiagram *g;
    if (!space_open(a, listed->spec, 0, &s, d) || space_diagram_new(a, &s, &g, d) != DIAGRAM_OK)
        return "a space that can be listed has a diagram";
    const char *wrong = space_diagram_count(g) == listed->count ? NULL : "the diagram's count";
    for (size_t i = 0; i < s.spec->constraint_count && !wrong; i++)
        wrong = s.rejected[i] == listed->rejected[i] ? NULL : "what the diagram says is rejected";
    for (size_t p = 0; p < s.spec->parameter_count && !wrong; p++)
        wrong = s.refused[p] == listed->refused[p] ? NULL : "what the diagram says is refused";
    uint16_t *point = ARENA_ARRAY(a, uint16_t, s.spec->parameter_count);
    for (uint64_t rank = 0; rank < s.product && !wrong; rank++) {
        for (size_t p = 0; p < s.spec->parameter_count; p++)
            point[p] = (uint16_t)(rank / s.stride[p] % s.values[p].count);
        if (space_diagram_has(g, point) != is_listed(listed, rank))
            wrong = "what the diagram holds for valid";
    }
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    for (int i = 0; i < 50 && !wrong && listed->count > 0; i++) {
        size_t place = gsl_rng_uniform_int(random, listed->count);
        space_diagram_at(g, place, point);
        if (rank_of(&s, point) != listed->ranks[place])
            wrong = "the point at a place of the list";
        if (!space_diagram_draw(g, random, point) || !is_listed(listed, rank_of(&s, point)))
            wrong = "a draw that is not valid";
    }
    gsl_rng_free(random);
    space_diagram_free(g);
    return wrong;
}

static const char *check_spec(Arena *a, const char *text, Tally *t)
{
    Diag d = diag_new(a);
    Spec *spec = spec_parse(a, spec_source(a, text), &d);
    if (!spec) { /* some parameter has no values, whatever the others are */
        t->refused++;
        return NULL;
    }
    Space s;
    bool built = space_build(a, spec, 0, NULL, &s, &d);
    const char *wrong = NULL;
    if (s.product > PRODUCT)
        t->large++;
    else
        wrong = check_space(a, &s, built, t);
    if (built && !wrong && s.product <= PRODUCT)
        wrong = check_diagram(a, &s, &d);
    space_free(&s);
    return wrong;
}

/* Each of few points comes as often as any other. */
static void draws_are_uniform(void **state)
{
    (void)state;
    enum { DRAWS = 70000 };
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const char *text = spec_completed(a, "param A in 1, 2, 3, 4\nparam B in range(1, 6)\n"
                                         "require A * B <= 4\nparam C in 0, 1\n"
                                         "require A < 3 or C == 0\n");
    const Spec *spec = spec_parse(a, spec_source(a, text), &d);
    assert_non_null(spec);
    Space s;
    SpaceDiagram *g;
    assert_true(space_build(a, spec, 0, NULL, &s, &d));
    assert_int_equal(space_diagram_new(a, &s, &g, &d), DIAGRAM_OK);
    size_t *times = ARENA_ARRAY(a, size_t, s.product);
    uint16_t point[3];
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    for (int i = 0; i < DRAWS; i++) {
        assert_true(space_diagram_draw(g, random, point));
        times[rank_of(&s, point)]++;
    }
    for (size_t i = 0; i < s.count; i++) {
        double expected = (double)DRAWS / (double)s.count;
        assert_in_range(times[s.ranks[i]], (size_t)(0.9 * expected), (size_t)(1.1 * expected));
    }
    gsl_rng_free(random);
    space_diagram_free(g);
    space_free(&s);
    arena_free(a);
}

static void enumeration_is_a_filter_over_the_product(void **state)
{
    (void)state;
    const char *given = getenv("APTUNE_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 20260801;
    print_message("seed %llu\n", (unsigned long long)seed);
    Tally t = {0};

    for (int i = 0; i < CASES; i++) {
        Arena *a = arena_new();
        Writer w = {.random = seed + (uint64_t)i * 1000003};
        write_spec(&w);
        const char *text = spec_completed(a, buf_text(&w.text));
        buf_free(&w.text);
        const char *wrong = check_spec(a, text, &t);
        if (wrong)
            fail_msg("case %d: %s\n%s", i, wrong, text);
        arena_free(a);
    }

    print_message(
        "%d built, %d of them empty; %d with an arithmetic error, %d refused, %d too large\n",
        t.built, t.empty, t.failed, t.refused, t.large);
    assert_true(t.built - t.empty > CASES / 4);
    assert_true(t.failed > CASES / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enumeration_is_a_filter_over_the_product),
        cmocka_unit_test(draws_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
