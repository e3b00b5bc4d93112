// A part of Thrust, see kernelwright/thrust/type_traits.h.
#pragma once

#include "../../kernelwright/thrust/type_traits.h"
