/* What the files of bench share with each other and with nobody else. */
#ifndef APTUNE_COMMAND_BENCH_PARTS_H
#define APTUNE_COMMAND_BENCH_PARTS_H

#include "tuner/command/bench.h"
#include "tuner/run/run_parts.h"

/* An entry that nothing is known of yet; `rival` NULL: the kernel. */
BenchEntry bench_entry(const Rival *rival, const char *title);

/* --- bench_emitted.c --- */

/* The configuration that a manifest has for the run's problem and device, or the one of its
 * variants that `config` names.  SIZE_MAX after a message. */
size_t bench_emitted_config(Run *r, const char *manifest, const char *config, const char **origin);

/* The launches of configuration `i` with the cubins that lie beside the manifest. */
bool bench_emitted_code(Run *r, const char *manifest, size_t i, TaskRun *out);

/* The other variants that serve the run's problem, as entries behind the kernel's.  False after a
 * message. */
bool bench_emitted_variants(Run *r, const char *manifest, Bench *b);

#endif
