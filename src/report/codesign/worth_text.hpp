// Worth of each knob, in words. Internal to report/codesign/.
#pragma once

#include <string>

#include "report/codesign/best_machine.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {

inline constexpr const char* kWorthTitle = "Worth of each knob: the best machine with it held at a value";

/// "12.34 % worse", "at least 3.21 % worse, at most 15.00 %", "the best machine has it".
std::string worth_text(const KnobWorth& worth, double best);

/// Requires a best machine.
Table worth_table(const BestMachineReport& report);

/// "proven: of 54 machines ...", without a newline.
std::string best_machine_claim(const BestMachineReport& report);

}  // namespace tilewright::report
