// Evaluates the mappings that ZigZag's own files give, as ZigZag counts.
#pragma once

#include <string>

#include "account/zigzag/chain.hpp"
#include "inputs.hpp"
#include "model/evaluation.hpp"
#include "report/zigzag.hpp"

namespace tilewright::cli {

struct ZigzagOptions {
    bool even = false;  ///< how a temporal_ordering is allocated
    std::string latency = "zigzag";

    void declare(Options& options);
};

/// ZigZag's result with the latency, the ports and the buffers of the model that the options name; a result with the
/// reason in `refusal` when there is none.
zigzag::Result evaluate_zigzag(const zigzag::Accelerator& accelerator, const ZigzagProblem& problem,
                               const zigzag::UnevenMapping& mapping, const ZigzagOptions& options);

/// A ZigZag layer and its mapping in the terms of the other accountings, with what ZigZag itself counts.
struct ZigzagComparison {
    zigzag::Chain chain;
    Evaluation zigzag;
};

/// Requires one layer. Throws InputError for a mapping that does not fit or that is no chain.
ZigzagComparison compare_zigzag(const std::string& verb, Inputs& inputs, const ZigzagOptions& options);

/// Every layer that was asked for. Throws InputError.
report::ZigzagReport evaluate_zigzag_files(const std::string& verb, Inputs& inputs, const ZigzagOptions& options);

}  // namespace tilewright::cli
