// Found only where neither the project nor CANN has it.
#pragma once

#include <kernelwright/ascendc/logging.h>
