#ifndef APTUNE_STDLIB
#define APTUNE_STDLIB
#include <stddef.h>
#include <aptune/host.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX     2147483647
__device__ inline void exit(int) { __trap(); }
__device__ inline void abort() { __trap(); }
__device__ inline void srand(unsigned) {}
APTUNE_FUNCTION(int, rand)
APTUNE_FUNCTION(int, atoi)
APTUNE_FUNCTION(double, atof)
APTUNE_FUNCTION(char *, getenv)
#endif
