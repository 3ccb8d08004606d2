/* Included by nvcc in every source. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <aptune/host.h>

/* As in glibc's and OpenCV's headers. */
typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
#define __extension__ /* a keyword of gcc's headers */
APTUNE_FUNCTION(const char *, cudaGetErrorString)
APTUNE_FUNCTION(const char *, cudaGetErrorName)
