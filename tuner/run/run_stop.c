/* Stopping between two steps, so that what was done is kept.
 *
 * Whoever wants the run to end makes a descriptor readable (the command line: on Ctrl-C).  Every
 * wait of the long stages watches it along with compilers and GPUs. */
#include "tuner/run/run_parts.h"

#include <poll.h>

bool run_stopped(Run *r)
{
    struct pollfd p = {.fd = r->stop_fd, .events = POLLIN};
    if (!r->stopped && r->stop_fd > 0 && poll(&p, 1, 0) > 0)
        r->stopped = true;
    return r->stopped;
}

void run_wait(const Run *r, struct pollfd *fds, size_t count, int timeout_ms)
{
    fds[count] = (struct pollfd){.fd = r->stop_fd > 0 ? r->stop_fd : -1, .events = POLLIN};
    poll(fds, (nfds_t)count + 1, timeout_ms);
}

bool run_gpus_settle(Run *r, Gpu *const *gpus, size_t count)
{
    return gpu_settle(gpus, count, r->stop_fd > 0 ? r->stop_fd : -1) || !run_stopped(r);
}

static int patience_ms(const Gpu *g)
{
    double seconds = gpu_patience(g);
    return seconds < 0 ? -1 : seconds < 1e6 ? (int)(seconds * 1e3) + 1 : 1000000000;
}

bool run_gpu_next(Run *r, Gpu *g, Arena *a, TrialResult *out)
{
    while (!run_stopped(r)) {
        if (gpu_next(g, a, out, 0) == GPU_RESULT)
            return true;
        struct pollfd fds[2] = {{.fd = gpu_fd(g), .events = POLLIN}};
        run_wait(r, fds, 1, patience_ms(g));
    }
    return false;
}

bool run_farm_next(Run *r, Farm *f, Arena *a, CompileResult *out)
{
    Arena *scratch = arena_new();
    size_t room = farm_fd_limit(f);
    struct pollfd *fds = ARENA_ARRAY(scratch, struct pollfd, room + 1);
    bool taken = false;
    while (!run_stopped(r) && !(taken = farm_take(f, a, out))) {
        if (farm_pending(f) == 0 || !farm_service(f, r->diag))
            break;
        int timeout_ms = -1;
        size_t count = farm_poll_fds(f, fds, room, &timeout_ms);
        run_wait(r, fds, count, timeout_ms);
    }
    arena_free(scratch);
    return taken;
}
