#include "context.h"

namespace kw {

Context context;

}  // namespace kw
