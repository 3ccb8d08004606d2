/* --- the interface ------------------------------------------------------------ */

int unit_load(unit_kernel **out)
{
    if (out == NULL)
        return UNIT_ARGUMENT;
    *out = NULL;
    unit_last_error = 0;
    unit_kernel *k = unit_new();
    if (k == NULL)
        return unit_status_of(2); /* out of memory */
    const int status = unit_open(k);
    if (status == UNIT_OK)
        *out = k;
    else
        unit_delete(k);
    return status;
}

void unit_unload(unit_kernel *k)
{
    if (k != NULL)
        unit_delete(k);
}

int unit_choose(const unit_kernel *k, const unit_problem *p, unit_choice *out)
{
    unsigned char broken[UNIT_VARIANT_COUNT];
    if (k == NULL || p == NULL || out == NULL)
        return UNIT_ARGUMENT;
    unit_lock(k);
    memcpy(broken, k->state->is_broken, sizeof broken);
    unit_unlock(k);
    return unit_pick(&k->device, broken, p, out);
}

/* Loads a variant when it is first used.  UNIT_NO_CODE: it can never run here. */
static int unit_prepare(const unit_kernel *k, int variant)
{
    int error = 0;
    unit_lock(k);
    if (!k->state->is_loaded[variant - 1]) {
        error = unit_load_variant(k, variant);
        k->state->is_loaded[variant - 1] = error == 0;
        k->state->is_broken[variant - 1] = (unsigned char)unit_is_about_code(error);
    }
    unit_unlock(k);
    const int status = unit_status_of(error);
    return unit_is_about_code(error) ? UNIT_NO_CODE : status;
}

/* Loads the best variant that can be loaded, and launches it. */
static int unit_run(const unit_kernel *k, const unit_problem *p,
    const unit_arguments *a, void *stream, unit_choice *took)
{
    int status = UNIT_NO_CODE;
    unit_choice choice;
    unit_walk w;
    while (status == UNIT_NO_CODE) {
        status = unit_choose(k, p, &choice);
        if (status != UNIT_OK)
            return status;
        status = unit_prepare(k, choice.variant);
    }
    if (status != UNIT_OK)
        return status;
    if (took != NULL)
        *took = choice;
    memset(&w, 0, sizeof w);
    w.device = &k->device;
    w.kernel = k;
    w.variant = choice.variant;
    w.stream = stream;
    return unit_variants[choice.variant - 1].walk(&w, p, a) ? UNIT_OK
           : w.status != UNIT_OK                            ? w.status
                                                            : UNIT_SIZE;
}

int unit_launch(unit_kernel *k, const unit_problem *p, const unit_arguments *a,
    void *stream, unit_choice *took)
{
    int before;
    if (took != NULL)
        memset(took, 0, sizeof *took);
    if (k == NULL || p == NULL || a == NULL)
        return UNIT_ARGUMENT;
    int status = unit_status_of(unit_enter(k, &before));
    if (status != UNIT_OK)
        return status;
    status = unit_run(k, p, a, stream, took);
    unit_leave(k, before);
    return status;
}

size_t unit_scratch_bytes(const unit_kernel *k, const unit_problem *p)
{
    unit_choice choice;
    return unit_choose(k, p, &choice) == UNIT_OK ? choice.scratch_bytes : 0;
}

void unit_arguments_default(unit_arguments *a)
{
    *a = unit_defaults;
}

const char *unit_status_text(int status)
{
    switch (status) {
    case UNIT_OK:
        return "ok";
    case UNIT_NO_DRIVER:
        return "there is no CUDA driver, or no device that it can use";
    case UNIT_NO_CODE:
        return "none of the variants runs on this device";
    case UNIT_SIZE:
        return "none of the variants is valid for this size";
    case UNIT_ARGUMENT:
        return "an argument is missing, or a pointer is not aligned";
    case UNIT_CUDA:
        return "a CUDA function failed";
    default:
        return "unknown status";
    }
}

int unit_cuda_error(const unit_kernel *k)
{
    (void)k;
    return unit_last_error;
}

/*%% more */
static long long unit_count_y(int variant, const unit_problem *p)
{
    return variant == 1 ? p->N : 0;
}

long long unit_y_elements(int variant, const unit_problem *p)
{
    return unit_most_elements(variant, p, unit_count_y);
}

double unit_flop(const unit_problem *p)
{
    return unit_is_size(p) ? 2.0 * (double)p->N : 0;
}
/*%% */
