// Evaluates the mappings that ZigZag's files give, as ZigZag counts.
//
//     const report::ZigzagReport report = evaluate_zigzag(problem);  // run/zigzag/problem.hpp
//     std::cout << report::zigzag_text(report);
//
// Free functions on values: any number of threads may call them at once.
#pragma once

#include "report/zigzag.hpp"
#include "run/zigzag/problem.hpp"
#include "zigzag/orders/problem.hpp"

namespace tilewright {

/// What is left open by ZigZag's files about counting.
struct ZigzagAccounting {
    zigzag::Evenness evenness = zigzag::Evenness::uneven;  ///< how an order of loops is allocated
    orders::LatencyModel latency = orders::LatencyModel::zigzag;
};

/// ZigZag's result with the latency, the ports and the buffers of the model that `accounting` names; a result with the
/// reason in `refusal` when there is none. Throws OverflowError.
zigzag::Result evaluate_zigzag(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
                               const ZigzagUnrolling& unrolling, const zigzag::UnevenMapping& mapping,
                               const ZigzagAccounting& accounting);

/// Every layer with the mapping that is given for it, or why there is no result; all but the provenance and the notes
/// about the files. Throws InputError for what is no mapping of a layer, and InputError(overflow).
report::ZigzagReport evaluate_zigzag(const ZigzagProblem& problem, const ZigzagAccounting& accounting = {});

/// Says of layers that lack memory that a core of Stream is there without that of the others.
void explain_shortages_of_a_core(report::ZigzagReport& report);

}  // namespace tilewright
