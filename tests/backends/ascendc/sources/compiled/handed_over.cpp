// Functions of the interface as arguments of templates, assertions without semicolons, the kind of the core.
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
using Scalar = void(const LocalTensor<T>&, const LocalTensor<T>&, const T&, const int32_t&);
template <typename T>
using Binary = void(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<T>&, const int32_t&);
template <typename T>
using Library = void(const LocalTensor<T>&, const LocalTensor<T>&, const uint32_t);

template <typename T, Scalar<T>* scalar, Binary<T>* binary, Library<T>* library>
class Chain {
public:
    __aicore__ inline void Process(LocalTensor<T> a, LocalTensor<T> b)
    {
        ASSERT(GetBlockNum() != 0 && "no core")
        uint32_t n = 64;
        scalar(a, a, T(2), 64);
        binary(a, a, b, 64);
        library(b, a, n);
        if constexpr (g_coreType == AIV) Add(a, a, b, 64);
    }
};

extern "C" __global__ __aicore__ void handed_over(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 4096);
    LocalTensor<uint8_t> rest;
    PopStackBuffer<uint8_t, TPosition::LCM>(rest);
    Chain<half, Adds, Mul, Tanh> chain;
    chain.Process(buffer.Get<half>(), buffer.Get<half>()[1024]);
}
