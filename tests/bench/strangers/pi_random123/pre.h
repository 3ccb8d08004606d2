// Of Random123's features/gccfeatures.h, which nvccfeatures.h includes where __GNUC__ is defined: not by NVRTC
#define R123_STATIC_INLINE static __inline__
#define R123_FORCE_INLINE(decl) decl __attribute__((always_inline))
#define R123_USE_PHILOX_64BIT 0
#define R123_USE_CXX11_TYPE_TRAITS 0
