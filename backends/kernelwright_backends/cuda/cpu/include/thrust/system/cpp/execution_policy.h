// A part of Thrust, see kernelwright/thrust/algorithms.h.
#pragma once

#include "../../../kernelwright/thrust/algorithms.h"
