// The search of map_fused() with what the library keeps to itself: how it goes, and the answer that certificates are
// of.
//
//     const Fusing fusing = fusing_for(cascade, architecture, options, constraints);
//     const FusedAnswer found = search_fused(cascade, architecture, fusing, options, control);
//
// Pure but for the clock of a time limit; thread-safe.
#pragma once

#include "run/fused/fusing.hpp"
#include "run/fused/map_cascade.hpp"

namespace tilewright {

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
