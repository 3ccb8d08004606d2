/* As in glibc, where 64 bits are a long; libcu++ says long long,
 * before CUDA 13 in places out of reach. */
#ifndef APTUNE_STDINT
#define APTUNE_STDINT
#include <limits.h>

#if __CUDACC_VER_MAJOR__ < 13
#define APTUNE_64 long long
#else
#define APTUNE_64 long
#endif

#define APTUNE_KIND(type, name)                                                                    \
    typedef type name##_t;                                                                         \
    namespace std {                                                                                \
    using ::name##_t;                                                                              \
    }
#define APTUNE_SIZED(size, type, fast)                                                             \
    APTUNE_KIND(signed type, int##size)                                                            \
    APTUNE_KIND(unsigned type, uint##size)                                                         \
    APTUNE_KIND(signed type, int_least##size)                                                      \
    APTUNE_KIND(unsigned type, uint_least##size)                                                   \
    APTUNE_KIND(signed fast, int_fast##size)                                                       \
    APTUNE_KIND(unsigned fast, uint_fast##size)
APTUNE_SIZED(8, char, char)
APTUNE_SIZED(16, short, APTUNE_64)
APTUNE_SIZED(32, int, APTUNE_64)
APTUNE_SIZED(64, APTUNE_64, APTUNE_64)
APTUNE_KIND(APTUNE_64, intptr)
APTUNE_KIND(unsigned APTUNE_64, uintptr)
APTUNE_KIND(APTUNE_64, intmax)
APTUNE_KIND(unsigned APTUNE_64, uintmax)

#define INT8_MIN     SCHAR_MIN
#define INT8_MAX     SCHAR_MAX
#define UINT8_MAX    UCHAR_MAX
#define INT8_C(X)    X
#define UINT8_C(X)   X##U
#define INT16_MIN    SHRT_MIN
#define INT16_MAX    SHRT_MAX
#define UINT16_MAX   USHRT_MAX
#define INT16_C(X)   X
#define UINT16_C(X)  X##U
#define INT32_MIN    INT_MIN
#define INT32_MAX    INT_MAX
#define UINT32_MAX   UINT_MAX
#define INT32_C(X)   X
#define UINT32_C(X)  X##U
#define INT64_MIN    LONG_MIN
#define INT64_MAX    LONG_MAX
#define UINT64_MAX   ULONG_MAX
#define INT64_C(X)   X##L
#define UINT64_C(X)  X##U##L
#define INTMAX_MIN   LONG_MIN
#define INTMAX_MAX   LONG_MAX
#define UINTMAX_MAX  ULONG_MAX
#define INTMAX_C(X)  X##L
#define UINTMAX_C(X) X##U##L
#define INTPTR_MIN   LONG_MIN
#define INTPTR_MAX   LONG_MAX
#define UINTPTR_MAX  ULONG_MAX
#define INTPTR_C(X)  X##L
#define UINTPTR_C(X) X##U##L
#define SIZE_MAX     UINT64_MAX

#define PRId32 "d"
#define PRIu32 "u"
#define PRIx32 "x"
#define PRId64 "ld"
#define PRIu64 "lu"
#define PRIx64 "lx"
#endif
