#pragma once
#include <cstdint>
struct Factors {
    float factor;
    uint32_t length;
};
