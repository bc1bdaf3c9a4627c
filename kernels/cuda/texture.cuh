// SPDX-License-Identifier: Apache-2.0
// texture: what objects of textures and surfaces give, by PTX: they are CUDA's, on a GPU only.
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

// ---- textures: four channels of float, int or unsigned ----

#define __TERN_TEX(C, OUT, KIND)                                                                   \
    __device__ inline void __tern_fetch(C *v, cudaTextureObject_t t, int x) {                      \
        asm volatile("tex.1d.v4." KIND ".s32 {%0, %1, %2, %3}, [%4, {%5}];"                        \
                     : OUT(v[0]), OUT(v[1]), OUT(v[2]), OUT(v[3]) : "l"(t), "r"(x));               \
    }                                                                                              \
    __device__ inline void __tern_tex1(C *v, cudaTextureObject_t t, float x) {                     \
        asm volatile("tex.1d.v4." KIND ".f32 {%0, %1, %2, %3}, [%4, {%5}];"                        \
                     : OUT(v[0]), OUT(v[1]), OUT(v[2]), OUT(v[3]) : "l"(t), "f"(x));               \
    }                                                                                              \
    __device__ inline void __tern_tex2(C *v, cudaTextureObject_t t, float x, float y) {            \
        asm volatile("tex.2d.v4." KIND ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                    \
                     : OUT(v[0]), OUT(v[1]), OUT(v[2]), OUT(v[3]) : "l"(t), "f"(x), "f"(y));       \
    }                                                                                              \
    __device__ inline void __tern_tex3(C *v, cudaTextureObject_t t, float x, float y, float z) {   \
        asm volatile("tex.3d.v4." KIND ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"            \
                     : OUT(v[0]), OUT(v[1]), OUT(v[2]), OUT(v[3])                                  \
                     : "l"(t), "f"(x), "f"(y), "f"(z));                                            \
    }                                                                                              \
    __device__ inline void __tern_cube(C *v, cudaTextureObject_t t, float x, float y, float z) {   \
        asm volatile("tex.cube.v4." KIND ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"          \
                     : OUT(v[0]), OUT(v[1]), OUT(v[2]), OUT(v[3])                                  \
                     : "l"(t), "f"(x), "f"(y), "f"(z));                                            \
    }                                                                                              \
    __device__ inline void __tern_layer1(C *v, cudaTextureObject_t t, float x, int layer) {        \
        asm volatile("tex.a1d.v4." KIND ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                   \
                     : OUT(v[0]), OUT(v[1]), OUT(v[2]), OUT(v[3]) : "l"(t), "r"(layer), "f"(x));   \
    }                                                                                              \
    __device__ inline void __tern_layer2(C *v, cudaTextureObject_t t, float x, float y,            \
                                         int layer) {                                              \
        asm volatile("tex.a2d.v4." KIND ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"           \
                     : OUT(v[0]), OUT(v[1]), OUT(v[2]), OUT(v[3])                                  \
                     : "l"(t), "r"(layer), "f"(x), "f"(y));                                        \
    }                                                                                              \
    __device__ inline void __tern_lod2(C *v, cudaTextureObject_t t, float x, float y, float lod) { \
        asm volatile("tex.level.2d.v4." KIND ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;"          \
                     : OUT(v[0]), OUT(v[1]), OUT(v[2]), OUT(v[3])                                  \
                     : "l"(t), "f"(x), "f"(y), "f"(lod));                                          \
    }
__TERN_TEX(float, "=f", "f32")
__TERN_TEX(int, "=r", "s32")
__TERN_TEX(unsigned, "=r", "u32")
#undef __TERN_TEX

template <typename T> struct __tern_texel {};
#define __TERN_TEXEL(T, C)                                                                         \
    template <> struct __tern_texel<T> {                                                           \
        typedef C channel;                                                                         \
        static __device__ T of(const C *v) { return (T)v[0]; }                                     \
    };
#define __TERN_TEXELS(T, E, C)                                                                     \
    __TERN_TEXEL(E, C)                                                                             \
    template <> struct __tern_texel<T##1> {                                                        \
        typedef C channel;                                                                         \
        static __device__ T##1 of(const C *v) { return make_##T##1((E)v[0]); }                     \
    };                                                                                             \
    template <> struct __tern_texel<T##2> {                                                        \
        typedef C channel;                                                                         \
        static __device__ T##2 of(const C *v) { return make_##T##2((E)v[0], (E)v[1]); }            \
    };                                                                                             \
    template <> struct __tern_texel<T##4> {                                                        \
        typedef C channel;                                                                         \
        static __device__ T##4 of(const C *v) {                                                    \
            return make_##T##4((E)v[0], (E)v[1], (E)v[2], (E)v[3]);                                \
        }                                                                                          \
    };
__TERN_TEXELS(float, float, float)
__TERN_TEXELS(int, int, int)
__TERN_TEXELS(uint, unsigned, unsigned)
__TERN_TEXELS(short, short, int)
__TERN_TEXELS(ushort, unsigned short, unsigned)
__TERN_TEXELS(char, signed char, int)
__TERN_TEXELS(uchar, unsigned char, unsigned)
__TERN_TEXEL(char, int)
#undef __TERN_TEXELS
#undef __TERN_TEXEL

#define __TERN_READ(CALL)                                                                          \
    typename __tern_texel<T>::channel v[4];                                                        \
    CALL;                                                                                          \
    return __tern_texel<T>::of(v);
template <typename T> __device__ T tex1Dfetch(cudaTextureObject_t t, int x) {
    __TERN_READ(__tern_fetch(v, t, x))
}
template <typename T> __device__ T tex1D(cudaTextureObject_t t, float x) {
    __TERN_READ(__tern_tex1(v, t, x))
}
template <typename T> __device__ T tex2D(cudaTextureObject_t t, float x, float y) {
    __TERN_READ(__tern_tex2(v, t, x, y))
}
template <typename T> __device__ T tex3D(cudaTextureObject_t t, float x, float y, float z) {
    __TERN_READ(__tern_tex3(v, t, x, y, z))
}
template <typename T> __device__ T texCubemap(cudaTextureObject_t t, float x, float y, float z) {
    __TERN_READ(__tern_cube(v, t, x, y, z))
}
template <typename T> __device__ T tex1DLayered(cudaTextureObject_t t, float x, int layer) {
    __TERN_READ(__tern_layer1(v, t, x, layer))
}
template <typename T> __device__ T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer) {
    __TERN_READ(__tern_layer2(v, t, x, y, layer))
}
template <typename T> __device__ T tex2DLod(cudaTextureObject_t t, float x, float y, float lod) {
    __TERN_READ(__tern_lod2(v, t, x, y, lod))
}
#undef __TERN_READ

// ---- surfaces: bytes, of which the first index counts ----

#define __TERN_SURF(MODE)                                                                          \
    __device__ inline void __tern_surf_write_##MODE(cudaSurfaceObject_t s, const unsigned *v,      \
                                                    int bytes, int x, int y) {                     \
        if (bytes == 1)                                                                            \
            asm volatile("sust.b.2d.b8." #MODE " [%0, {%1, %2}], {%3};" ::"l"(s), "r"(x), "r"(y),  \
                         "h"((short)v[0]));                                                        \
        else if (bytes == 2)                                                                       \
            asm volatile("sust.b.2d.b16." #MODE " [%0, {%1, %2}], {%3};" ::"l"(s), "r"(x), "r"(y), \
                         "h"((short)v[0]));                                                        \
        else if (bytes == 4)                                                                       \
            asm volatile("sust.b.2d.b32." #MODE " [%0, {%1, %2}], {%3};" ::"l"(s), "r"(x), "r"(y), \
                         "r"(v[0]));                                                               \
        else if (bytes == 8)                                                                       \
            asm volatile("sust.b.2d.v2.b32." #MODE " [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(x),  \
                         "r"(y), "r"(v[0]), "r"(v[1]));                                            \
        else                                                                                       \
            asm volatile("sust.b.2d.v4.b32." #MODE " [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s),  \
                         "r"(x), "r"(y), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]));              \
    }                                                                                              \
    __device__ inline void __tern_surf_read_##MODE(cudaSurfaceObject_t s, unsigned *v, int bytes,  \
                                                   int x, int y) {                                 \
        short half = 0;                                                                            \
        if (bytes == 1)                                                                            \
            asm volatile("suld.b.2d.b8." #MODE " {%0}, [%1, {%2, %3}];"                            \
                         : "=h"(half) : "l"(s), "r"(x), "r"(y));                                   \
        else if (bytes == 2)                                                                       \
            asm volatile("suld.b.2d.b16." #MODE " {%0}, [%1, {%2, %3}];"                           \
                         : "=h"(half) : "l"(s), "r"(x), "r"(y));                                   \
        else if (bytes == 4)                                                                       \
            asm volatile("suld.b.2d.b32." #MODE " {%0}, [%1, {%2, %3}];"                           \
                         : "=r"(v[0]) : "l"(s), "r"(x), "r"(y));                                   \
        else if (bytes == 8)                                                                       \
            asm volatile("suld.b.2d.v2.b32." #MODE " {%0, %1}, [%2, {%3, %4}];"                    \
                         : "=r"(v[0]), "=r"(v[1]) : "l"(s), "r"(x), "r"(y));                       \
        else                                                                                       \
            asm volatile("suld.b.2d.v4.b32." #MODE " {%0, %1, %2, %3}, [%4, {%5, %6}];"            \
                         : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])                          \
                         : "l"(s), "r"(x), "r"(y));                                                \
        if (bytes < 4) v[0] = (unsigned short)half;                                                \
    }
__TERN_SURF(trap)
__TERN_SURF(clamp)
__TERN_SURF(zero)
#undef __TERN_SURF
template <typename T>
__device__ void surf2Dwrite(T value, cudaSurfaceObject_t s, int x, int y,
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 ||
                  sizeof(T) == 16);
    unsigned v[4];
    *(T *)v = value;
    if (mode == cudaBoundaryModeTrap)
        __tern_surf_write_trap(s, v, sizeof(T), x, y);
    else if (mode == cudaBoundaryModeClamp)
        __tern_surf_write_clamp(s, v, sizeof(T), x, y);
    else
        __tern_surf_write_zero(s, v, sizeof(T), x, y);
}
template <typename T>
__device__ T surf2Dread(cudaSurfaceObject_t s, int x, int y,
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 ||
                  sizeof(T) == 16);
    unsigned v[4];
    if (mode == cudaBoundaryModeTrap)
        __tern_surf_read_trap(s, v, sizeof(T), x, y);
    else if (mode == cudaBoundaryModeClamp)
        __tern_surf_read_clamp(s, v, sizeof(T), x, y);
    else
        __tern_surf_read_zero(s, v, sizeof(T), x, y);
    return *(T *)v;
}
template <typename T>
__device__ void surf2Dread(T *value, cudaSurfaceObject_t s, int x, int y,
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    *value = surf2Dread<T>(s, x, y, mode);
}
