// What NVIDIA's compiler knows by itself, for the compiler of the host. Included before the text of a kernel.
#pragma once
#include "threads.h"

#include <climits>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

#include <vector_types.h>
#define __CUDACC_VER_MAJOR__ 12
#include <cuda_fp16.h>
#include <cuda_bf16.h>

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __forceinline__
#undef __noinline__
#undef __launch_bounds__
#undef __align__
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __constant__ static const
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define threadIdx emu_threadIdx
#define blockIdx emu_blockIdx
#define blockDim emu_blockDim
#define gridDim emu_gridDim
static const int warpSize = 32;

// ---------------------------------------------------------------- threads

inline void __syncthreads() { emu_wait_block(); }
inline void __syncwarp(unsigned = ~0u) { emu_wait_warp(); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline unsigned __ballot_sync(unsigned mask, int own) { return emu_ballot(mask, own); }
inline int __any_sync(unsigned mask, int own) { return emu_ballot(mask, own) != 0; }
inline int __all_sync(unsigned mask, int own) { return emu_ballot(mask, !own) == 0; }
inline unsigned __activemask() { return ~0u; }
inline unsigned emu_lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32; }
template <typename T> T emu_from(unsigned mask, unsigned from, T own) {
  emu_exchange(mask, from, &own, sizeof(T));
  return own;
}
template <typename T> T __shfl_sync(unsigned mask, T own, int from, int width = 32) {
  return emu_from(mask, emu_lane() / width * width + unsigned(from) % width, own);
}
template <typename T> T __shfl_down_sync(unsigned mask, T own, unsigned by, int width = 32) {
  unsigned lane = emu_lane(), to = lane + by;
  return emu_from(mask, to / width == lane / width ? to : lane, own);
}
template <typename T> T __shfl_up_sync(unsigned mask, T own, unsigned by, int width = 32) {
  unsigned lane = emu_lane();
  return emu_from(mask, lane % width >= by ? lane - by : lane, own);
}
template <typename T> T __shfl_xor_sync(unsigned mask, T own, int by, int width = 32) {
  unsigned lane = emu_lane(), to = lane ^ by;
  return emu_from(mask, to / width <= lane / width ? to : lane, own);
}

// ---------------------------------------------------------------- memory
// Only one thread runs at a time: what is atomic there is an assignment here.

#define EMU_ATOMIC(NAME, ...)                                                              \
  template <typename T> inline typename std::enable_if<std::is_arithmetic<T>::value, T>::type \
  emu_##NAME(T *at, T own) { T old = *at; *at = (__VA_ARGS__); return old; }
EMU_ATOMIC(Add, old + own)
EMU_ATOMIC(Sub, old - own)
EMU_ATOMIC(Exch, own)
EMU_ATOMIC(Max, old < own ? own : old)
EMU_ATOMIC(Min, own < old ? own : old)
EMU_ATOMIC(And, old & own)
EMU_ATOMIC(Or, old | own)
EMU_ATOMIC(Xor, old ^ own)
#define EMU_OF(NAME, T) inline T atomic##NAME(T *at, T own) { return emu_##NAME(at, own); }
#define EMU_INTEGERS(NAME) EMU_OF(NAME, int) EMU_OF(NAME, unsigned) EMU_OF(NAME, unsigned long long)
EMU_INTEGERS(Add) EMU_OF(Add, float) EMU_OF(Add, double)
EMU_OF(Sub, int) EMU_OF(Sub, unsigned)
EMU_INTEGERS(Exch) EMU_OF(Exch, float)
EMU_INTEGERS(Max) EMU_OF(Max, long long)
EMU_INTEGERS(Min) EMU_OF(Min, long long)
EMU_INTEGERS(And) EMU_INTEGERS(Or) EMU_INTEGERS(Xor)
#define EMU_CAS(T) \
  inline T atomicCAS(T *at, T known, T next) { T old = *at; if (old == known) *at = next; return old; }
EMU_CAS(int) EMU_CAS(unsigned) EMU_CAS(unsigned long long) EMU_CAS(unsigned short)
template <typename T> T __ldg(const T *at) { return *at; }

// ---------------------------------------------------------------- bits

template <typename To, typename From> To emu_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "");
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}
inline int __float_as_int(float x) { return emu_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return emu_bits<unsigned>(x); }
inline float __int_as_float(int x) { return emu_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return emu_bits<float>(x); }
inline long long __double_as_longlong(double x) { return emu_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return emu_bits<double>(x); }
inline int __double2hiint(double x) { return int(emu_bits<unsigned long long>(x) >> 32); }
inline int __double2loint(double x) { return int(emu_bits<unsigned long long>(x)); }
inline double __hiloint2double(int high, int low) {
  return emu_bits<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long long)a * b >> 32; }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned __int128)a * b >> 64;
}
inline long long __mul64hi(long long a, long long b) { return (__int128)a * b >> 64; }

// ---------------------------------------------------------------- numbers

using std::abs;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;
inline bool isnan(long long) { return false; }
#define EMU_ROUNDED(NAME, T, OP) inline T NAME(T a, T b) { return a OP b; }
EMU_ROUNDED(__fadd_rn, float, +) EMU_ROUNDED(__fsub_rn, float, -) EMU_ROUNDED(__fmul_rn, float, *) EMU_ROUNDED(__fdiv_rn, float, /)
EMU_ROUNDED(__dadd_rn, double, +) EMU_ROUNDED(__dsub_rn, double, -) EMU_ROUNDED(__dmul_rn, double, *) EMU_ROUNDED(__ddiv_rn, double, /)
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __frcp_rn(float x) { return 1 / x; }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
inline int __float2int_rn(float x) { return int(std::nearbyint(x)); }
inline int __float2int_rd(float x) { return int(std::floor(x)); }
inline int __float2int_rz(float x) { return int(x); }

#define EMU_EXTREME(NAME, OF_FLOATS, OF_OTHERS)                                           \
  template <typename A, typename B> typename std::common_type<A, B>::type NAME(A one, B other) { \
    typedef typename std::common_type<A, B>::type T;                                      \
    T a = one, b = other;                                                                 \
    if constexpr (std::is_floating_point<T>::value) return OF_FLOATS(a, b);               \
    else return OF_OTHERS ? b : a;                                                        \
  }
EMU_EXTREME(emu_max, std::fmax, a < b)
EMU_EXTREME(emu_min, std::fmin, b < a)
#define EMU_EXTREMES(A, B)                                 \
  inline auto max(A a, B b) { return emu_max(a, b); }      \
  inline auto min(A a, B b) { return emu_min(a, b); }
EMU_EXTREMES(int, int) EMU_EXTREMES(unsigned, unsigned) EMU_EXTREMES(int, unsigned) EMU_EXTREMES(unsigned, int)
EMU_EXTREMES(long, long) EMU_EXTREMES(unsigned long, unsigned long) EMU_EXTREMES(long, unsigned long) EMU_EXTREMES(unsigned long, long)
EMU_EXTREMES(long long, long long) EMU_EXTREMES(unsigned long long, unsigned long long)
EMU_EXTREMES(long long, unsigned long long) EMU_EXTREMES(unsigned long long, long long)
EMU_EXTREMES(float, float) EMU_EXTREMES(double, double) EMU_EXTREMES(float, double) EMU_EXTREMES(double, float)

#define EMU_BOTH(NAME, ...)                                   \
  inline double NAME(double x) { __VA_ARGS__; }               \
  inline float NAME##f(float x) { return float(NAME(double(x))); } \
  inline float NAME(float x) { return float(NAME(double(x))); }
EMU_BOTH(rsqrt, return 1 / std::sqrt(x))
EMU_BOTH(rcbrt, return 1 / std::cbrt(x))
EMU_BOTH(sinpi, return std::sin(M_PI * std::fmod(x, 2)))
EMU_BOTH(cospi, return std::cos(M_PI * std::fmod(x, 2)))
EMU_BOTH(normcdf, return std::erfc(-x * M_SQRT1_2) / 2)
inline float exp10(float x) { return float(std::pow(10.0, double(x))); }

// The inverse of erf and its like: a start by a formula (Winitzki 2008), then steps of Halley's on whichever of erf and erfc has the digits.
inline double emu_erfcinv(double y) {
  if (!(y > 0 && y < 2)) return y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN;
  bool upper = y > 1;
  double q = upper ? 2 - y : y, l = std::log(q * (2 - q)), a = 0.147, b = 2 / (M_PI * a) + l / 2;
  double x = std::sqrt(std::sqrt(b * b - l / a) - b);
  for (int i = 0; i < 4; ++i) {
    double error = std::erfc(x) - q, slope = -M_2_SQRTPI * std::exp(-x * x);
    double step = error / slope;
    x -= step / (1 + x * step);
  }
  return upper ? -x : x;
}
EMU_BOTH(erfcinv, return emu_erfcinv(x))
inline double emu_erfinv(double y) {
  if (std::fabs(y) > 0.5) return y > 0 ? emu_erfcinv(1 - y) : -emu_erfcinv(1 + y);
  double x = y * std::sqrt(M_PI) / 2;
  for (int i = 0; i < 6; ++i) {
    double step = (std::erf(x) - y) / (M_2_SQRTPI * std::exp(-x * x));
    x -= step / (1 + x * step);
  }
  return x;
}
EMU_BOTH(erfinv, return emu_erfinv(x))
EMU_BOTH(normcdfinv, return -M_SQRT2 * emu_erfcinv(2 * x))
EMU_BOTH(erfcx, return std::exp(x * x) * std::erfc(x))
EMU_BOTH(cyl_bessel_i0, return std::cyl_bessel_i(0.0, std::fabs(x)))
EMU_BOTH(cyl_bessel_i1, return std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x))
#define EMU_OVERLOAD(NAME) inline float NAME(float x) { return std::NAME(x); }
EMU_OVERLOAD(sqrt) EMU_OVERLOAD(cbrt) EMU_OVERLOAD(exp) EMU_OVERLOAD(exp2) EMU_OVERLOAD(expm1) EMU_OVERLOAD(log) EMU_OVERLOAD(log2)
EMU_OVERLOAD(log10) EMU_OVERLOAD(log1p) EMU_OVERLOAD(sin) EMU_OVERLOAD(cos) EMU_OVERLOAD(tan) EMU_OVERLOAD(asin) EMU_OVERLOAD(acos)
EMU_OVERLOAD(atan) EMU_OVERLOAD(sinh) EMU_OVERLOAD(cosh) EMU_OVERLOAD(tanh) EMU_OVERLOAD(asinh) EMU_OVERLOAD(acosh) EMU_OVERLOAD(atanh)
EMU_OVERLOAD(erf) EMU_OVERLOAD(erfc) EMU_OVERLOAD(lgamma) EMU_OVERLOAD(tgamma) EMU_OVERLOAD(floor) EMU_OVERLOAD(ceil) EMU_OVERLOAD(trunc)
EMU_OVERLOAD(rint) EMU_OVERLOAD(nearbyint) EMU_OVERLOAD(round) EMU_OVERLOAD(fabs) EMU_OVERLOAD(logb)
#define EMU_OVERLOAD_2(NAME) inline float NAME(float x, float y) { return std::NAME(x, y); }
EMU_OVERLOAD_2(pow) EMU_OVERLOAD_2(atan2) EMU_OVERLOAD_2(fmod) EMU_OVERLOAD_2(hypot) EMU_OVERLOAD_2(copysign) EMU_OVERLOAD_2(nextafter)
EMU_OVERLOAD_2(fmax) EMU_OVERLOAD_2(fmin) EMU_OVERLOAD_2(remainder) EMU_OVERLOAD_2(fdim)
inline float fma(float a, float b, float c) { return std::fma(a, b, c); }
inline float ldexp(float x, int n) { return std::ldexp(x, n); }
inline float frexp(float x, int *n) { return std::frexp(x, n); }
inline float modf(float x, float *whole) { return std::modf(x, whole); }

// ---------------------------------------------------------------- launches

template <typename... A, size_t... I>
void emu_apply(void (*kernel)(A...), void **given, std::index_sequence<I...>) {
  kernel(*(typename std::remove_reference<A>::type *)given[I]...);
}
template <typename... A> void emu_call(void (*kernel)(A...), void **given) {
  emu_apply(kernel, given, std::index_sequence_for<A...>());
}
