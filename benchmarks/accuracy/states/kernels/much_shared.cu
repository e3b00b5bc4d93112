// kernelwright: task=../task.py entry=much_shared args="x, out, x.shape[0]"
// blocks of 128 with 100 KB of shared memory each, two on a processor
#include <cuda_runtime.h>

__global__ void st_room(const float* x, float* out, int n) {
    extern __shared__ float room[];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    room[t] = i < n ? x[i] : 0.f;
    __syncthreads();
    int part = min(n, 65536), at = i % part;
    for (int k = 0; k < 48; ++k) { at += 4096 + (x[at] > 1e30f); at = at < part ? at : at - part; }
    if (i < n) out[i] = at < 0 ? 0.f : room[t];
}
extern "C" void much_shared(const float* x, float* out, int n, cudaStream_t stream) {
    cudaFuncSetAttribute(st_room, cudaFuncAttributeMaxDynamicSharedMemorySize, 102400);
    st_room<<<(n + 127) / 128, 128, 102400, stream>>>(x, out, n);
}
