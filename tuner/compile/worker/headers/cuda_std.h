/* A header that libcu++ has under the same name. */
#include <cuda/std/HEADER_NAME>
namespace std {
using namespace cuda::std;
}
