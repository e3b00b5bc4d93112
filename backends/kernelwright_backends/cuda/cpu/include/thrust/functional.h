// A part of Thrust, see kernelwright/thrust/functional.h.
#pragma once

#include "../kernelwright/thrust/functional.h"
