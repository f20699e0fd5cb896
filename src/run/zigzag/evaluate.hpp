// Evaluates the mappings of ZigZag's files by ZigZag's counts.
//
//     const report::ZigzagReport report = evaluate_zigzag(problem);  // run/zigzag/problem.hpp
//     std::cout << report::zigzag_text(report);
//
// Free functions on values; thread-safe.
#pragma once

#include "report/zigzag.hpp"
#include "run/zigzag/problem.hpp"
#include "zigzag/orders/scorer.hpp"

namespace tilewright {

/// Accounting choices not made by ZigZag's files.
struct ZigzagAccounting {
    zigzag::Evenness evenness = zigzag::Evenness::uneven;  ///< allocation of an order of loops
    orders::LatencyModel latency = orders::LatencyModel::zigzag;
};

/// ZigZag's result with the latency, ports and buffers of `accounting`'s model; on failure `refusal` has the reason.
/// Throws OverflowError.
zigzag::Result evaluate_zigzag(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
                               const ZigzagUnrolling& unrolling, const zigzag::UnevenMapping& mapping,
                               const ZigzagAccounting& accounting);

/// Every layer with its given mapping, or the reason for its failure; without provenance and notes about the files.
/// Throws InputError for mappings of other layers, and InputError(overflow).
report::ZigzagReport evaluate_zigzag(const ZigzagProblem& problem, const ZigzagAccounting& accounting = {});

/// Adds to failures for lack of memory that one core of Stream stands alone, without the others' memory.
void explain_shortages_of_a_core(report::ZigzagReport& report);

}  // namespace tilewright
