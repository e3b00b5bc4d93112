#include "kernel_operator.h"
using namespace AscendC;
class Scaled {
public:
    __aicore__ inline void Init(const project::Tiling* given)  // wrong: the header of the project is not there
    {
        tiling = given;
        length = given->length;
    }
    __aicore__ inline uint32_t Length(const project::Tiling* other) { return other->length + length; }

private:
    const project::Tiling* tiling;
    uint32_t length = 0;
};
extern "C" __global__ __aicore__ void one_name_missing(GM_ADDR x)
{
    Scaled op;
    op.Init(nullptr);
    project::Tiling own;
    op.Length(&own);
}
