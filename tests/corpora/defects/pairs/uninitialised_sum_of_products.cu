#include "../../pair.cuh"

#include <cuda_fp16.h>
#include <mma.h>

__global__ void product(const half* a, const half* b, float* c) {
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> left;
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::row_major> right;
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
#ifndef DEFECT
  nvcuda::wmma::fill_fragment(sum, 0.0f);
#endif
  for (int k = 0; k < 64; k += 16) {
    nvcuda::wmma::load_matrix_sync(left, a + k, 64);
    nvcuda::wmma::load_matrix_sync(right, b + k * 16, 16);
    nvcuda::wmma::mma_sync(sum, left, right, sum);
  }
  nvcuda::wmma::store_matrix_sync(c, sum, 16, nvcuda::wmma::mem_row_major);  // expect: INIT_UNINITIALISED_READ
}

int main() {
  Device<half> a(std::vector<half>(1024, __float2half(1))), b(std::vector<half>(1024, __float2half(0.5f)));
  Device<float> c(256);
  product<<<1, 32>>>(a.data, b.data, c.data);
  printf("%f\n", c.host()[0]);
  return 0;
}
