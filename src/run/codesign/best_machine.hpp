// The best machine of a space, with what shows it: `explore --prove --best`; a package of cores is a machine, too.
//
//     const BestMachine found = best_machine(designs, knobs, question, cache, stop, {.certificate = true});
//     if (found.report.proven) std::cout << found.certificate;
//
// Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "codesign/journal.hpp"
#include "codesign/search.hpp"
#include "report/codesign/best_machine.hpp"
#include "run/codesign/machine_subject.hpp"
#include "run/explore/design_knobs.hpp"
#include "run/explore/package_evaluator.hpp"

namespace tilewright {

/// Throws InputError(usage) for mappings that nothing bounds; `dashes` stand before the names of options.
void check_provable(const MapOptions& options, const std::string& dashes);
/// The first machine of the space. Throws InputError where there is none.
Architecture first_machine(DesignSource& designs);

struct BestMachineQuestion {
    const explore::Specification& specification;  ///< of mapping_metrics(), or package_metrics()
    std::size_t metric = 0;                       ///< that is to be least: the objective of mappings or plans
    std::string title = {};                       ///< "alexnet on simba"
    std::string dashes = {};                      ///< before the names of options in sentences
    std::string version = {};                     ///< of the program, in documents
};

struct BestMachineControl {
    bool certificate = false;              ///< wanted, where the checker knows what to say
    bool worth = false;                    ///< what each value of each knob is worth is wanted, too
    codesign::Journal* journal = nullptr;  ///< that remembers what was found out; null: none
    codesign::Tell tell = {};
    /// Before each value whose worth is looked for.
    std::function<void(std::size_t done, std::size_t all)> tell_worth = {};
};

struct BestMachine {
    report::BestMachineReport report;  ///< provenance has nothing but the version
    std::string certificate = {};      ///< "": none; the report's notes say why where it was wanted
};

/// What is best until `stop`. Throws InputError(usage) where the designs' mappings are searched for another metric, or
/// nothing bounds them.
BestMachine best_machine(DesignSource& designs, const DesignKnobs& knobs, const BestMachineQuestion& question,
                         AnswerCache& cache, const StopSource& stop, const BestMachineControl& control = {});

/// The same of packages, each with its best plan. Without a certificate. `threads`: 0: all.
BestMachine best_package(const ExploredPackage& packages, const BestMachineQuestion& question, int threads,
                         const StopSource& stop, const BestMachineControl& control = {});

}  // namespace tilewright
