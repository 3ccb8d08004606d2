// A stand-in of our own for Random123's array.h, of whose functions for hosts (operator<<) aptune's reading keeps one half.
#ifndef _r123array_dot_h__
#define _r123array_dot_h__
#include "features/compilerfeatures.h"
#define ARRAY(N, W) struct r123array##N##x##W { typedef uint##W##_t value_type; enum { static_size = N }; uint##W##_t v[N]; };
ARRAY(1, 32) ARRAY(2, 32) ARRAY(4, 32) ARRAY(8, 32) ARRAY(1, 64) ARRAY(2, 64) ARRAY(4, 64) ARRAY(16, 8)
#define R123_W(a)   (8*sizeof(((a *)0)->v[0]))
#endif
