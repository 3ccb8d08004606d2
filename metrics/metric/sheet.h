/* Device files: what is known of a GPU, one number a line, each with its unit and where it is from.
 *
 *     device "NVIDIA H200" 9.0
 *     names "h200"
 *     clock       = 1980 MHz               measured "under load" "2026-11-20"
 *     latency_l2  = 281 +- 2 cycles        measured "pointer chase over 4 MB" "2026-11-20"
 *     bandwidth   = 4800 GB/s              published "NVIDIA data sheet, H200"
 *     latency_sfu = 20 cycles              estimated "between 18 and 24, published for 8.0 to 12.0"
 *
 * `capability 9.0` begins the numbers that every GPU of it has; a device has those, unless it says
 * otherwise.  `platform "Radeon HD 5850"` begins figures to compare with, of which nothing is tuned.  Files are read with the lexer of specs (tuner/base/lex.h). metrics/device/README.md
 * describes them to users. */
#ifndef APTUNE_METRIC_SHEET_H
#define APTUNE_METRIC_SHEET_H

#include "metrics/metric/rates.h"
#include "tuner/base/diag.h"

/* A number as it is written. */
typedef struct DeviceNumber {
    const char *text;   /* "281 +- 2 cycles"; NULL: not known */
    const char *origin; /* "published", "measured" or "estimated" */
    const char *source; /* which document; how; out of what */
    const char *date;   /* "2026-11-20"; NULL: not known */
} DeviceNumber;

enum {
#define PLATFORM(name, quantity, meaning) SHEET_##name,
#include "metrics/metric/platform.def"
#undef PLATFORM
    SHEET_PLATFORM, /* how many numbers platform.def lists */
    SHEET_NUMBERS = 42 + SHEET_PLATFORM,
    SHEET_NAMES = 8
};

typedef struct DeviceSheet {
    Device device; /* its `sheet` is this one */
    Rates rates;
    Latencies latencies;
    Platform platform;
    double base_clock_hz; /* these three are told, not reckoned with */
    double memory_bytes;
    double power_w;
    const char *names[SHEET_NAMES]; /* letters and digits of all its names, small; NULL: no more */
    DeviceNumber numbers[SHEET_NUMBERS];
} DeviceSheet;

/* All that one or more files hold. */
typedef struct DeviceSheets {
    Arena *arena; /* where everything lives */
    struct {
        DeviceSheet **at;
        size_t count;
        size_t capacity;
    } capabilities, devices, platforms;
    const struct DeviceSheets *shipped; /* where capabilities are looked for, too; NULL: nowhere */
} DeviceSheets;

/* Adds what a device file holds; false after messages. */
bool sheets_read(const Source *s, DeviceSheets *out, Diag *d);

/* The only device of a user's file, with what the shipped files say of its capability.  NULL with a
 * message. */
const Device *device_file_read(Arena *a, const char *path, Diag *d);

/* The device as a device file, complete, every number with its origin.  For a device with a sheet.
 */
void sheet_write(const Device *d, Buf *out);

/* The numbers there are: their name in device files.  NULL past the last. */
const char *sheet_number_name(size_t i);

/* Which number has the name; SHEET_NUMBERS: none. */
size_t sheet_number_named(const char *name);

/* Its value as formulas have it (seconds, bytes, Hz); NaN: not known. */
double sheet_number(const DeviceSheet *s, size_t i);

/* Puts a number and its standard error (0: not known), both as formulas have them; texts of `from`
 * but its own must live as long as the sheet. */
void sheet_set(Arena *a, DeviceSheet *s, size_t i, double value, double error, DeviceNumber from);

/* A shipped device or platform by name; NULL: unknown.  A platform is only compared: of some that
 * are no longer to be had a few numbers were printed, and nothing else is known. */
const DeviceSheet *sheet_find(const char *name);

/* Shipped platform `i`; NULL past the end. */
const DeviceSheet *sheet_platform_at(size_t i);

/* The letters and digits of `text`, small, without the maker's name: "NVIDIA GeForce RTX 5090" is
 * an "rtx5090" to most people.  NULL when there are too many to be a GPU's name. */
const char *sheet_simple_name(const char *text, size_t length, char room[64]);

#endif
