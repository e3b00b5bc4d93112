// kernelwright: task=../../tasks/pointwise_int8.py entry=pointwise args="x, w, out, x.shape[0], w.shape[0], x.shape[1]"
// a thread an output, byte by byte
#include <cuda_runtime.h>

__global__ void pw_bytes(const signed char* x, const signed char* w, signed char* out, int p, int cout, int cin) {
    int c = blockIdx.x * 64 + threadIdx.x, r = blockIdx.y * 4 + threadIdx.y;
    if (c >= cout || r >= p) return;
    int s = 0;
    for (int i = 0; i < cin; ++i) s += x[r * cin + i] * w[c * cin + i];
    out[r * cout + c] = (signed char)max(-128, min(127, __float2int_rn(s * (1.f / 1024.f))));
}
extern "C" void pointwise(const signed char* x, const signed char* w, signed char* out, int p, int cout, int cin, cudaStream_t stream) {
    pw_bytes<<<dim3((cout + 63) / 64, (p + 3) / 4), dim3(64, 4), 0, stream>>>(x, w, out, p, cout, cin);
}
