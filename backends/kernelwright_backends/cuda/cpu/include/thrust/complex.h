// A part of Thrust, see kernelwright/thrust/complex.h.
#pragma once

#include "../kernelwright/thrust/complex.h"
