#include "nvml.h"

#include "metrics/base/clock.h"

#include <dlfcn.h>
#include <math.h>

/* The parts of the API used here, from its reference manual: not every set of CUDA headers has nvml.h. */
typedef struct NvmlDevice *NvmlHandle;
enum { NVML_OK = 0, NVML_INSUFFICIENT_SIZE = 7 };
enum { NVML_CLOCK_SM = 1 };        /* nvmlClockType_t */
enum { NVML_TEMPERATURE_GPU = 0 }; /* nvmlTemperatureSensors_t */
static const double milli = 1e-3;  /* NVML counts in milliwatts and millijoules */

/* nvmlClocksThrottleReasons, later called event reasons. */
static const struct {
    unsigned long long bit;
    ThrottleReason reason;
} REASONS[] = {
    {0x02, THROTTLE_SETTING},  /* applications' clock setting */
    {0x04, THROTTLE_POWER},    /* software power cap */
    {0x08, THROTTLE_HARDWARE}, /* hardware slowdown */
    {0x20, THROTTLE_HEAT},     /* software thermal slowdown */
    {0x40, THROTTLE_HEAT},     /* hardware thermal slowdown */
    {0x80, THROTTLE_HARDWARE}, /* power brake: the server's supply */
};

struct Nvml {
    NvmlHandle device;
    int (*clock)(NvmlHandle, int, unsigned *);
    int (*power)(NvmlHandle, unsigned *);
    int (*power_limit)(NvmlHandle, unsigned *);
    int (*temperature)(NvmlHandle, int, unsigned *);
    int (*energy)(NvmlHandle, unsigned long long *);
    int (*reasons)(NvmlHandle, unsigned long long *);
    int (*processes)(NvmlHandle, unsigned *, void *);
    double next_sample, next_count; /* earliest times */
    GpuHealth health;
};

static const double sample_every_s = 0.1, count_every_s = 2;

/* A function by its new or, if given, its old name. */
static void *find(void *library, const char *newer, const char *older)
{
    void *f = dlsym(library, newer);
    return f || !older ? f : dlsym(library, older);
}

/* dlsym returns an object pointer, which POSIX lets one store as a function pointer. */
static void find_functions(Nvml *n, void *library)
{
    *(void **)&n->clock = find(library, "nvmlDeviceGetClockInfo", NULL);
    *(void **)&n->power = find(library, "nvmlDeviceGetPowerUsage", NULL);
    *(void **)&n->power_limit = find(library, "nvmlDeviceGetEnforcedPowerLimit", NULL);
    *(void **)&n->temperature = find(library, "nvmlDeviceGetTemperature", NULL);
    *(void **)&n->energy = find(library, "nvmlDeviceGetTotalEnergyConsumption", NULL);
    *(void **)&n->reasons = find(library, "nvmlDeviceGetCurrentClocksEventReasons",
                                 "nvmlDeviceGetCurrentClocksThrottleReasons");
    *(void **)&n->processes = find(library, "nvmlDeviceGetComputeRunningProcesses_v3",
                                   "nvmlDeviceGetComputeRunningProcesses_v2");
}

Nvml *nvml_open(Arena *a, const char *uuid)
{
    int (*start)(void);
    int (*by_uuid)(const char *, NvmlHandle *);
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return NULL;
    *(void **)&start = find(library, "nvmlInit_v2", NULL);
    *(void **)&by_uuid = find(library, "nvmlDeviceGetHandleByUUID", NULL);
    Nvml *n = ARENA_NEW(a, Nvml);
    find_functions(n, library);
    bool found =
        start && by_uuid && n->clock && start() == NVML_OK && by_uuid(uuid, &n->device) == NVML_OK;
    return found ? n : NULL;
}

static double ask(int (*question)(NvmlHandle, unsigned *), NvmlHandle device)
{
    unsigned value = 0;
    return question && question(device, &value) == NVML_OK ? (double)value : 0;
}

static double ask_of(int (*question)(NvmlHandle, int, unsigned *), NvmlHandle device, int of)
{
    unsigned value = 0;
    return question && question(device, of, &value) == NVML_OK ? (double)value : 0;
}

static unsigned throttle_now(Nvml *n)
{
    unsigned long long bits = 0;
    unsigned throttle = 0;
    if (!n->reasons || n->reasons(n->device, &bits) != NVML_OK)
        return 0;
    for (size_t i = 0; i < COUNT_OF(REASONS); i++)
        throttle |= bits & REASONS[i].bit ? (unsigned)REASONS[i].reason : 0;
    return throttle;
}

/* Without room for the list, NVML returns its length.  This process is in it, if processes are visible. */
static int others_now(Nvml *n)
{
    unsigned count = 0;
    int answer = n->processes ? n->processes(n->device, &count, NULL) : -1;
    if (answer != NVML_OK && answer != NVML_INSUFFICIENT_SIZE)
        return 0;
    return count > 0 ? (int)count - 1 : 0;
}

void nvml_sample(Nvml *n)
{
    double now = clock_seconds();
    if (!n || now < n->next_sample)
        return;
    GpuHealth *h = &n->health;
    n->next_sample = now + sample_every_s;
    h->clock_mhz = ask_of(n->clock, n->device, NVML_CLOCK_SM);
    h->power_w = milli * ask(n->power, n->device);
    h->power_limit_w = milli * ask(n->power_limit, n->device);
    h->temperature_c = ask_of(n->temperature, n->device, NVML_TEMPERATURE_GPU);
    h->throttle = throttle_now(n);
    h->known = h->clock_mhz > 0;
    if (now < n->next_count)
        return;
    n->next_count = now + count_every_s;
    h->others = others_now(n);
}

GpuHealth nvml_health(const Nvml *n)
{
    return n ? n->health : (GpuHealth){0};
}

double nvml_joules(const Nvml *n)
{
    unsigned long long millijoules = 0;
    bool known = n && n->energy && n->energy(n->device, &millijoules) == NVML_OK;
    return known ? milli * (double)millijoules : NAN;
}
