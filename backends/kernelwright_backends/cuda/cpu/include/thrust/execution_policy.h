// A part of Thrust, see kernelwright/thrust/policies.h; those of a device bring the algorithms along.
#pragma once

#include "../kernelwright/thrust/algorithms.h"
#include "../kernelwright/thrust/policies.h"
