// A part of Thrust, see kernelwright/thrust/unique.h.
#pragma once

#include "../kernelwright/thrust/unique.h"
