// `tilewright map` on ZigZag's own files: searches the loop order of every layer.
#pragma once

#include "inputs.hpp"
#include "report/zigzag.hpp"
#include "search.hpp"

namespace tilewright::cli {

/// Every layer that was asked for. Throws InputError.
report::ZigzagReport search_zigzag_files(Inputs& inputs, const SearchPlan& plan, bool quiet);

}  // namespace tilewright::cli
