/* Linked before and after a candidate that has device variables: an index that leaves them lands here, not in the
   host's data. */
static __attribute__((section("kw_device"), aligned(4096), used)) char kw_guard_device[4096];
static __attribute__((section("kw_constant"), aligned(4096), used)) char kw_guard_constant[4096];
