#include "metrics/base/waits.h"

#include <math.h>

Waits waits_new(double seconds)
{
    Waits w = {.arena = arena_new(), .timeout_ms = -1};
    waits_lower(&w, seconds);
    return w;
}

void waits_add(Waits *w, int fd, short events)
{
    VEC_PUSH(w->arena, &w->fds, ((struct pollfd){.fd = fd, .events = events}));
}

void waits_lower(Waits *w, double seconds)
{
    static const double day_s = 86400;
    if (seconds < 0)
        return;
    int ms = (int)ceil(fmin(seconds, day_s) * 1e3);
    if (w->timeout_ms < 0 || ms < w->timeout_ms)
        w->timeout_ms = ms;
}

void waits_end(Waits *w)
{
    poll(w->fds.at, (nfds_t)w->fds.count, w->timeout_ms);
    arena_free(w->arena);
}
