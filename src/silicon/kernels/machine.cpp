#include "silicon/kernels/machine.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::silicon {

double overlapped(double a, double b, double exponent) {
    const double longer = std::max(a, b);
    if (longer <= 0.0) return 0.0;
    return longer * std::pow(1.0 + std::pow(std::min(a, b) / longer, exponent), 1.0 / exponent);
}

}  // namespace tilewright::silicon
