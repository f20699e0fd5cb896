#include "certificate/fused/lines.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tilewright::certificate::fused_proof {

// With so much energy the cycles are at least the highest line's: straight pieces, each falling or level. Along a
// straight piece the product is a parabola that is open below, so that it is least at an end of the piece: where two
// lines meet, or where energy is least. Behind the last such place cycles are level, and the product grows.
double least_product(const std::vector<Line>& lines) {
    double least_energy = 0.0;
    double least_cycles = 0.0;
    for (const Line& line : lines) {
        if (line.cycles == 0.0) least_energy = std::max(least_energy, line.duals.front() / line.energy);
        if (line.energy == 0.0) least_cycles = std::max(least_cycles, line.duals.front() / line.cycles);
    }
    if (least_energy <= 0.0 || least_cycles <= 0.0) return 0.0;
    const auto product_at = [&](double energy) {
        double cycles = least_cycles;
        for (const Line& line : lines)
            if (line.cycles > 0.0) cycles = std::max(cycles, (line.duals.front() - line.energy * energy) / line.cycles);
        return energy * cycles;
    };
    double least = product_at(least_energy);
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t k = i + 1; k < lines.size(); ++k) {
            const Line& a = lines[i];
            const Line& b = lines[k];
            const double apart = a.energy * b.cycles - a.cycles * b.energy;
            const double energy = (a.duals.front() * b.cycles - a.cycles * b.duals.front()) / apart;
            // Of parallel ones (not a number, or infinity) the higher one is that of every place.
            if (energy > least_energy && energy < std::numeric_limits<double>::infinity())
                least = std::min(least, product_at(energy));
        }
    return least;
}

}  // namespace tilewright::certificate::fused_proof
