// register.h's macros, which register host code; and the name that "using namespace cv" gives cv::cuda
#include <opencv2/cudafeatures2d.hpp>
namespace cuda = cv::cuda;
#define REGISTER_LABELING(x)
#define REGISTER_KERNELS(x, ...)
