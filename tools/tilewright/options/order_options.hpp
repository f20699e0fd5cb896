// The options of searches over loop orders: on ZigZag's files, and `loma` and `salsa` on any machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mapper/loop_orders.hpp"
#include "options/options.hpp"
#include "run/zigzag/map.hpp"
#include "verbs/evaluate/zigzag.hpp"

namespace tilewright::cli {

struct OrderOptions {
    ZigzagAccountOptions zigzag;  ///< on ZigZag's files
    std::optional<std::int64_t> lpf_limit;
    std::optional<std::int64_t> iterations;
    std::optional<std::int64_t> chains;
    std::optional<double> cooling;

    void declare(Options& options);
    /// Throws InputError(usage) for values that make no sense.
    void check_values() const;
    /// On machines other than ZigZag's: throws InputError(usage) when something was given that `mapper` does not take.
    void check(const std::string& mapper) const;
    /// Of `loma` and `salsa` on machines other than ZigZag's.
    LoopOrderMapper::Options loop_orders() const;
    /// On ZigZag's machines.
    LoopOrderOptions on_zigzag() const;
    std::vector<std::pair<std::string, std::string>> for_the_report(const std::string& mapper) const;
};

}  // namespace tilewright::cli
