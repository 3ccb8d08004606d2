/* Base classes of host code. */
#ifndef APTUNE_STDEXCEPT
#define APTUNE_STDEXCEPT
namespace std {
struct exception {};
struct logic_error : exception {
    template <class __T> logic_error(const __T &) {}
};
struct runtime_error : exception {
    template <class __T> runtime_error(const __T &) {}
};
struct invalid_argument : logic_error {
    using logic_error::logic_error;
};
struct out_of_range : logic_error {
    using logic_error::logic_error;
};
}
#endif
