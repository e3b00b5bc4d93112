#include "kernel_operator.h"
#include "catlass/arch/arch.hpp"  // expect: catlass/arch/arch.hpp
extern "C" __global__ __aicore__ void templates(GM_ADDR x)
{
    Catlass::Arch::Resource<int> resource;
}
