#include "arch/estimation/dram.hpp"

#include <algorithm>
#include <cctype>

#include "arch/estimation/tables.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright {
namespace {

const tables::Table& types() {
    static const tables::Table kLoaded = tables::load("dram.csv");
    return kLoaded;
}

bool same_letters(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

DramEstimate of_row(int row) {
    const std::string& name = types().text(row, "type");
    const double energy = types().number(row, "pj_per_bit");
    DramEstimate estimate{name, energy, name + ", " + short_number(energy) + " pJ/bit, "};
    if (!types().text(row, "low").empty()) {
        estimate.low = types().number(row, "low");
        estimate.high = types().number(row, "high");
        estimate.source +=
            "assumed between " + short_number(*estimate.low) + " and " + short_number(*estimate.high) + ": ";
    }
    estimate.source += types().text(row, "source");
    return estimate;
}

}  // namespace

std::optional<DramEstimate> estimate_dram(std::string_view type) {
    for (int row = 0; row < types().row_count(); ++row)
        if (same_letters(types().text(row, "type"), type)) return of_row(row);
    return std::nullopt;
}

std::optional<DramEstimate> range_behind(std::string_view source) {
    for (int row = 0; row < types().row_count(); ++row)
        if (DramEstimate estimate = of_row(row); estimate.low && source.find(estimate.source) != source.npos)
            return estimate;
    return std::nullopt;
}

DramEstimate default_dram() { return of_row(0); }

std::vector<std::string> dram_types() {
    std::vector<std::string> names;
    names.reserve(types().row_count());
    for (int row = 0; row < types().row_count(); ++row) names.push_back(types().text(row, "type"));
    return names;
}

}  // namespace tilewright
