// Second half of a batch plan: what nobody needs is dropped, products are joined to their sums, rows are given to
// values.
#pragma once

#include "row_builder.h"

namespace gyre::shader {

BatchPlan schedule(std::vector<RowValue> values);

}  // namespace gyre::shader
