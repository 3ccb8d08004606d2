#ifndef APTUNE_RANDOM
#define APTUNE_RANDOM
#include <aptune/host.h>
namespace std {
APTUNE_CLASS(uniform_real_distribution)
APTUNE_CLASS(uniform_int_distribution)
APTUNE_CLASS(normal_distribution)
APTUNE_CLASS(__engine)
typedef __engine<char> mt19937, mt19937_64, random_device, default_random_engine;
}
#endif
