// `tilewright map` on ZigZag's own files: searches the loop order of every layer.
#pragma once

#include "inputs.hpp"
#include "options.hpp"
#include "report/zigzag.hpp"
#include "search.hpp"

namespace tilewright::cli {

/// What only searches over loop orders take.
struct OrderOptions {
    bool even = false;
    std::optional<std::int64_t> lpf_limit;
    std::optional<std::int64_t> iterations;
    std::optional<std::int64_t> chains;
    std::optional<double> cooling;

    /// The names that --mapper takes for ZigZag's files only.
    static std::vector<std::string> own_mappers() { return {"loma", "salsa"}; }

    void declare(Options& options);
    /// Throws InputError(usage) when something was given that only serves ZigZag's files.
    void refuse_elsewhere(const SearchPlan& plan) const;
};

/// Every layer that was asked for. Throws InputError.
report::ZigzagReport search_zigzag_files(Inputs& inputs, const SearchPlan& plan, const OrderOptions& options,
                                         bool quiet);

}  // namespace tilewright::cli
