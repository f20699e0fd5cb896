// One recorded case of the public MAESTRO: a mapping file, a hardware file or options, and what the tool printed.
#pragma once

#include <filesystem>
#include <vector>

#include "differences.hpp"
#include "maestro/account/maestro.hpp"
#include "maestro/files/document.hpp"

namespace tilewright::golden {

/// The folders of cases in `folder`: itself when it holds a mapping.m and an expected.json, else its sub-folders that
/// do, by name.
std::vector<std::filesystem::path> maestro_cases_in(const std::filesystem::path& folder);

/// The tool's hardware from its hardware file ("" for none) and the options that it was run with ("--num_pes=16").
/// Throws InputError, nlohmann::json::exception.
maestro::ToolHardware maestro_hardware(std::string_view hardware_file, const nlohmann::json& args);

struct MaestroAnswer {
    std::string network;
    maestro::ToolResult result;
};

/// How the tool ends, as its recorded cases say it: "exit 255", or the name of a signal.
const char* ending_text(maestro::Ending ending);

/// What the tool answers to a mapping file, its reader's refusals included. Throws OverflowError.
MaestroAnswer maestro_answer(std::string_view mapping, const maestro::ToolHardware& hardware);

/// Every number that the tool prints, and whether it answers at all; with a truth.json also the exact analysis and its
/// judge. Never throws for a bad case: what went wrong is
/// among the differences.
Differences check_maestro_case(const std::filesystem::path& folder);

}  // namespace tilewright::golden
