// The functions of cuBLAS that CuPy and we ask for, by their definitions: matrices lie column by column.
#include "cuda_on_host.h"

#include <complex>

namespace {

typedef std::complex<float> C;
typedef std::complex<double> Z;
enum { SHORT = 77 };
enum Type { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14, R_SHORT = 100 };
enum { PLAIN = 0, TURNED = 1, CONJUGATED = 2 };

// The tensor cores' factors where they may be short: 10 bits behind the first one.
struct Short { float x; };
float wide(Short one) { return __uint_as_float((__float_as_uint(one.x) + 0x1000) & ~0x1FFFu); }
void put(Short *at, float x) { at->x = x; }
float wide(__half x) { return __half2float(x); }
float wide(__nv_bfloat16 x) { return __bfloat162float(x); }
template <typename T> T wide(T x) { return x; }
void put(__half *at, float x) { *at = __float2half(x); }
void put(__nv_bfloat16 *at, float x) { *at = __float2bfloat16(x); }
template <typename T> void put(T *at, T x) { *at = x; }
template <typename T> T turned(T x, int) { return x; }
C turned(C x, int how) { return how == CONJUGATED ? std::conj(x) : x; }
Z turned(Z x, int how) { return how == CONJUGATED ? std::conj(x) : x; }

template <typename S, typename T>
void product(int ta, int tb, int m, int n, int k, S alpha, const T *a, long lda, const T *b, long ldb, S beta, T *c, long ldc) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      S sum = 0;
      for (int l = 0; l < k; ++l)
        sum += turned(S(wide(ta ? a[l + i * lda] : a[i + l * lda])), ta) * turned(S(wide(tb ? b[j + l * ldb] : b[l + j * ldb])), tb);
      T *at = c + i + j * ldc;
      // What is multiplied by zero is not read.
      put(at, beta == S(0) ? S(alpha * sum) : S(alpha * sum + beta * S(wide(*at))));
    }
}

template <typename S, typename T>
void products(int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda, long long sa, const void *b, int ldb,
              long long sb, const void *beta, void *c, int ldc, long long sc, int count) {
  for (int i = 0; i < count; ++i)
    product<S, T>(ta, tb, m, n, k, *(const S *)alpha, (const T *)a + i * sa, lda, (const T *)b + i * sb, ldb, *(const S *)beta,
                  (T *)c + i * sc, ldc);
}

int any(int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int type, int lda, long long sa, const void *b, int ldb,
        long long sb, const void *beta, void *c, int ldc, long long sc, int count, int sums) {
#define CASE(TYPE, S, T) \
  case TYPE: products<S, T>(ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, count); return 0;
  if (type == R_32F && sums == SHORT) type = R_SHORT;
  switch (type) {
    CASE(R_32F, float, float) CASE(R_SHORT, float, Short) CASE(R_64F, double, double) CASE(R_16F, float, __half) CASE(R_16BF, float, __nv_bfloat16)
    CASE(C_32F, C, C) CASE(C_64F, Z, Z)
  }
  return 15;
}

template <typename T> int sums(int n, const T *x, int by_x, const T *y, int by_y, T *out, int how) {
  T sum = 0;
  for (int i = 0; i < n; ++i) sum += turned(x[(long)i * by_x], how) * y[(long)i * by_y];
  *out = sum;
  return 0;
}

template <typename T>
int vector(int turn, int m, int n, const T *alpha, const T *a, int lda, const T *x, int by_x, const T *beta, T *y, int by_y) {
  for (int i = 0; i < (turn ? n : m); ++i) {
    T sum = 0;
    for (int j = 0; j < (turn ? m : n); ++j) sum += turned(turn ? a[j + (long)i * lda] : a[i + (long)j * lda], turn) * x[(long)j * by_x];
    T &at = y[(long)i * by_y];
    at = *beta == T(0) ? *alpha * sum : *alpha * sum + *beta * at;
  }
  return 0;
}

}  // namespace

extern "C" {
int cublasCreate_v2(void **handle) { *handle = (void *)16; return 0; }
int cublasDestroy_v2(void *) { return 0; }
int cublasSetStream_v2(void *, void *) { return 0; }
int cublasGetStream_v2(void *, void **stream) { *stream = 0; return 0; }
int cublasSetPointerMode_v2(void *, int) { return 0; }
int cublasGetPointerMode_v2(void *, int *mode) { *mode = 0; return 0; }
int cublasSetMathMode(void *, int) { return 0; }
int cublasGetMathMode(void *, int *mode) { *mode = 0; return 0; }
int cublasSetWorkspace_v2(void *, void *, size_t) { return 0; }
int cublasGetVersion_v2(void *, int *version) { *version = 120900; return 0; }

#define EACH(ONE) ONE(S, float) ONE(D, double) ONE(C, C) ONE(Z, Z)
#define GEMM(X, T)                                                                                                            \
  int cublas##X##gemm_v2(void *, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb, \
                         const T *beta, T *c, int ldc) {                                                                      \
    product<T, T>(ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);                                                    \
    return 0;                                                                                                                 \
  }                                                                                                                           \
  int cublas##X##gemmStridedBatched(void *, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, int lda, long long sa, \
                                    const T *b, int ldb, long long sb, const T *beta, T *c, int ldc, long long sc, int count) { \
    products<T, T>(ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, count);                                  \
    return 0;                                                                                                                 \
  }                                                                                                                           \
  int cublas##X##gemmBatched(void *, int ta, int tb, int m, int n, int k, const T *alpha, const T *const *a, int lda,               \
                             const T *const *b, int ldb, const T *beta, T *const *c, int ldc, int count) {                    \
    for (int i = 0; i < count; ++i) product<T, T>(ta, tb, m, n, k, *alpha, a[i], lda, b[i], ldb, *beta, c[i], ldc);           \
    return 0;                                                                                                                 \
  }                                                                                                                           \
  int cublas##X##gemv_v2(void *, int turn, int m, int n, const T *alpha, const T *a, int lda, const T *x, int by_x, const T *beta, \
                         T *y, int by_y) {                                                                                    \
    return vector(turn, m, n, alpha, a, lda, x, by_x, beta, y, by_y);                                                         \
  }
EACH(GEMM)
int cublasSdot_v2(void *, int n, const float *x, int by_x, const float *y, int by_y, float *out) { return sums(n, x, by_x, y, by_y, out, 0); }
int cublasDdot_v2(void *, int n, const double *x, int by_x, const double *y, int by_y, double *out) { return sums(n, x, by_x, y, by_y, out, 0); }
#define DOT(X, T)                                                                                                                      \
  int cublas##X##dotu_v2(void *, int n, const T *x, int by_x, const T *y, int by_y, T *out) { return sums(n, x, by_x, y, by_y, out, 0); } \
  int cublas##X##dotc_v2(void *, int n, const T *x, int by_x, const T *y, int by_y, T *out) { return sums(n, x, by_x, y, by_y, out, 2); }
DOT(C, C) DOT(Z, Z)

int cublasGemmEx(void *, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int ka, int lda, const void *b, int kb,
                 int ldb, const void *beta, void *c, int kc, int ldc, int sums, int) {
  if (ka != kb || ka != kc) return 15;
  return any(ta, tb, m, n, k, alpha, a, ka, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1, sums);
}
int cublasSgemmEx(void *h, int ta, int tb, int m, int n, int k, const float *alpha, const void *a, int ka, int lda, const void *b, int kb,
                  int ldb, const float *beta, void *c, int kc, int ldc) {
  return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, ka, lda, b, kb, ldb, beta, c, kc, ldc, 0, 0);
}
int cublasGemmStridedBatchedEx(void *, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int ka, int lda, long long sa,
                               const void *b, int kb, int ldb, long long sb, const void *beta, void *c, int kc, int ldc, long long sc,
                               int count, int sums, int) {
  if (ka != kb || ka != kc) return 15;
  return any(ta, tb, m, n, k, alpha, a, ka, lda, sa, b, ldb, sb, beta, c, ldc, sc, count, sums);
}
}
