// kernelwright: task=matmul_bias_gelu.py entry=linear_gelu
// Wrong: the result is laid out the other way round.
#include <torch/extension.h>

__global__ void linear_gelu_kernel(const float* x, const float* weight, const float* bias, float* y, int batch, int in_features,
                                   int out_features) {
    const int o = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < batch && o < out_features) {
        float sum = 0.0f;
        for (int i = 0; i < in_features; ++i) {
            sum += x[row * in_features + i] * weight[o * in_features + i];
        }
        sum += bias[o];
        y[o * batch + row] = 0.5f * sum * (1.0f + erff(sum * 0.7071067811865476f));
    }
}

torch::Tensor linear_gelu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
    const int batch = x.size(0), in_features = x.size(1), out_features = weight.size(0);
    auto y = torch::empty({out_features, batch}, x.options());
    const dim3 grid((out_features + 15) / 16, (batch + 15) / 16);
    linear_gelu_kernel<<<grid, dim3(16, 16)>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
                                              y.data_ptr<float>(), batch, in_features, out_features);
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("linear_gelu", &linear_gelu, "gelu(x W^T + b)");
}
