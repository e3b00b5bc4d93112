// kernelwright: task=relu.py entry=relu
// Four elements a thread by 16-byte accesses; the last one to three by themselves.
#include <torch/extension.h>

__global__ void relu_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
    const int64_t vectors = n / 4;
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int64_t v = first; v < vectors; v += stride) {
        float4 a = reinterpret_cast<const float4*>(x)[v];
        a.x = fmaxf(a.x, 0.0f);
        a.y = fmaxf(a.y, 0.0f);
        a.z = fmaxf(a.z, 0.0f);
        a.w = fmaxf(a.w, 0.0f);
        reinterpret_cast<float4*>(y)[v] = a;
    }
    const int64_t tail = vectors * 4 + first;
    if (tail < n) {
        y[tail] = fmaxf(x[tail], 0.0f);
    }
}

torch::Tensor relu(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous(), "x must be a contiguous CUDA tensor");
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "x must be float32");
    auto y = torch::empty_like(x);
    const int64_t n = x.numel();
    const int block = 256;
    const int grid = int(std::min<int64_t>((n / 4 + block) / block, 132 * 16));
    relu_kernel<<<grid, block>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("relu", &relu, "ReLU");
}
