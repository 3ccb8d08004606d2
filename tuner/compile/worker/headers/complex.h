/* Thrust's own header contains host output. CUB's headers declare a thrust::cuda. */
#include <cuda/std/complex>
namespace thrust {
/* clang-format off */
using ::cuda::std::complex; using ::cuda::std::abs; using ::cuda::std::arg; using ::cuda::std::conj;
using ::cuda::std::exp; using ::cuda::std::log; using ::cuda::std::norm; using ::cuda::std::polar;
using ::cuda::std::pow; using ::cuda::std::proj; using ::cuda::std::sqrt; using ::cuda::std::sin;
using ::cuda::std::cos; using ::cuda::std::tan; using ::cuda::std::sinh; using ::cuda::std::cosh;
/* clang-format on */
}
