// A part of Thrust, see kernelwright/thrust/swap.h.
#pragma once

#include "../kernelwright/thrust/swap.h"
