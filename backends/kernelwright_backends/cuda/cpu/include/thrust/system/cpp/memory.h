// A part of Thrust, see kernelwright/thrust/vectors.h.
#pragma once

#include "../../../kernelwright/thrust/vectors.h"
