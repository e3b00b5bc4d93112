// kernelwright: task=../../tasks/bmm_tf32.py entry=bmm args="a, b, out, a.shape[0], a.shape[1]"
// a warp a tile of 16 x 16, fragments straight from global memory
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) bt_global(const float* a, const float* b, float* out, int n) {
    size_t base = (size_t)blockIdx.z * n * n;
    int r = blockIdx.y * 16, c = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc;
    wmma::fill_fragment(acc, 0.f);
    for (int k = 0; k < n; k += 8) {
        wmma::load_matrix_sync(fa, a + base + (size_t)r * n + k, n);
        wmma::load_matrix_sync(fb, b + base + (size_t)k * n + c, n);
        for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
        for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(out + base + (size_t)r * n + c, acc, n, wmma::mem_row_major);
}
extern "C" void bmm(const float* a, const float* b, float* out, int batch, int n, cudaStream_t stream) {
    bt_global<<<dim3(n / 64, n / 16, batch), 128, 0, stream>>>(a, b, out, n);
}
