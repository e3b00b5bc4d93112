// kernelwright: task=relu.py entry=relu
// Wrong: PyTorch computes, the kernel does not.
#include <torch/extension.h>

torch::Tensor relu(torch::Tensor x) {
    return at::relu(x);  // defect: an operator instead of a kernel
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("relu", &relu, "ReLU");
}
