// A part of the random numbers on the device, by the name of its own header.
#pragma once

#include "curand_kernel.h"
