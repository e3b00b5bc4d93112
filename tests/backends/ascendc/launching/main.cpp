// A program of the kernel-launch flow: the kernels stand in files of their own, their launchers in headers that a build generates.
#include <cstdio>
#include "factors.h"
#ifndef ASCENDC_CPU_DEBUG
#include "acl/acl.h"
#include "aclrtlaunch_scale.h"
extern void shift_do(uint32_t blocks, void* stream, uint8_t* y, uint32_t length);
#else
#include "tikicpulib.h"
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, Factors factors);
#endif

int32_t main(int32_t argc, char* argv[])
{
    constexpr uint32_t length = 1024;
    constexpr size_t bytes = length * sizeof(float);
    Factors* factors = nullptr;
    float *x = nullptr, *y = nullptr;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    aclrtMallocHost((void**)&factors, sizeof(Factors));
    *factors = {3.0f, length};
    aclrtMalloc((void**)&x, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc((void**)&y, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    float host[length];
    for (uint32_t i = 0; i < length; ++i) host[i] = float(i);
    aclrtMemcpy(x, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    uint32_t failed = ACLRT_LAUNCH_KERNEL(scale)(4, stream, x, y, factors);
    aclrtSynchronizeStream(stream);
    shift_do(4, stream, (uint8_t*)y, length);
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(host, bytes, y, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    for (uint32_t i = 0; i < length; ++i) failed += host[i] != 3.0f * float(i) + 1.0f;
    aclrtFree(x);
    aclrtFree(y);
    aclrtFreeHost(factors);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    printf("%s\n", failed ? "wrong" : "right");
    return failed ? 1 : 0;
}
