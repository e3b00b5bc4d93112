#include <cuda_fp16.h>
#include <mma.h>

// One warp, K / 16 products of 16 x 16 x 16; rows of the tile lie 40 elements apart.
__global__ void product(const __half* a, float* out, int k) {
    __shared__ __align__(16) __half tile[16][40];
    for (int i = threadIdx.x; i < 256; i += 32) tile[i / 16][i % 16] = a[i];
    __syncthreads();
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __half, nvcuda::wmma::row_major> fa;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, __half, nvcuda::wmma::row_major> fb;
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
    nvcuda::wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < k; i += 16) {
        nvcuda::wmma::load_matrix_sync(fa, &tile[0][0], 40);
        nvcuda::wmma::load_matrix_sync(fb, &tile[0][0], 40);
        nvcuda::wmma::mma_sync(sum, fa, fb, sum);
    }
    nvcuda::wmma::store_matrix_sync(out, sum, 16, nvcuda::wmma::mem_row_major);
}

extern "C" void run(const __half* a, float* out, int k) { product<<<1, 32>>>(a, out, k); }
