// Shared by reports of best machines and of fronts. Internal to report/codesign/.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/codesign/best_machine.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {

FoundMachine found_machine(const explore::Row& row, const explore::Specification& specification);

/// Ten digits, the precision of proofs.
std::string plain_value_text(double value);
/// "1.234 mJ" of energy_pj, "12,345 cycles" of latency_cycles, ...; a plain number for names without a unit.
std::string metric_text(const std::string& metric, double value);
std::string knob_text(const KnobValue& value);

/// The nouns and verbs of a proof.
struct ProofWords {
    std::string_view machine;   ///< "package"
    std::string_view mapped;    ///< "planned"
    std::string_view mappings;  ///< "plans"
    std::string_view mapper;    ///< "the search for plans"
    std::string_view unproven;  ///< "unproven plans"
};
/// Of BestMachineReport::subject.
const ProofWords& proof_words(std::string_view subject);

/// Boxes examined and ruled out, in two lines.
std::string proof_counts_text(const codesign::Counts& counts, std::int64_t machines, bool proven,
                              const ProofWords& words);
std::vector<views::Card> cards_of_counts(const codesign::Counts& counts);

/// Kinds of figures.
inline constexpr const char* kProofKind = "proof";
inline constexpr const char* kFrontKind = "machines";
inline constexpr const char* kWorthKind = "worth";

using NamedNumbers = std::vector<std::pair<std::string, double>>;

NamedNumbers cuts_by_knob(const std::vector<std::int64_t>& cuts, const explore::Space& space);

/// Machines ruled out by reason, and boxes cut by knob. `of`: the search.
std::vector<views::Figure> reason_figures(const codesign::Counts& counts, const NamedNumbers& cuts,
                                          const std::string& of);

/// Axis of a metric: "energy_pj" is energy in J, after a factor.
struct MetricAxis {
    std::string label;
    std::string unit;
    double factor = 1.0;
};
MetricAxis metric_axis(const std::string& metric);

// Worth of each knob, in words. Internal to report/codesign/.

inline constexpr const char* kWorthTitle = "Worth of each knob: the best machine with it held at a value";

/// "12.34 % worse", "at least 3.21 % worse, at most 15.00 %", "the best machine has it".
std::string worth_text(const KnobWorth& worth, double best);

/// Requires a best machine.
Table worth_table(const BestMachineReport& report);

/// "proven: of 54 machines ...", without a newline.
std::string best_machine_claim(const BestMachineReport& report);

}  // namespace tilewright::report
