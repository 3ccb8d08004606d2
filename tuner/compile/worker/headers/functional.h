#ifndef APTUNE_FUNCTIONAL
#define APTUNE_FUNCTIONAL
#include <cuda/std/functional>
#include <aptune/host.h>
namespace std {
using namespace cuda::std;
APTUNE_CLASS(function)
}
#endif
