// kernelwright: task=../../tasks/hgemm.py entry=hgemm args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// a warp a 16 x 16 output, fragments straight from global memory
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void hg_direct(const __half* a, const __half* b, float* out, int m, int n, int k) {
    int w = threadIdx.x / 32, r = (blockIdx.y * 2 + w / 2) * 16, c = (blockIdx.x * 2 + w % 2) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    for (int k0 = 0; k0 < k; k0 += 16) {
        wmma::load_matrix_sync(fa, a + r * k + k0, k);
        wmma::load_matrix_sync(fb, b + k0 * n + c, n);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(out + r * n + c, acc, n, wmma::mem_row_major);
}
extern "C" void hgemm(const __half* a, const __half* b, float* out, int m, int n, int k, cudaStream_t stream) {
    hg_direct<<<dim3(n / 32, m / 32), 128, 0, stream>>>(a, b, out, m, n, k);
}
