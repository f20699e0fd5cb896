// tilewright explore --prove: the best machine of a space, found by branch and bound over boxes of machines.
#pragma once

#include <string>
#include <vector>

#include "cache.hpp"
#include "designs.hpp"
#include "exit_status.hpp"
#include "explore/store.hpp"
#include "output.hpp"

namespace tilewright::cli {

/// What is asked for.
struct ProofRequest {
    const explore::Specification& specification;
    const DesignKnobs& knobs;
    std::size_t metric = 0;  ///< that is to be least
    std::string journal;     ///< file that remembers what was found out; "": none
    OutputOptions output;    ///< with a folder: what shows a proven answer stands there, too
};

/// Searches until the best machine is proven or Ctrl-C, and prints the answer.
ExitStatus prove_best(Designs& designs, const ProofRequest& request, AnswerCache& cache);

}  // namespace tilewright::cli
