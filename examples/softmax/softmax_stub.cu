// kernelwright: task=softmax.py entry=softmax
#include <torch/extension.h>

torch::Tensor softmax(torch::Tensor x) {
    // Softmax over dimension 1.
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("softmax", &softmax, "softmax over the rows");
}
