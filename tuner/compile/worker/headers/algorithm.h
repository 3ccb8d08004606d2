#ifndef APTUNE_ALGORITHM
#define APTUNE_ALGORITHM
extern "C++" {
namespace std {
template <class __T> __device__ constexpr const __T &min(const __T &a, const __T &b) {
    return b < a ? b : a;
}
template <class __T> __device__ constexpr const __T &max(const __T &a, const __T &b) {
    return a < b ? b : a;
}
template <class __T> __device__ constexpr void swap(__T &a, __T &b) {
    __T c = a;
    a = b;
    b = c;
}
}
}
#endif
