// kernelwright: task=layernorm.py entry=layernorm \
//     args="x, ln.weight, ln.bias, out, x.numel() // x.shape[2], x.shape[2]"
// Wrong: a block of 128 threads has four warps and so four partial sums, but 32 are added up.
#include <cuda_runtime.h>

__device__ float sum_of_block(float value) {
    __shared__ float of_warp[32];
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = value;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int w = 0; w < 32; ++w) {
        sum += of_warp[w];  // defect: only blockDim.x / 32 of them were stored
    }
    return sum;
}

__global__ void layernorm_kernel(const float* x, const float* weight, const float* bias, float* y, int features) {
    const float* in = x + (size_t)blockIdx.x * features;
    float* out = y + (size_t)blockIdx.x * features;
    float sum = 0.0f;
    for (int f = threadIdx.x; f < features; f += blockDim.x) {
        sum += in[f];
    }
    const float mean = sum_of_block(sum) / features;
    float squares = 0.0f;
    for (int f = threadIdx.x; f < features; f += blockDim.x) {
        squares += (in[f] - mean) * (in[f] - mean);
    }
    const float scale = rsqrtf(sum_of_block(squares) / features + 1e-5f);
    for (int f = threadIdx.x; f < features; f += blockDim.x) {
        out[f] = (in[f] - mean) * scale * weight[f] + bias[f];
    }
}

void layernorm(const float* x, const float* weight, const float* bias, float* y, int rows, int features) {
    layernorm_kernel<<<rows, 128>>>(x, weight, bias, y, features);
}
