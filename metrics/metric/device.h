/* The devices that are known: one of the shipped device files, which lie beside this and are part of
 * the program (every compute capability CUDA 13 compiles for, and the GeForce 8800 GTX of Ryoo's
 * thesis); one of a user's file; or one that the measuring process has filled in from the driver. */
#pragma once

#include "metrics/base/json_struct.h"
#include "metrics/metric/sheet.h"

/* The shipped files, as embed_files (CMakeLists.txt) makes them part of the program: it knows its
 * devices where it was moved to, and so do its helpers and programs that the library is linked to. */
extern const Source device_files[];
extern const size_t device_file_count;

/* On its way to another process: with the sheet's rates and latencies, and nothing else of it. */
extern const JsonStruct DEVICE_JSON;

/* A shipped device by name as a user or the driver writes it; case, spaces and punctuation do not
 * count: "h200", "NVIDIA H200", "8800gtx".  A compute capability ("sm_90", "compute_90a", "9.0",
 * "90") gives the first GPU in the file of that capability; for 9.0 that is the H200.  NULL when
 * unknown. The result is constant. */
const Device *device_find(const char *name);

/* The shipped device of that name when its capability (90) agrees, else the first of the
 * capability; NULL when there is none.  `name` may be NULL. */
const Device *device_like(const char *name, int arch);

/* Is the name a compute capability and not a GPU's? */
bool device_is_capability(const char *name);

/* Shipped device `i`, by capability, then as its file lists them; NULL past the end. */
const Device *device_at(size_t i);

/* The only device of a user's file, with what the shipped files say of its capability.  NULL with a
 * message. */
const Device *device_file_read(Arena *a, const char *path, Diag *d);

/* A shipped device or platform by name; NULL: unknown.  A platform is only compared: of some that
 * are no longer to be had a few numbers were printed, and nothing else is known. */
const DeviceSheet *sheet_find(const char *name);

/* Of the device's sheet; without one, of the shipped sheet that device_like finds.  NULL when that
 * has none. */
const DeviceRates *device_rates(const Device *d);
const DeviceLatencies *device_latencies(const Device *d);
const DevicePlatform *device_platform(const Device *d);

/* Peak of fp32 fused multiply-adds, in FLOP per second. */
double device_peak_flops(const Device *d);
