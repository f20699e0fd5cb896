#include "arch/estimation/dram.hpp"

#include <algorithm>
#include <cctype>

#include "arch/estimation/tables.hpp"
#include "arch/format.hpp"

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
    return {name, energy, name + ", " + short_number(energy) + " pJ/bit, " + types().text(row, "source")};
}

}  // namespace

std::optional<DramEstimate> estimate_dram(std::string_view type) {
    for (int row = 0; row < types().row_count(); ++row)
        if (same_letters(types().text(row, "type"), type)) return of_row(row);
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
