/* Rivals from elsewhere: a shared object that knows tuner/gpu/rival.h. */
#include "rival.h"

#include <dlfcn.h>
#include <stdio.h>

/* The library stays open: what it started on the device may outlive the call. */
int rival_plugin(const char *path, const AptuneRivalCall *call, AptuneRival *out, bool *found)
{
    int (*open)(const AptuneRivalCall *, AptuneRival *);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *found = library != NULL;
    if (!library) {
        snprintf(out->error, sizeof out->error, "%s", dlerror());
        return 1;
    }
    /* dlsym gives an object pointer; POSIX lets it be stored as a function's. */
    *(void **)&open = dlsym(library, "aptune_rival");
    *found = open != NULL;
    if (!open) {
        snprintf(out->error, sizeof out->error, "'%s' is no rival: it has no aptune_rival", path);
        return 1;
    }
    return open(call, out);
}
