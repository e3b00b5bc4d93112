// Ascend C on the CPU: what kernels include. Written from the documented behaviour of the interfaces.
#pragma once

#include "kernelwright/ascendc/types.h"
#include "kernelwright/ascendc/tensor.h"
#include "kernelwright/ascendc/pipe.h"
#include "kernelwright/ascendc/vector.h"
#include "kernelwright/ascendc/copy.h"
#include "kernelwright/ascendc/reduce.h"
#include "kernelwright/ascendc/sort.h"
#include "kernelwright/ascendc/library.h"
#include "kernelwright/ascendc/quantise.h"
#include "kernelwright/ascendc/cube.h"
#include "kernelwright/ascendc/matmul.h"
#include "kernelwright/ascendc/list.h"
#include "kernelwright/ascendc/tiling.h"
#include "kernelwright/ascendc/launch.h"

// The namespace's first name.
namespace tik2 = AscendC;
