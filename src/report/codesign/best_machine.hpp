// The best machine of a space, for people and programs (`tilewright explore --prove`); a package of cores is a machine,
// too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "codesign/search.hpp"
#include "explore/store.hpp"
#include "report/report.hpp"
#include "report/views/figures.hpp"

namespace tilewright::report {

/// A knob's value: a number if it is one.
using KnobValue = std::variant<double, std::string>;

struct FoundMachine {
    std::int64_t point = 0;
    std::vector<std::pair<std::string, KnobValue>> knobs;
    std::vector<std::pair<std::string, double>> metrics;  ///< names with units
};

struct ImprovedMachine {
    std::int64_t boxes = 0;  ///< examined so far
    std::int64_t point = 0;
    double value = 0.0;
};

/// State of the search at a moment.
struct BoundThen {
    std::int64_t boxes = 0;       ///< examined so far
    std::optional<double> value;  ///< of the best machine so far
    double bound = 0.0;
};

/// Worth of a knob's value: the best machine with it.
struct KnobWorth {
    std::string knob;
    std::string value;
    std::int64_t machines = 0;    ///< with it
    std::optional<double> least;  ///< lower bound of the metric over valid machines with it; nothing: none is valid
    std::optional<double> found;  ///< the best of those mapped
    std::optional<std::int64_t> point = std::nullopt;
    bool proven = false;   ///< the best has `found`; without: none of these machines is valid
    bool of_best = false;  ///< the best machine of all has it
};

struct BestMachineReport {
    Provenance provenance;
    std::string title;          ///< "resnet50 on eyeriss"
    std::string metric;         ///< minimised
    std::int64_t machines = 0;  ///< of the space
    std::string subject;        ///< "packages", which have plans in place of mappings; "": machines
    std::optional<FoundMachine> best;
    std::string plan;             ///< of the best package, as text
    std::optional<double> value;  ///< of the best
    std::optional<double> bound;  ///< lower bound of valid machines; nothing: none is valid
    bool proven = false;
    std::int64_t unproven = 0;  ///< mapped machines that might be better with proven mappings
    std::int64_t boxes_left = 0;
    codesign::Counts counts;
    std::vector<std::pair<std::string, double>> cuts_along;  ///< by knob: boxes cut along it
    std::vector<ImprovedMachine> improvements;
    std::vector<BoundThen> course;
    std::vector<KnobWorth> worth;  ///< by knob and value; empty unless requested
    std::vector<std::string> notes;
};

/// `best`: the row of the answer's best machine. Provenance and notes are the caller's.
BestMachineReport best_machine_report(const codesign::Answer& answer, const explore::Specification& specification,
                                      std::size_t metric, const std::optional<explore::Row>& best);

/// `best`: the best machine of all.
std::vector<KnobWorth> knob_worth(const std::vector<codesign::Held>& all, const explore::Space& space,
                                  const codesign::Best& best);

std::string best_machine_text(const BestMachineReport& report);
/// "tilewright-codesign/1"
std::string best_machine_json(const BestMachineReport& report);

views::Headline best_machine_headline(const BestMachineReport& report);
/// Worth of knobs, reasons of exclusion, and best and bound over the search.
std::vector<views::Figure> best_machine_figures(const BestMachineReport& report);

}  // namespace tilewright::report
