// The best fused mapping of a cascade as a report, and the fewest DRAM words by size of the buffer.
//
//     const fusion::Answer answer = fuse(cascade, architecture, fusing, objective, &stop);
//     const report::FusionReport report = fusion_report(cascade, architecture, objective, answer, fusing);
//
// Pure but for the clock of a time limit; thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fusion/optimize.hpp"
#include "report/fused/search.hpp"
#include "run/fused/fusing.hpp"
#include "run/fused/map_cascade.hpp"

namespace tilewright {

/// Requires an answer with a fused mapping. Leaves provenance, notes and buffers to the caller.
report::FusionReport fusion_report(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                                   const fusion::Answer& answer, const Fusing& fusing);

/// The machine whose energy is the number of words that move through its DRAM, with a buffer of so many words.
Architecture machine_of_dram_words(const Architecture& architecture, std::int64_t buffer_words);

/// By size of the buffer, as given, the fewest words that a mapping moves through the DRAM, with and without fusion.
/// Where a search is stopped, what it has found and proven so far; `stop_of` gives the stop of each size's search
/// (null: none). Requires fusion::problem_with() to be "" and positive sizes.
using StopOfSize = std::function<const StopSource*(std::size_t size)>;
std::vector<report::FusionBuffer> dram_words_by_buffer(const Cascade& cascade, const Architecture& architecture,
                                                       const std::vector<std::int64_t>& buffer_words,
                                                       const StopOfSize& stop_of);

// The search of map_fused() with what the library keeps to itself: how it goes, and the answer that certificates are
// of.
//
//     const Fusing fusing = fusing_for(cascade, architecture, options, constraints);
//     const FusedAnswer found = search_fused(cascade, architecture, fusing, options, control);
//
// Pure but for the clock of a time limit; thread-safe.

/// How such a search goes. Throws InputError(usage) for what is not searched, and what `constraints` throws.
Fusing fusing_for(const Cascade& cascade, const Architecture& architecture, const FusedOptions& options,
                  const ConstraintsOf& constraints = {});

/// With a report only where a mapping was found; it has neither notes nor provenance.
struct FusedAnswer {
    fusion::Answer answer;
    report::FusionReport report;
};

/// Of fusing_for(). Throws OverflowError.
FusedAnswer search_fused(const Cascade& cascade, const Architecture& architecture, const Fusing& fusing,
                         const FusedOptions& options, const FusedControl& control = {});

}  // namespace tilewright
