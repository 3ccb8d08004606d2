/* A sample of what is generated for a unit: one variant of one launch, y[i] *= alpha. */

/* The numbers of a size as doubles, and their ranges. */
enum { UNIT_NUMBERS = 2 };
static const double unit_ranges[][2] = {{0, 2147483647}, {-1e30, 1e30}, {0, 0}};

static void unit_numbers(const unit_problem *p, double *numbers)
{
    numbers[0] = (double)p->N;
    numbers[1] = p->tolerance;
}

/* The conditions that a size has to meet for every variant. */
static int unit_is_sound(const unit_problem *p)
{
    int ok = 1;
    if (unit_multiply(&ok, p->N, p->N) > 1099511627776)
        return 0; /* require N * N <= 2 ** 40 */
    if (!unit_is_count(p->N, 4))
        return 0; /* y */
    return ok;
}

/* --- variant 1: BLOCK=128 ----------------------------------------------------- */

static int unit_serves_1(const unit_problem *p)
{
    if (p->N % 128 != 0)
        return 0; /* require N % BLOCK == 0 */
    return 1;
}

static int unit_walk_1(unit_walk *w, const unit_problem *p, const unit_arguments *a)
{
    unit_check_pointer(w, a->y, 16);
    void *sums = unit_scratch(w, a->scratch, p->N / 128 * 4);
    unit_set_to_zero(w, sums, p->N / 128 * 4);
    unit_set_variable(w, "table", a->table, 256);
    if (!unit_is_between(p->N, -2147483647 - 1, 2147483647))
        return 0; /* n */
    int n = (int)p->N;
    int steps = 0;
    for (long long step = 1; step < p->N / 128; step++) {
        /* kernel */
        const unit_shape s = {{(p->N + 127) / 128, 1, 1}, {128, 1, 1}, 0, 0};
        int half = (int)step;
        void *list[] = {(void *)&a->y, (void *)&a->alpha, &sums, &n, &half};
        if (steps++ == 65536 || !unit_start(w, 0, 1, &s, list))
            return 0;
    }
    return steps >= 1;
}

static double unit_scale_1(const unit_problem *p)
{
    return (double)p->N;
}

static const unit_variant unit_variants[UNIT_VARIANT_COUNT] = {
    {90, 0, "BLOCK=128", unit_serves_1, unit_walk_1, unit_scale_1},
};

static const unit_entry unit_entries[UNIT_ENTRY_COUNT] = {
    {{4096, 0.5}, 1, 90, 1, 0.125, "NVIDIA H200", "N=4096 on NVIDIA H200"},
};

static const unit_arguments unit_defaults = {NULL, NULL, 1.5f, NULL};

/* Largest dynamic shared memory of a block, by compute capability. */
static const int unit_shared[][2] = {{80, 166912}, {90, 232448}};
