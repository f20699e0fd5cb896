// The classes of golden/timeloop/README.md: which of them a case belongs to, and whether we pass.
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "differences.hpp"

namespace tilewright::golden {

enum class CaseClass {
    perfect,    ///< P: Timeloop's counts of a perfect nest, links off
    invalid,    ///< I: refused for the same reason
    truth,      ///< T: the exact model
    imperfect,  ///< R: Timeloop's counts of an imperfect nest, everything walked, links off
    links,      ///< L: Timeloop's defaults
    outputs,    ///< O: what Timeloop printed, by the convention of its versions that fits best
};
inline constexpr int kCaseClasses = 6;

/// 'P', 'I', 'T', 'R', 'L', 'O'.
char letter_of(CaseClass which);
std::optional<CaseClass> class_of_letter(char letter);
/// P, I, T and O decide whether a case passes; R and L are only counted.
bool decides(CaseClass which);

struct ClassSelection {
    std::array<bool, kCaseClasses> wanted{true, true, true, true, true, true};
    bool has(CaseClass which) const { return wanted[static_cast<std::size_t>(which)]; }
};

struct ClassResult {
    CaseClass which;
    std::vector<Difference> differences;  ///< empty: passed
    std::string undefined;  ///< not empty: Timeloop's numbers are undefined there, so that nothing is compared
    std::string remark;     ///< what to say however it ends: the convention that fits best
};

struct CaseResult {
    std::vector<ClassResult> classes;  ///< those that the case belongs to
    /// Time that the account took, summed over the classes that use it.
    std::chrono::nanoseconds account_time{0};
    int account_runs = 0;

    bool failed() const;
    bool skipped() const;
};

/// Never throws for a bad case: what went wrong is among the differences.
CaseResult check_case(const std::filesystem::path& folder, const ClassSelection& selection);

}  // namespace tilewright::golden
