// A part of Thrust, see kernelwright/thrust/iterators.h.
#pragma once

#include "../../kernelwright/thrust/iterators.h"
