/* --- a variant at a size ------------------------------------------------------ */

/* One pass over the launches of a variant for a size, either to check that all are possible
 * or to launch them. */
typedef struct unit_walk {
    const unit_device *device;
    const unit_kernel *kernel; /* NULL: check only; no pointer is used */
    int variant; /* from 1 */
    void *stream;
    int status; /* UNIT_OK until something fails */
    size_t scratch_bytes;
} unit_walk;

/* A configuration as it was compiled. */
typedef struct unit_variant {
    int arch, specific; /* as in its images */
    const char *parameters;
    int (*serves)(const unit_problem *p); /* its code and the spec allow the size */
    int (*walk)(unit_walk *w, const unit_problem *p, const unit_arguments *a);
    double (*scale)(const unit_problem *p); /* proportional to its time; or NULL */
} unit_variant;

/* A tuning result: the best variant for a size on a device. */
typedef struct unit_entry {
    unit_problem size;
    int variant; /* from 1 */
    int arch; /* of the device */
    int is_default;
    double ms; /* measured there */
    const char *device, *tuned_for;
} unit_entry;

static int unit_is_between(long long value, long long least, long long most)
{
    return value >= least && value <= most;
}

/* True if a buffer may have this many elements of `size` bytes. */
static int unit_is_count(long long count, long long size)
{
    return count >= 1 && count <= (1LL << 48) / size;
}

/* True if CUDA accepts the launch.  The limits hold for every compute capability that CUDA
 * 13 compiles for: CUDA Programming Guide, "Compute Capabilities". */
static int unit_is_launchable(const unit_shape *s, const unit_device *d)
{
    const long long *const g = s->grid, *const b = s->block;
    return unit_is_between(g[0], 1, 2147483647) && unit_is_between(g[1], 1, 65535) &&
           unit_is_between(g[2], 1, 65535) && unit_is_between(b[0], 1, 1024) &&
           unit_is_between(b[1], 1, 1024) && unit_is_between(b[2], 1, 64) &&
           b[0] * b[1] * b[2] <= 1024 && unit_is_between(s->shared, 0, d->shared_bytes);
}

static void unit_check_pointer(unit_walk *w, const void *at, size_t alignment)
{
    if (w->kernel != NULL && (at == NULL || (uintptr_t)at % alignment != 0))
        w->status = UNIT_ARGUMENT;
}

/* Allots a buffer in the scratch memory. */
static void *unit_scratch(unit_walk *w, void *scratch, long long bytes)
{
    const size_t before = w->scratch_bytes;
    w->scratch_bytes += ((size_t)bytes + 255) / 256 * 256;
    unit_check_pointer(w, scratch, 256);
    return w->kernel != NULL && w->status == UNIT_OK ? (char *)scratch + before : NULL;
}

static void unit_set_to_zero(unit_walk *w, void *buffer, long long bytes)
{
    if (w->kernel != NULL && w->status == UNIT_OK)
        w->status = unit_clear(buffer, bytes, w->stream);
}

static void unit_set_variable(
    unit_walk *w, const char *name, const void *from, long long bytes)
{
    if (w->kernel != NULL && w->status == UNIT_OK)
        w->status = unit_copy(w->kernel, w->variant, name, from, bytes, w->stream);
}

/* Launches a function `times` times, at least 0.  False after a failure. */
static int unit_start(
    unit_walk *w, int function, long long times, const unit_shape *s, void **list)
{
    if (w->status == UNIT_OK && (times < 0 || (times > 0 && !unit_is_launchable(s, w->device))))
        w->status = UNIT_SIZE;
    for (; w->kernel != NULL && w->status == UNIT_OK && times > 0; times--)
        w->status = unit_launch_function(w->kernel, function, s, list, w->stream);
    return w->status == UNIT_OK;
}
