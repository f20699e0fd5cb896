// tilewright explore --prove: the best machine of a space, or those that no other beats, found by branch and bound over
// boxes of machines.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codesign/journal.hpp"
#include "explore/store.hpp"
#include "options/verb.hpp"
#include "output/cache.hpp"
#include "output/output.hpp"
#include "run/codesign/best_machine.hpp"
#include "verbs/explore/designs.hpp"

namespace tilewright::cli {

/// What is asked for.
struct ProofRequest {
    const explore::Specification& specification;
    std::vector<std::size_t> metrics;  ///< one that is to be least; or two or three, of a front
    bool worth = false;                ///< what each knob's value is worth is asked, too
    bool gives_objective = false;      ///< --objective was given, and is no default
    std::string journal;               ///< file that remembers what was found out; "": none
    OutputOptions output;              ///< with a folder: what shows a proven answer stands there, too
};

/// What is searched: machines that map a network, or packages that plan a cascade.
struct Provable {
    std::string title;
    std::function<BestMachine(const BestMachineQuestion&, const StopSource&, const BestMachineControl&)> best;
    std::function<std::vector<std::string>()> notes;
};

/// Searches until the best machine is proven or Ctrl-C, and prints the answer.
ExitStatus prove_best(const Provable& provable, const ProofRequest& request);
/// The same for a front.
ExitStatus prove_front(Designs& designs, const DesignKnobs& knobs, const ProofRequest& request, AnswerCache& cache);

/// The file that remembers what was found out; nothing where there is none.
std::unique_ptr<codesign::Journal> opened_journal(const ProofRequest& request);
/// What decides the answers: all that decides the rows, and what is asked of them.
std::vector<std::pair<std::string, std::string>> proof_identity(const ProofRequest& request);

}  // namespace tilewright::cli
