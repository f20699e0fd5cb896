#include "cim/converter.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tilewright::cim {
namespace {

// Figure of merit in dB: falls with the rate of one converter, and is limited by the bits.
double merit_db(double bits, double rate_per_second) {
    const double by_rate = 213.7806687348118 - 2.8719030399529957 * std::log(rate_per_second);
    const double by_bits = 128.3068287398817 + 3.2205115109775725 * std::min(std::ceil(bits), 20.0);
    return std::min(by_rate, by_bits);
}

double signal_to_noise_db(double bits) { return 20 * bits * std::log10(2.0) + 10 * std::log10(1.5); }

}  // namespace

ConverterCost surveyed_converter(double bits, double technology_nm, double conversions_per_second, double count) {
    if (!(bits >= 4.0 && technology_nm > 0.0 && conversions_per_second > 0.0 && count > 0.0))
        throw std::invalid_argument("converters are surveyed from 4 bits, at a positive rate");
    const double rate = conversions_per_second / count;
    const double exponent = (signal_to_noise_db(bits) - merit_db(bits, rate)) / 10;
    const double pj = 0.5 * std::pow(10.0, exponent) *
                      std::exp(26.0496215686518 + 1.8800369206815004 * std::log(technology_nm) -
                               2.8291256050594527 * std::log(bits) - 1.4702022133784405);
    const double um2 = std::exp(0.9932794744745022 * std::log(technology_nm) + 0.18071538424508238 * std::log(rate) +
                                0.29912426192653485 * std::log(pj) + 1.3461916439910742);
    return {0.8 * pj, 0.2 * pj * 1e-12 * conversions_per_second, um2 * count};
}

}  // namespace tilewright::cim
