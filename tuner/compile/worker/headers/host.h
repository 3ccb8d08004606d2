/* What stands for functions and classes of host libraries. */
#ifndef APTUNE_HOST
#define APTUNE_HOST

/* Does nothing. Host code in headers names it; the device has its own printf, malloc and assert. */
#define APTUNE_FUNCTION(type, name)                                                                \
    extern "C++" {                                                                                 \
    template <class... __T> __device__ inline type name(__T...) { return 0; }                      \
    }

/* Constructible from anything, and empty. Structs and declarations beside a kernel name it. */
#define APTUNE_CLASS(name)                                                                         \
    template <class...> struct name {                                                              \
        struct iterator {};                                                                        \
        struct const_iterator {};                                                                  \
        typedef unsigned long size_type;                                                           \
        name() = default;                                                                          \
        template <class... __A> name(__A &&...) {}                                                 \
    };

#endif
