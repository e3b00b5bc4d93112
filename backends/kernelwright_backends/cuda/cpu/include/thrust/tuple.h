// A part of Thrust, see kernelwright/thrust/tuple.h.
#pragma once

#include "../kernelwright/thrust/tuple.h"
