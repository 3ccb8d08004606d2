#include "metrics/metric/device.h"

#include "metrics/base/file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the shipped files ------------------------------------------------------------------------ */

/* Read once, then constant, never freed. */
static DeviceSheets shipped;

static void read_shipped(void)
{
    /* A longjmp out of here would leave pthread_once waiting forever. */
    jmp_buf *escape = memory_set_escape(NULL);
    shipped.arena = arena_new();
    Diag d = diag_new(shipped.arena);
    for (size_t i = 0; i < device_file_count; i++)
        sheets_read(&device_files[i], &shipped, &d);
    if (d.errors) { /* the tests read them all, so the build was tampered with */
        Buf out = {0};
        diag_print(&d, &out);
        fputs(buf_text(&out), stderr);
        abort();
    }
    memory_set_escape(escape);
}

static const DeviceSheets *get_shipped(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_shipped);
    return &shipped;
}

const Device *device_at(size_t i)
{
    const DeviceSheets *s = get_shipped();
    return i < s->devices.count ? &s->devices.at[i]->device : NULL;
}

/* --- by name ---------------------------------------------------------------------------------- */

/* The capability in "sm90", "compute90a" or "90": 10 * major + minor, 0 if it is none. */
static int arch_named(const char *name)
{
    if (strncmp(name, "sm", 2) == 0)
        name += 2;
    else if (strncmp(name, "compute", 7) == 0)
        name += 7;
    int arch = 0, read = 0;
    if (sscanf(name, "%3d%n", &arch, &read) != 1)
        return 0;
    /* a and f: targets with features of this capability or this family only */
    const char *rest = name + read;
    return strcmp(rest, "") == 0 || strcmp(rest, "a") == 0 || strcmp(rest, "f") == 0 ? arch : 0;
}

static const DeviceSheet *sheet_named(const SheetList *list, const char *simple)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t n = 0; n < SHEET_NAMES && list->at[i]->names[n]; n++)
            if (strcmp(simple, list->at[i]->names[n]) == 0)
                return list->at[i];
    return NULL;
}

static const Device *device_named(const char *simple)
{
    const DeviceSheet *s = sheet_named(&get_shipped()->devices, simple);
    return s ? &s->device : NULL;
}

static const Device *first_of(int arch)
{
    const Device *d = NULL;
    for (size_t i = 0; arch && (d = device_at(i)) && device_arch(d) != arch; i++)
        ;
    return d;
}

const Device *device_find(const char *name)
{
    char room[64];
    const char *simple = sheet_simple_name(name, strlen(name), room);
    if (!simple)
        return NULL;
    const Device *named = device_named(simple);
    return named ? named : first_of(arch_named(simple));
}

const Device *device_usual(void)
{
    return device_find("sm_90");
}

const DeviceSheet *sheet_find(const char *name)
{
    const Device *d = device_find(name);
    char room[64];
    const char *simple = sheet_simple_name(name, strlen(name), room);
    if (d || !simple)
        return d ? d->sheet : NULL;
    return sheet_named(&get_shipped()->platforms, simple);
}

bool device_is_capability(const char *name)
{
    char room[64];
    const char *simple = sheet_simple_name(name, strlen(name), room);
    return simple && !device_named(simple) && arch_named(simple);
}

const Device *device_like(const char *name, int arch)
{
    const Device *named = name ? device_find(name) : NULL;
    return named && device_arch(named) == arch ? named : first_of(arch);
}

/* --- a user's file ---------------------------------------------------------------------------- */

const Device *device_file_read(Arena *a, const char *path, Diag *d)
{
    const Source *s = source_read(a, path, d);
    DeviceSheets own = {.arena = a, .shipped = get_shipped()};
    if (!s || !sheets_read(s, &own, d))
        return NULL;
    if (own.devices.count != 1) {
        diag_fail(d, "'%s' describes %zu devices instead of one", path, own.devices.count);
        return NULL;
    }
    const Device *found = &own.devices.at[0]->device;
    if (found->sms == 0) {
        diag_fail(d, "'%s' lacks the number of multiprocessors: add a line sms = …", path);
        return NULL;
    }
    return found;
}

/* --- what it says ----------------------------------------------------------------------------- */

double device_peak_flops(const Device *d)
{
    return 2.0 * d->fp32_per_sm * d->sms * d->clock_hz;
}

static const DeviceSheet *sheet_of(const Device *d)
{
    const Device *shipped_one = d->sheet ? d : device_like(d->name, device_arch(d));
    return shipped_one ? shipped_one->sheet : NULL;
}

const DeviceRates *device_rates(const Device *d)
{
    const DeviceSheet *s = sheet_of(d);
    return s && s->rates.issue > 0 ? &s->rates : NULL;
}

const DeviceLatencies *device_latencies(const Device *d)
{
    const DeviceSheet *s = sheet_of(d);
    return s && s->latencies.alu > 0 ? &s->latencies : NULL;
}

const DevicePlatform *device_platform(const Device *d)
{
    const DeviceSheet *s = sheet_of(d);
    return s ? &s->platform : NULL;
}

/* --- as JSON ---------------------------------------------------------------------------------- */

JSON_TABLE(SHEET, DeviceSheet, JSON_FIELD_REALS(DeviceSheet, rates),
           JSON_FIELD_REALS(DeviceSheet, latencies), JSON_FIELD_REALS(DeviceSheet, platform));

static const JsonField DEVICE_FIELDS[] = {
    JSON_FIELD(Device, name),
    JSON_FIELD(Device, major),
    JSON_FIELD(Device, minor),
    JSON_FIELD_ROW(Device, block_limit),
    JSON_FIELD_ROW(Device, grid_limit),
#define DEVICE(type, member, name, quantity, flags, meaning) JSON_FIELD(Device, member),
#define DERIVED(type, member, meaning)                       JSON_FIELD(Device, member),
#include "metrics/metric/device.def"
    JSON_FIELD_POINTER(Device, sheet, SHEET),
};
const JsonStruct DEVICE_JSON = JSON_STRUCT(Device, DEVICE_FIELDS);
