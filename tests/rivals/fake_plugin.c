/* A rival's plugin for tests: works on the host, refuses the call "refused", fails when "broken"
 * runs, and gives no way to run when asked for "idle". */
#include "tuner/gpu/rival.h"

#include <stdio.h>
#include <string.h>

/* Adds the number to every element. */
static int add(AptuneRival *r)
{
    const AptuneRivalCall *call = r->state;
    float *to = call->arguments[0].buffer;
    for (long long i = 0; i < call->arguments[0].count; i++)
        to[i] += (float)call->arguments[1].real;
    return 0;
}

static int break_down(AptuneRival *r)
{
    strcpy(r->error, "broken on purpose");
    return 1;
}

int aptune_rival(const AptuneRivalCall *call, AptuneRival *r)
{
    if (call->version != APTUNE_RIVAL_VERSION || strcmp(call->name, "refused") == 0) {
        strcpy(r->error, "refused on purpose");
        return 1;
    }
    static AptuneRivalCall kept;
    kept = *call;
    r->state = &kept;
    if (strcmp(call->name, "idle") != 0)
        r->run = strcmp(call->name, "broken") == 0 ? break_down : add;
    snprintf(r->title, sizeof r->title, "fake %s of %d", call->name, call->argument_count);
    snprintf(r->details, sizeof r->details, "%s: %lld of %s", call->arguments[0].name,
             call->arguments[0].count, call->arguments[0].type);
    return 0;
}
