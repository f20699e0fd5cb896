// The best machine of a space, for people and programs (`tilewright explore --prove`).
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

namespace tilewright::report {

/// A knob's value: a number where it is one.
using KnobValue = std::variant<double, std::string>;

struct FoundMachine {
    std::int64_t point = 0;
    std::vector<std::pair<std::string, KnobValue>> knobs;
    std::vector<std::pair<std::string, double>> metrics;  ///< names with units
};

/// A moment at which a better machine was found.
struct ImprovedMachine {
    std::int64_t boxes = 0;  ///< looked at until then
    std::int64_t point = 0;
    double value = 0.0;
};

struct BestMachineReport {
    Provenance provenance;
    std::string title;          ///< "resnet50 on eyeriss"
    std::string metric;         ///< that is to be least
    std::int64_t machines = 0;  ///< of the space
    std::optional<FoundMachine> best;
    std::optional<double> value;  ///< of the best
    double bound = 0.0;           ///< no valid machine has less
    bool proven = false;
    std::int64_t unproven = 0;  ///< machines that were mapped and may be better, were their mappings proven
    std::int64_t boxes_left = 0;
    codesign::Counts counts;
    std::vector<ImprovedMachine> improvements;
    std::vector<std::string> notes;
};

/// `best`: the row of the answer's best machine. Provenance and notes are the caller's.
BestMachineReport best_machine_report(const codesign::Answer& answer, const explore::Specification& specification,
                                      std::size_t metric, const std::optional<explore::Row>& best);

std::string best_machine_text(const BestMachineReport& report);
/// "tilewright-codesign/1"
std::string best_machine_json(const BestMachineReport& report);

}  // namespace tilewright::report
