// What the programs share: a tensor on the host and its twin on the device, and a comparison that says where it fails.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"

static int failures = 0;

template <class T>
struct Device {
    explicit Device(const std::vector<T>& values) : count(values.size())
    {
        aclrtMalloc(&data, count * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(data, count * sizeof(T), values.data(), count * sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE);
    }
    ~Device() { aclrtFree(data); }
    operator uint8_t*() const { return static_cast<uint8_t*>(data); }
    std::vector<T> back() const
    {
        std::vector<T> values(count);
        aclrtMemcpy(values.data(), count * sizeof(T), data, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST);
        return values;
    }
    void* data = nullptr;
    size_t count;
};

template <class T>
std::vector<T> numbers(size_t count, double low, double high, unsigned seed = 1)
{
    std::vector<T> values(count);
    for (auto& value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = T(float(low + (high - low) * (seed >> 8) / double(1 << 24)));
    }
    return values;
}

template <class T>
void check(const char* what, const Device<T>& device, const std::function<double(size_t)>& wanted, double tolerance = 0, size_t count = 0)
{
    auto got = device.back();
    for (size_t i = 0; i < (count ? count : got.size()); ++i) {
        double a = double(got[i]), b = wanted(i);
        bool fine = (a != a && b != b) || a == b || std::fabs(a - b) <= tolerance * std::fmax(1.0, std::fabs(b));
        if (!fine) {
            std::printf("%s[%zu] is %g, %g is wanted\n", what, i, a, b);
            ++failures;
            return;
        }
    }
}

// One core's whole work on two inputs: copied in, `compute`, copied out.
template <class In, class Out, class Compute>
__aicore__ inline void on_core(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t in_count, uint32_t out_count, Compute compute)
{
    using namespace AscendC;
    GlobalTensor<In> xGm, yGm;
    GlobalTensor<Out> zGm;
    xGm.SetGlobalBuffer((__gm__ In*)x, in_count);
    yGm.SetGlobalBuffer((__gm__ In*)y, in_count);
    zGm.SetGlobalBuffer((__gm__ Out*)z, out_count);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> scratch;
    pipe.InitBuffer(in, 2, in_count * sizeof(In));
    pipe.InitBuffer(out, 1, out_count * sizeof(Out));
    pipe.InitBuffer(scratch, 48 * 1024);
    LocalTensor<In> a = in.AllocTensor<In>();
    LocalTensor<In> b = in.AllocTensor<In>();
    DataCopy(a, xGm, in_count);
    DataCopy(b, yGm, in_count);
    in.EnQue(a);
    in.EnQue(b);
    a = in.DeQue<In>();
    b = in.DeQue<In>();
    LocalTensor<Out> c = out.AllocTensor<Out>();
    compute(a, b, c, scratch);
    out.EnQue(c);
    in.FreeTensor(a);
    in.FreeTensor(b);
    c = out.DeQue<Out>();
    DataCopy(zGm, c, out_count);
    out.FreeTensor(c);
}
