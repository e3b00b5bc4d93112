// Reads 16-bit patterns a, b, c and floats f; writes every operation on them, for float16 or bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <vector>

template <class T>
std::vector<T> read(std::size_t count) {
  std::vector<T> values(count);
  if (std::fread(values.data(), sizeof(T), count, stdin) != count) std::abort();
  return values;
}
template <class T>
void write(const std::vector<T>& values) {
  std::fwrite(values.data(), sizeof(T), values.size(), stdout);
}

template <class H, class P>
void all(const std::vector<H>& a, const std::vector<H>& b, const std::vector<H>& c, const std::vector<float>& f) {
  const std::size_t n = a.size();
  std::vector<float> wide(n);
  std::vector<H> result(n);
#define EACH(EXPRESSION)                                              \
  for (std::size_t i = 0; i < n; ++i) result[i] = H(EXPRESSION);      \
  write(result);
  for (std::size_t i = 0; i < n; ++i) wide[i] = static_cast<float>(a[i]);
  write(wide);
  EACH(f[i])
  EACH(static_cast<double>(f[i]) * 1.0000001)
  EACH(a[i] + b[i])
  EACH(a[i] - b[i])
  EACH(a[i] * b[i])
  EACH(a[i] / b[i])
  EACH(__hfma(a[i], b[i], c[i]))
  EACH(__hfma2(P(a[i], b[i]), P(b[i], a[i]), P(c[i], c[i])).y)
  EACH(__hmax(a[i], b[i]))
  EACH(__hmin(a[i], b[i]))
  EACH(-a[i])
  EACH(__habs(a[i]))
  EACH(hsqrt(a[i]))
  EACH(h2floor(P(a[i], b[i])).y)
  EACH(a[i] < b[i] ? 1.0f : 0.0f)
  EACH(__hgeu(a[i], b[i]) ? 1.0f : 0.0f)
  EACH(__hbne2(P(a[i], b[i]), P(b[i], a[i])) ? 1.0f : 0.0f)
}

int main(int, char**) {
  const auto header = read<unsigned>(2);
  const std::size_t n = header[1];
  if (header[0] == 16) {
    const auto a = read<__half>(n), b = read<__half>(n), c = read<__half>(n);
    const auto f = read<float>(n);
    all<__half, __half2>(a, b, c, f);
    std::vector<__half> r(n);
#define MODE(SUFFIX)                                                             \
  for (std::size_t i = 0; i < n; ++i) r[i] = __float2half##SUFFIX(f[i]);         \
  write(r);
    MODE(_rz) MODE(_ru) MODE(_rd)
#undef MODE
  } else {
    const auto a = read<__nv_bfloat16>(n), b = read<__nv_bfloat16>(n), c = read<__nv_bfloat16>(n);
    const auto f = read<float>(n);
    all<__nv_bfloat16, __nv_bfloat162>(a, b, c, f);
    std::vector<__nv_bfloat16> r(n);
#define MODE(SUFFIX)                                                                 \
  for (std::size_t i = 0; i < n; ++i) r[i] = __float2bfloat16##SUFFIX(f[i]);         \
  write(r);
    MODE(_rz) MODE(_ru) MODE(_rd)
#undef MODE
  }
}
