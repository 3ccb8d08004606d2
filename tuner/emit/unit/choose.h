/* --- choosing -----------------------------------------------------------------
 *
 * A size gets the variant tuned for it or for the nearest size, among those that the spec's
 * constraints, the launch limits and the argument types allow. */

/* True if all numbers are in range and the conditions of every variant hold. */
static int unit_is_size(const unit_problem *p)
{
    double numbers[UNIT_NUMBERS + 1];
    unit_numbers(p, numbers);
    for (int i = 0; i < (int)UNIT_NUMBERS; i++)
        if (!(numbers[i] >= unit_ranges[i][0] && numbers[i] <= unit_ranges[i][1]))
            return 0;
    return unit_is_sound(p);
}

/* True if a variant is valid for a size on a device; sets the scratch bytes it needs. */
static int unit_fits(
    int variant, const unit_device *d, const unit_problem *p, size_t *scratch)
{
    const unit_variant *v = &unit_variants[variant - 1];
    unit_arguments none;
    unit_walk w;
    memset(&none, 0, sizeof none);
    memset(&w, 0, sizeof w);
    w.device = d;
    *scratch = 0;
    if (!unit_is_size(p) || !v->serves(p) || !v->walk(&w, p, &none))
        return 0;
    *scratch = w.scratch_bytes;
    return 1;
}

/* Elements of a buffer for a variant that is valid; variant 0: the most for any. */
static long long unit_most_elements(int variant, const unit_problem *p,
    long long (*count)(int variant, const unit_problem *p))
{
    const unit_device any = {"", 0, LLONG_MAX};
    long long most = 0;
    size_t scratch;
    for (int i = 1; i <= UNIT_VARIANT_COUNT; i++)
        if ((variant == 0 || variant == i) && unit_fits(i, &any, p, &scratch) &&
            count(i, p) > most)
            most = count(i, p);
    return most;
}

static int unit_is_same_size(const unit_problem *p, const unit_problem *q)
{
    double a[UNIT_NUMBERS + 1], b[UNIT_NUMBERS + 1];
    unit_numbers(p, a);
    unit_numbers(q, b);
    for (int i = 0; i < (int)UNIT_NUMBERS; i++)
        if (a[i] < b[i] || a[i] > b[i])
            return 0;
    return 1;
}

/* log2(max(|x|, 1)), accurate to 1e-6. */
static double unit_log2(double x)
{
    double whole = 0, bit = 0.5;
    x = x < 0 ? -x : x;
    x = x < 1 ? 1 : x;
    for (; x >= 2; x /= 2)
        whole += 1;
    for (int i = 0; i < 20; i++, bit /= 2) {
        x *= x;
        if (x >= 2) {
            x /= 2;
            whole += bit;
        }
    }
    return whole;
}

/* The squared distance of two sizes in log2 of their numbers: 1 if one number is twice as
 * large, 4 if it is four times as large. */
static double unit_distance(const unit_problem *p, const unit_problem *q)
{
    double a[UNIT_NUMBERS + 1], b[UNIT_NUMBERS + 1], sum = 0;
    unit_numbers(p, a);
    unit_numbers(q, b);
    for (int i = 0; i < (int)UNIT_NUMBERS; i++) {
        const double ratio = unit_log2(a[i]) - unit_log2(b[i]);
        sum += ratio * ratio;
    }
    return sum;
}

/* Sizes further apart are not near: one number 16 times as large, or three 5 times. */
static const double unit_far = 16;

/* Predicted milliseconds of an entry's variant at a size; huge if not known. */
static double unit_expected(const unit_entry *e, const unit_problem *p)
{
    const unit_variant *v = &unit_variants[e->variant - 1];
    const double there = v->scale(p), here = v->scale(&e->size);
    return there > 0 && here > 0 ? e->ms * there / here : 1e300;
}

/* How an entry ranks: by rank, then arch, then distance. */
typedef struct unit_candidate {
    int rank; /* lower is better: the unit_match, raised if its size is far */
    unit_match match;
    int arch; /* for PTX: higher is better */
    double distance; /* of the sizes, or the predicted time; lower is better */
} unit_candidate;

static unit_match unit_match_of(
    const unit_entry *e, const unit_device *d, const unit_problem *p)
{
    const unit_variant *v = &unit_variants[e->variant - 1];
    if (strcmp(e->device, d->name) == 0)
        return unit_is_same_size(&e->size, p) ? UNIT_EXACT : UNIT_NEAREST_SIZE;
    return unit_runs_cubin(v->arch, v->specific, d) ? UNIT_SAME_ARCHITECTURE : UNIT_PTX;
}

/* False if the device cannot run the entry's code. */
static int unit_weigh(
    const unit_entry *e, const unit_device *d, const unit_problem *p, unit_candidate *c)
{
    const unit_variant *v = &unit_variants[e->variant - 1];
    if (!unit_runs_cubin(v->arch, v->specific, d) &&
        !unit_runs_ptx(v->arch, v->specific, d))
        return 0;
    c->match = unit_match_of(e, d, p);
    c->arch = c->match == UNIT_PTX ? e->arch : 0;
    c->distance = unit_distance(&e->size, p);
    c->rank = (int)c->match;
    if (v->scale != NULL && c->match != UNIT_PTX)
        c->distance = unit_expected(e, p);
    else if (c->distance > unit_far && e->is_default)
        c->rank = (int)(c->match = UNIT_DEFAULT);
    else if (c->distance > unit_far)
        c->rank += (int)UNIT_DEFAULT + 1;
    return 1;
}

static int unit_is_better(const unit_candidate *a, const unit_candidate *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (a->arch != b->arch)
        return a->arch > b->arch;
    return a->distance < b->distance;
}

/* Picks the best entry whose variant is valid for the size and runs on the device, except
 * variants that could not be loaded there (`broken`, may be NULL). */
static int unit_pick(const unit_device *d, const unsigned char *broken,
    const unit_problem *p, unit_choice *out)
{
    unit_candidate best = {0, UNIT_EXACT, 0, 0};
    const unit_entry *chosen = NULL;
    int runs = 0;
    size_t scratch, most = 0;
    for (int i = 0; i < UNIT_ENTRY_COUNT; i++) {
        const unit_entry *e = &unit_entries[i];
        const int is_broken = broken != NULL && broken[e->variant - 1];
        unit_candidate c;
        if (!unit_weigh(e, d, p, &c))
            continue;
        runs += !is_broken;
        if (!unit_fits(e->variant, d, p, &scratch))
            continue;
        most = scratch > most ? scratch : most;
        if (!is_broken && (chosen == NULL || unit_is_better(&c, &best))) {
            best = c;
            chosen = e;
        }
    }
    memset(out, 0, sizeof *out);
    if (chosen == NULL)
        return runs ? UNIT_SIZE : UNIT_NO_CODE;
    out->entry = (int)(chosen - unit_entries) + 1;
    out->variant = chosen->variant;
    out->match = best.match;
    out->parameters = unit_variants[chosen->variant - 1].parameters;
    out->tuned_for = chosen->tuned_for;
    out->scratch_bytes = most;
    return UNIT_OK;
}

int unit_choose_for(
    const char *device, int arch, const unit_problem *p, unit_choice *out)
{
    unit_device d = {device, arch, 49152};
    if (device == NULL || p == NULL || out == NULL)
        return UNIT_ARGUMENT;
    for (size_t i = 0; i < sizeof unit_shared / sizeof unit_shared[0]; i++)
        if (unit_shared[i][0] == arch)
            d.shared_bytes = unit_shared[i][1];
    return unit_pick(&d, NULL, p, out);
}
