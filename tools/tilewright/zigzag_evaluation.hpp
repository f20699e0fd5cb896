// Evaluates the mappings that ZigZag's own files give, as ZigZag counts.
#pragma once

#include <string>

#include "inputs.hpp"
#include "report/zigzag.hpp"

namespace tilewright::cli {

struct ZigzagOptions {
    bool even = false;  ///< how a temporal_ordering is allocated

    void declare(Options& options);
};

/// Every layer that was asked for. Throws InputError.
report::ZigzagReport evaluate_zigzag_files(const std::string& verb, Inputs& inputs, const ZigzagOptions& options);

}  // namespace tilewright::cli
