// Streams that the host made itself.
#pragma once

#include "core.h"

namespace kw {

Site work_left_behind();  // where; 0: the host waited for all of it
void put_into_stream(Site site);
void wait_for_streams();

}  // namespace kw
