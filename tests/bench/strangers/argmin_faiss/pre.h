#include <stdint.h>
namespace faiss { using idx_t = int64_t; }      // of faiss/MetricType.h
