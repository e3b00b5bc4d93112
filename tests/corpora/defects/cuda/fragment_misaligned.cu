#include <cuda_fp16.h>
#include <mma.h>

#include "../../check.cuh"
using namespace nvcuda;

__global__ void copy(const float* x, float* out) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> tile;
  wmma::load_matrix_sync(tile, x + 1, 16, wmma::mem_row_major);  // expect: MEM_MISALIGNED
  wmma::store_matrix_sync(out, tile, 16, wmma::mem_row_major);
}

int main() {
  Device<float> x(ramp(257)), out(256);
  copy<<<1, 32>>>(x.data, out.data);
  return cudaDeviceSynchronize();
}
