// kernelwright: task=layernorm.py entry=layernorm
// One block a row. The row is read once and kept in dynamic shared memory for the second and the third pass.
#include <c10/cuda/CUDAException.h>
#include <torch/extension.h>

__device__ __forceinline__ float sum_of_block(float value, float* of_warp) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __syncthreads();  // the previous use of of_warp is over
    if (lane == 0) {
        of_warp[warp] = value;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int w = 0; w < blockDim.x / 32; ++w) {
        sum += of_warp[w];
    }
    return sum;
}

__global__ void layernorm_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                 const float* __restrict__ bias, float* __restrict__ y, int features, float eps) {
    extern __shared__ float row[];
    __shared__ float of_warp[32];
    const float* in = x + int64_t(blockIdx.x) * features;
    float* out = y + int64_t(blockIdx.x) * features;

    float sum = 0.0f;
    for (int f = threadIdx.x; f < features; f += blockDim.x) {
        row[f] = in[f];
        sum += row[f];
    }
    const float mean = sum_of_block(sum, of_warp) / features;
    float squares = 0.0f;
    for (int f = threadIdx.x; f < features; f += blockDim.x) {
        squares += (row[f] - mean) * (row[f] - mean);
    }
    const float scale = rsqrtf(sum_of_block(squares, of_warp) / features + eps);
    for (int f = threadIdx.x; f < features; f += blockDim.x) {
        out[f] = (row[f] - mean) * scale * __ldg(weight + f) + __ldg(bias + f);
    }
}

torch::Tensor layernorm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
    TORCH_CHECK(x.is_contiguous(), "x must be contiguous");
    auto y = torch::empty_like(x);
    const int features = int(x.size(-1));
    const int rows = int(x.numel() / features);
    layernorm_kernel<<<rows, 256, features * sizeof(float)>>>(x.data_ptr<float>(), weight.data_ptr<float>(),
                                                             bias.data_ptr<float>(), y.data_ptr<float>(), features, 1e-5f);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("layernorm", &layernorm, "layer normalisation");
}
