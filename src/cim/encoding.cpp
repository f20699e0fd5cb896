#include "cim/encoding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace tilewright::cim {
namespace {

struct Name {
    Encoding encoding;
    std::string_view ours;
    std::string_view cimloop;
};

constexpr std::array<Name, 7> kNames{{
    {Encoding::magnitude, "magnitude", "magnitude_encode_hist"},
    {Encoding::two_part, "two_part", "two_part_magnitude_encode_hist"},
    {Encoding::offset, "offset", "offset_encode_hist"},
    {Encoding::offset_if_signed, "offset_if_signed", "offset_encode_if_signed_hist"},
    {Encoding::two_part_if_signed, "two_part_if_signed", "two_part_magnitude_encode_if_signed_hist"},
    {Encoding::xnor, "xnor", "xnor_encode_hist"},
    {Encoding::zero_gated_xnor, "zero_gated_xnor", "zero_gated_xnor_encode_hist"},
}};

/// Bits of one number, most significant first, and its probability.
struct Coded {
    std::vector<int> bits;
    double probability = 0.0;
};

std::vector<int> binary(std::int64_t value, int bits) {
    std::vector<int> digits;
    for (int i = bits - 1; i >= 0; --i) digits.push_back(static_cast<int>(value >> i & 1));
    return digits;
}

std::vector<int> xnor_digits(std::int64_t number, int bits) {
    std::vector<int> digits;
    auto left = static_cast<double>(number);
    for (int place = bits - 1; place >= -2; --place) {
        const double weight = place >= 0 ? std::exp2(place) : 0.5;
        digits.push_back(left > 0.0 ? 1 : 0);
        left -= digits.back() == 1 ? weight : -weight;
    }
    return digits;
}

Encoding resolved(Encoding encoding, bool has_sign) {
    if (encoding == Encoding::offset_if_signed) return has_sign ? Encoding::offset : Encoding::magnitude;
    if (encoding == Encoding::two_part_if_signed) return has_sign ? Encoding::two_part : Encoding::magnitude;
    return encoding;
}

void add_coded(Encoding encoding, std::int64_t number, int bits, double probability, std::vector<Coded>& all) {
    switch (encoding) {
        case Encoding::offset:
            return all.push_back({binary(number + (std::int64_t{1} << (bits - 1)) - 1, bits), probability});
        case Encoding::xnor:
        case Encoding::zero_gated_xnor: {
            std::vector<int> digits = xnor_digits(number, bits);
            if (number == 0 && encoding == Encoding::zero_gated_xnor) std::ranges::fill(digits, 0);
            return all.push_back({std::move(digits), probability});
        }
        case Encoding::two_part:
            all.push_back({binary(std::abs(number), bits - 1), probability / 2});
            return all.push_back({std::vector<int>(static_cast<std::size_t>(bits) - 1, 0), probability / 2});
        default: return all.push_back({binary(std::abs(number), bits - 1), probability});
    }
}

std::vector<Coded> coded(const Histogram& histogram, Encoding encoding) {
    const int bits = bits_of(histogram).value();
    const Encoding one = resolved(encoding, is_signed(histogram));
    std::vector<Coded> all;
    const std::int64_t middle = std::ssize(histogram) / 2;
    for (std::int64_t i = 0; i < std::ssize(histogram); ++i) add_coded(one, i - middle, bits, histogram[i], all);
    return all;
}

/// Probability of each of `bits` bits; those that are not coded have the mean of the coded ones, number by number.
std::vector<double> mean_bits(const std::vector<Coded>& all, int bits) {
    std::vector<double> means(static_cast<std::size_t>(bits), 0.0);
    double total = 0.0;
    for (const Coded& one : all) {
        total += one.probability;
        const double mean =
            std::accumulate(one.bits.begin(), one.bits.end(), 0.0) / static_cast<double>(one.bits.size());
        for (std::size_t i = 0; i < means.size(); ++i)
            means[i] += one.probability * (i < one.bits.size() ? static_cast<double>(one.bits[i]) : mean);
    }
    for (double& mean : means) mean /= total;
    return means;
}

std::vector<double> by_slice(const std::vector<double>& means, const std::vector<int>& widths) {
    std::vector<double> slices;
    const double full = std::max(1.0, std::exp2(widths.front()) - 1.0);
    std::size_t bit = 0;
    for (const int width : widths) {
        double value = 0.0;
        for (int j = 0; j < width; ++j) value += means[bit++] * std::exp2(width - 1 - j);
        slices.push_back(value / full);
    }
    return slices;
}

/// Of numbers of `bits` bits: each entry evenly over the numbers that round to it.
Histogram spread_to(const Histogram& histogram, int bits) {
    const std::int64_t factor = std::int64_t{1} << (bits - bits_of(histogram).value());
    const std::int64_t size = (std::int64_t{1} << bits) - 1;
    Histogram fine(static_cast<std::size_t>(size), 0.0);
    for (std::int64_t i = 0; i < std::ssize(histogram); ++i) {
        const std::int64_t centre = (i - std::ssize(histogram) / 2) * factor + size / 2;
        const std::int64_t first = std::max<std::int64_t>(0, centre - factor / 2);
        const std::int64_t end = std::max(first + 1, std::min(size, centre + (factor + 1) / 2));
        for (std::int64_t x = first; x < end; ++x) fine[x] += histogram[i] / static_cast<double>(end - first);
    }
    return fine;
}

}  // namespace

std::optional<Encoding> encoding_named(std::string_view name) {
    const auto found =
        std::ranges::find_if(kNames, [&](const Name& one) { return one.ours == name || one.cimloop == name; });
    return found == kNames.end() ? std::nullopt : std::optional(found->encoding);
}

std::string_view name_of(Encoding encoding) { return kNames[static_cast<std::size_t>(encoding)].ours; }

std::optional<int> bits_of(const Histogram& histogram) {
    const std::size_t size = histogram.size() + 1;
    const int bits = static_cast<int>(std::bit_width(size)) - 1;
    if (!std::has_single_bit(size) || bits < 2 || bits > 16) return std::nullopt;
    if (std::ranges::any_of(histogram, [](double p) { return !(p >= 0.0); })) return std::nullopt;
    if (std::ranges::all_of(histogram, [](double p) { return p == 0.0; })) return std::nullopt;
    return bits;
}

bool is_signed(const Histogram& histogram) {
    const auto middle = histogram.begin() + std::ssize(histogram) / 2;
    return std::any_of(histogram.begin(), middle, [](double p) { return p > 0.0; });
}

int encoded_bits(Encoding encoding, int bits, bool has_sign) {
    switch (resolved(encoding, has_sign)) {
        case Encoding::offset: return bits;
        case Encoding::xnor:
        case Encoding::zero_gated_xnor: return bits + 2;
        default: return bits - 1;
    }
}

std::vector<int> slice_widths(int bits, int bits_per_slice) {
    const int width = std::min(bits, bits_per_slice);
    std::vector<int> widths(static_cast<std::size_t>(bits / width), width);
    if (bits % width != 0) widths.push_back(bits % width);
    return widths;
}

std::vector<double> mean_slices(const Histogram& histogram, Encoding encoding, int bits, int bits_per_slice) {
    if (bits < bits_of(histogram).value() || bits > 16)
        throw std::invalid_argument("a histogram spreads to as many bits as it has, or more, up to 16");
    const int encoded = encoded_bits(encoding, bits, is_signed(histogram));
    return by_slice(mean_bits(coded(spread_to(histogram, bits), encoding), encoded),
                    slice_widths(encoded, bits_per_slice));
}

std::vector<double> cimloop_mean_slices(const Histogram& histogram, Encoding encoding, int encoded,
                                        int bits_per_slice) {
    return by_slice(mean_bits(coded(histogram, encoding), encoded), slice_widths(encoded, bits_per_slice));
}

}  // namespace tilewright::cim
