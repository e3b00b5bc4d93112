// Buffers of the device for the programs of this folder, and the comparison that ends them.
#pragma once

#include <cmath>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"

template <class T>
uint8_t* on_device(const std::vector<T>& values)
{
    void* data = nullptr;
    aclrtMalloc(&data, values.size() * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(data, values.size() * sizeof(T), values.data(), values.size() * sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE);
    return static_cast<uint8_t*>(data);
}
template <class T>
uint8_t* room(size_t count)
{
    void* data = nullptr;
    aclrtMalloc(&data, count * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST);
    return static_cast<uint8_t*>(data);
}
template <class T, class Wanted>
int differ(uint8_t* data, size_t count, Wanted wanted)
{
    std::vector<T> got(count);
    aclrtMemcpy(got.data(), count * sizeof(T), data, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST);
    int wrong = 0;
    for (size_t i = 0; i < count; ++i)
        if (!(std::fabs(double(got[i]) - double(wanted(i))) <= 1e-3 * (1 + std::fabs(double(wanted(i)))))) ++wrong;
    printf("%d differ\n", wrong);
    return wrong != 0;
}
inline std::vector<float> ramp(size_t count)
{
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = float(int(i % 97) - 48) * 0.25f;
    return values;
}
