/* What bench found, for a person and for a program. */
#ifndef APTUNE_COMMAND_BENCH_PRINT_H
#define APTUNE_COMMAND_BENCH_PRINT_H

#include "tuner/command/bench.h"

/* A table of times and rates, and a line for each rival: "97.4 % (97.1 to 97.8) of cuBLAS SGEMM".
 */
void bench_print(const Run *r, const Bench *b, Buf *out);

/* One JSON object. */
void bench_print_json(const Run *r, const Bench *b, Buf *out);

#endif
