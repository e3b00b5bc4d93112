#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "../../check.cuh"
using namespace nvcuda;

// Each warp makes one tile of C = A B + 1, the tiles of B by columns.
template <typename T, typename S, typename Sum, int M, int N, int K>
__global__ void product(const S* a, const S* b, Sum* c, int n, int k) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum, one;
  wmma::fill_fragment(sum, Sum(0));
  wmma::fill_fragment(one, Sum(1));
  int row = blockIdx.y * M, column = blockIdx.x * N;
  for (int i = 0; i < k; i += K) {
    wmma::load_matrix_sync(left, a + row * k + i, k);
    wmma::load_matrix_sync(right, b + column * k + i, k);
    if constexpr (std::is_same_v<T, wmma::precision::tf32>) {
      for (int e = 0; e < left.num_elements; ++e) left.x[e] = wmma::__float_to_tf32(left.x[e]);
      for (int e = 0; e < right.num_elements; ++e) right.x[e] = wmma::__float_to_tf32(right.x[e]);
    }
    wmma::mma_sync(sum, left, right, sum);
  }
  for (int e = 0; e < sum.num_elements; ++e) sum.x[e] = sum.x[e] + one.x[e];
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

template <typename T, typename S, typename Sum, int M, int N, int K>
int check() {
  int m = 2 * M, n = 2 * N, k = 2 * K;
  std::vector<S> a(m * k), b(n * k);
  for (int i = 0; i < m * k; ++i) a[i] = S((float)(i * 7 % 13) - (std::is_same_v<S, unsigned char> ? 0 : 6));
  for (int i = 0; i < n * k; ++i) b[i] = S((float)(i * 5 % 11) - (std::is_same_v<S, unsigned char> ? 0 : 5));
  Device<S> da(a), db(b);
  Device<Sum> dc(m * n);
  product<T, S, Sum, M, N, K><<<dim3(2, 2), 32>>>(da.data, db.data, dc.data, n, k);
  auto c = dc.host();
  for (int i = 0; i < m * n; ++i) {
    float sum = 1;
    for (int j = 0; j < k; ++j) sum += (float)a[i / n * k + j] * (float)b[i % n * k + j];
    REQUIRE((float)c[i] == sum);
  }
  return 0;
}

// Through shared memory, with half sums that are stored by columns.
__global__ void through_shared(const __half* x, __half* out) {
  __shared__ alignas(32) __half tile[16][24];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i / 16][i % 16] = x[i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::col_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum;
  wmma::load_matrix_sync(left, &tile[0][0], 24);
  wmma::load_matrix_sync(right, &tile[0][0], 24);
  wmma::load_matrix_sync(sum, x, 16, wmma::mem_col_major);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(out, sum, 16, wmma::mem_col_major);
}

int main() {
  REQUIRE((check<__half, __half, float, 16, 16, 16>() == 0));
  REQUIRE((check<__nv_bfloat16, __nv_bfloat16, float, 32, 8, 16>() == 0));
  REQUIRE((check<wmma::precision::tf32, float, float, 16, 16, 8>() == 0));
  REQUIRE((check<signed char, signed char, int, 16, 16, 16>() == 0));
  REQUIRE((check<unsigned char, unsigned char, int, 8, 32, 16>() == 0));
  REQUIRE((check<double, double, double, 8, 8, 4>() == 0));
  std::vector<__half> x(256);
  for (int i = 0; i < 256; ++i) x[i] = __half((float)(i * 3 % 7) - 3);
  Device<__half> in(x), out(256);
  through_shared<<<1, 32>>>(in.data, out.data);
  auto got = out.host();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float sum = (float)x[j * 16 + i];
      for (int k = 0; k < 16; ++k) sum += (float)x[k * 16 + i] * (float)x[k * 16 + j];
      REQUIRE((float)got[j * 16 + i] == sum);
    }
  return 0;
}
