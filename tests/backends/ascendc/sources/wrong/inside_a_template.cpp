#include "kernel_operator.h"
template <class T>
struct Kernel {
    __aicore__ void Run()
    {
        int odd = 3;
        pipe.InitBuffer(odd, 1, sizeof(T));  // wrong: no queue
    }
    AscendC::TPipe pipe;
};
extern "C" __global__ __aicore__ void wrong(GM_ADDR x)
{
    Kernel<half> op;
    op.Run();
}
