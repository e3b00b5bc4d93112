// kernelwright: task=../../tasks/wgrad_half.py entry=wgrad args="dy, x, out, dy.shape[0], dy.shape[1], x.shape[1]"
// rows split over 16 blocks, float atomics through shared memory
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void wgrad_kernel(const half* __restrict__ dy, const half* __restrict__ x, float* __restrict__ dw, int T, int O, int I, int rows) {
    __shared__ float tile[4][256];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int o0 = blockIdx.y * 32 + warp / 2 * 16, i0 = blockIdx.x * 32 + warp % 2 * 16;
    int t0 = blockIdx.z * rows, t1 = min(t0 + rows, T);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int t = t0; t < t1; t += 16) {
        wmma::load_matrix_sync(a, dy + (size_t)t * O + o0, O);
        wmma::load_matrix_sync(b, x + (size_t)t * I + i0, I);
        wmma::mma_sync(acc, a, b, acc);
    }
    wmma::store_matrix_sync(tile[warp], acc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int e = lane; e < 256; e += 32) atomicAdd(&dw[(size_t)(o0 + e / 16) * I + i0 + e % 16], tile[warp][e]);
}

extern "C" void wgrad(const half* dy, const half* x, float* out, int T, int O, int I, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)O * I * sizeof(float), stream);
    int rows = (T / 16 + 15) / 16 * 16;
    wgrad_kernel<<<dim3(I / 32, O / 32, (T + rows - 1) / rows), 128, 0, stream>>>(dy, x, out, T, O, I, rows);
}
