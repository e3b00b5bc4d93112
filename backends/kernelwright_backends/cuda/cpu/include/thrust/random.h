// A part of Thrust, see kernelwright/thrust/random.h.
#pragma once

#include "../kernelwright/thrust/random.h"
