/* Types as numbers; kernel_types.c specializes code. */
namespace aptune_types {
template <class T> struct code { static const int value = 0; };
template <class T, class = void> struct size { static const int value = 0; };
template <class T> struct size<T, decltype((void)sizeof(T))> {
    static const int value = sizeof(T) < 8388608 ? (int)sizeof(T) : 0;
};
template <class T> struct plain { typedef T type; };
template <class T> struct plain<const T> { typedef T type; };
template <class T> struct plain<volatile T> { typedef T type; };
template <class T> struct plain<const volatile T> { typedef T type; };
template <class T> struct number {
    static const int value = size<T>::value * 256 + code<typename plain<T>::type>::value * 2;
};
template <class T> struct number<T *> {
    static const int value = size<T>::value * 256 + code<typename plain<T>::type>::value * 2 + 1;
};
template <class T> struct number<T &> : number<T *> {};
template <class T, decltype(sizeof 0) n> struct number<T (*)[n]> : number<T *> {};
template <class F> struct list;
template <class... A> struct list<void (*)(A...)> {
    static constexpr __device__ int at(int i) {
        int all[] = {number<A>::value..., 0};
        return all[i];
    }
};
}
