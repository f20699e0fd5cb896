#include "mapper/cosa/encoding/encoding.hpp"

#include <cmath>

#include "mapper/cosa/encoding/binaries.hpp"
#include "mapper/cosa/encoding/counts.hpp"

namespace tilewright::cosa {

Placement Encoding::placement(const std::vector<double>& values) const {
    Placement placement(counts_.size());
    for (std::size_t g = 0; g < counts_.size(); ++g)
        for (const mip::Expression& count : counts_[g])
            placement[g].push_back(static_cast<int>(std::lround(count.at(values))));
    return placement;
}

mip::Expression Encoding::number_of(int group, const std::function<bool(int place)>& where) const {
    mip::Expression sum;
    for (int p = 0; p < static_cast<int>(layout_.places().size()); ++p)
        if (where(p)) sum += count(group, p);
    return sum;
}

mip::Expression Encoding::log_of(int dimension, const std::function<bool(int place)>& where) const {
    mip::Expression sum;
    for (int g = 0; g < static_cast<int>(layout_.groups().size()); ++g) {
        const FactorGroup& group = layout_.groups()[g];
        if (group.prime > 1 && (dimension < 0 || group.dimension == dimension))
            sum.add(group.log2, number_of(g, where));
    }
    return sum;
}

std::unique_ptr<Encoding> encode(Formulation formulation, const Layout& layout, std::vector<OrderedPlace> ordered,
                                 mip::Program& problem) {
    if (formulation == Formulation::counts) return std::make_unique<Counts>(layout, std::move(ordered), problem);
    return std::make_unique<Binaries>(layout, std::move(ordered), problem);
}

}  // namespace tilewright::cosa
