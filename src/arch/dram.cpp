#include "arch/dram.hpp"

#include <algorithm>
#include <cctype>

#include "arch/format.hpp"
#include "arch/tables.hpp"

namespace tilewright {
namespace {

const tables::Table& types() {
    static const tables::Table loaded = tables::load("dram.csv");
    return loaded;
}

bool same_letters(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

}  // namespace

std::optional<DramEstimate> estimate_dram(std::string_view type) {
    for (int row = 0; row < types().row_count(); ++row) {
        const std::string& name = types().text(row, "type");
        if (!same_letters(name, type)) continue;
        const double energy = types().number(row, "pj_per_bit");
        return DramEstimate{energy, name + ", " + short_number(energy) + " pJ/bit, " + types().text(row, "source")};
    }
    return std::nullopt;
}

std::vector<std::string> dram_types() {
    std::vector<std::string> names;
    for (int row = 0; row < types().row_count(); ++row) names.push_back(types().text(row, "type"));
    return names;
}

}  // namespace tilewright
