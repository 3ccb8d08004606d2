/* libcu++ declares the rest; compiling its headers takes a second. */
#include <cuda/std/limits>
namespace std {
using cuda::std::numeric_limits;
}
