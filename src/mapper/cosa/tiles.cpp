#include "mapper/cosa/tiles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/numbers/factors.hpp"
#include "mapper/cosa/encoding/encoding.hpp"

namespace tilewright::cosa {
namespace {

using mip::Expression;

constexpr std::size_t kMostPairs = 256;
constexpr int kAfterCounts = 10;  // priority: decided by the counts, so not branched on

std::int64_t power_in(std::int64_t prime, std::int64_t number) {
    std::int64_t power = 0;
    for (; number % prime == 0; number /= prime) ++power;
    return power;
}

double length_of(const std::vector<std::pair<int, std::int64_t>>& axis, const std::vector<std::int64_t>& extents) {
    double length = 1.0;
    for (std::size_t i = 0; i < axis.size(); ++i)
        length += static_cast<double>(axis[i].second) * static_cast<double>(extents[i] - 1);
    return length;
}

// The next choice of one value per list, in `at` (indices); false after the last.
bool advance(const std::vector<std::vector<std::int64_t>>& lists, std::vector<std::size_t>& at) {
    for (std::size_t i = 0; i < lists.size(); ++i) {
        if (++at[i] < lists[i].size()) return true;
        at[i] = 0;
    }
    return false;
}

}  // namespace

Tiles::Tiles(const Encoding& encoding, const std::vector<SharedBuffer>& buffers)
    : encoding_(encoding), layout_(encoding.layout()) {
    for (const SharedBuffer& buffer : buffers) add_buffer(buffer);
}

void Tiles::add_buffer(const SharedBuffer& buffer) {
    Shared shared{buffer, {}, 0.0};
    double least = 0.0;  // least words of the tiles
    for (const SharedBuffer::Share& share : buffer.shares) {
        shared.log_words.push_back(log_words(buffer.memory, share.tensor) + Expression(std::log2(share.widening)));
        utilization_ += shared.log_words.back();
        least += share.widening;
    }
    for (std::size_t i = 0; i < buffer.shares.size(); ++i) {
        const double words = buffer.words - (least - buffer.shares[i].widening);
        encoding_.problem().add_row(shared.log_words[i], -mip::kInfinity, words > 0.0 ? log_room(words) : -1.0);
    }
    if (buffer.shares.size() < 2) return;
    add_first_tangents(shared);
    shared_.push_back(std::move(shared));
}

// Equal shares, and each tensor in turn with most of the buffer.
void Tiles::add_first_tangents(const Shared& shared) {
    const std::size_t count = shared.buffer.shares.size();
    add_tangent(shared, std::vector<double>(count, 1.0 / static_cast<double>(count)));
    for (const double most : {0.75, 0.9})
        for (std::size_t large = 0; large < count; ++large) {
            std::vector<double> shares(count, (1.0 - most) / static_cast<double>(count - 1));
            shares[large] = most;
            add_tangent(shared, shares);
        }
}

void Tiles::add_tangent(const Shared& shared, const std::vector<double>& shares) {
    Expression tangent;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        tangent.add(shares[i], shared.log_words[i]);
        tangent += Expression(-shares[i] * std::log2(shares[i]));
    }
    encoding_.problem().add_row(tangent, -mip::kInfinity, log_room(shared.buffer.words) - shared.slack);
}

mip::Expression Tiles::log_words(int memory, int tensor) {
    Expression sum;
    for (const Rank& rank : layout_.einsum().tensors[tensor].ranks) {
        Axis axis;
        for (const Term& term : rank.terms)
            if (layout_.extents()[term.dimension] > 1) axis.emplace_back(term.dimension, std::abs(term.coefficient));
        if (!axis.empty()) sum += log_length(memory, axis);
    }
    return sum;
}

mip::Expression Tiles::log_length(int memory, const Axis& axis) {
    if (axis.size() == 1 && axis.front().second == 1)
        return encoding_.log_of(axis.front().first, [&](int p) { return layout_.inside(p, memory); });
    const auto known = lengths_.find({memory, axis});
    if (known != lengths_.end()) return known->second;
    std::vector<std::vector<std::int64_t>> lists;
    std::size_t pairs = 1;
    for (const auto& [dimension, coefficient] : axis) {
        lists.push_back(divisors(layout_.extents()[dimension]));
        pairs = std::min(pairs * lists.back().size(), kMostPairs + 1);
    }
    Expression length = pairs <= kMostPairs ? chosen_length(memory, axis, lists) : product_of_lengths(memory, axis);
    return lengths_.emplace(std::pair{memory, axis}, std::move(length)).first->second;
}

// One binary per combination of divisors; the product of the factors inside selects it.
mip::Expression Tiles::chosen_length(int memory, const Axis& axis,
                                     const std::vector<std::vector<std::int64_t>>& divisors) {
    Expression one;
    Expression length;
    std::vector<Expression> powers(layout_.groups().size());
    std::vector<std::size_t> at(axis.size(), 0);
    do {
        std::vector<std::int64_t> extents;
        for (std::size_t i = 0; i < axis.size(); ++i) extents.push_back(divisors[i][at[i]]);
        const Expression chosen = Expression::of(encoding_.problem().add_binary(kAfterCounts));
        one += chosen;
        length.add(std::log2(length_of(axis, extents)), chosen);
        for (std::size_t g = 0; g < powers.size(); ++g)
            for (std::size_t i = 0; i < axis.size(); ++i)
                if (layout_.groups()[g].dimension == axis[i].first)
                    powers[g].add(static_cast<double>(power_in(layout_.groups()[g].prime, extents[i])), chosen);
    } while (advance(divisors, at));
    encoding_.problem().add_row(one, 1.0, 1.0);
    for (std::size_t g = 0; g < powers.size(); ++g) {
        if (powers[g].is_constant()) continue;
        encoding_.problem().add_equal(
            powers[g], encoding_.number_of(static_cast<int>(g), [&](int p) { return layout_.inside(p, memory); }));
    }
    return length;
}

// 1 + sum of c (e - 1) <= product of c e, where e = 1 makes a factor of 1.
mip::Expression Tiles::product_of_lengths(int memory, const Axis& axis) {
    const auto inside = [&](int p) { return layout_.inside(p, memory); };
    Expression length;
    for (const auto& [dimension, coefficient] : axis) {
        length += encoding_.log_of(dimension, inside);
        if (coefficient == 1) continue;
        const Expression occupied = Expression::of(encoding_.problem().add_binary());
        for (int g = 0; g < static_cast<int>(layout_.groups().size()); ++g)
            if (layout_.groups()[g].dimension == dimension)
                encoding_.problem().add_at_most(encoding_.number_of(g, inside), layout_.groups()[g].count * occupied);
        length.add(std::log2(static_cast<double>(coefficient)), occupied);
    }
    return length;
}

bool Tiles::cut_off(const Placement& placement) {
    bool cut = false;
    for (Shared& shared : shared_) {
        const SharedBuffer& buffer = shared.buffer;
        const std::vector<int> groups = groups_in(layout_, buffer);
        const Extents extents = extents_of(layout_, groups, numbers_inside(layout_, buffer.memory, groups, placement));
        const double sum = words_taken(layout_, buffer, extents);
        if (sum <= buffer.words) continue;
        std::vector<double> shares;
        for (const SharedBuffer::Share& share : buffer.shares)
            shares.push_back(words_taken(layout_, share, extents) / sum);
        add_tangent(shared, shares);
        shared.slack += 1e-6;
        cut = true;
    }
    return cut;
}

std::int64_t padded(std::int64_t extent) {
    for (std::int64_t n = extent;; ++n) {
        const std::vector<PrimePower> powers = prime_factors(n);
        if (powers.empty() || powers.back().prime <= kLargestPrime) return n;
    }
}

std::vector<std::int64_t> extents_to_factorise(const Einsum& einsum, bool pad) {
    std::vector<std::int64_t> extents;
    for (const Dimension& dimension : einsum.dimensions)
        extents.push_back(pad ? padded(dimension.extent) : dimension.extent);
    return extents;
}

std::string padding_text(const Einsum& einsum, const std::vector<std::int64_t>& extents) {
    std::string text;
    double cost = 1.0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        const Dimension& dimension = einsum.dimensions[d];
        if (extents[d] == dimension.extent) continue;
        text += (text.empty() ? "" : ", ") + dimension.name + " " + std::to_string(dimension.extent) + " -> " +
                std::to_string(extents[d]);
        cost *= static_cast<double>(extents[d]) / static_cast<double>(dimension.extent);
    }
    if (text.empty()) return text;
    std::array<char, 64> number{};
    std::snprintf(number.data(), number.size(), "%.2f", cost);
    return text + ": " + number.data() + " times the iterations";
}

}  // namespace tilewright::cosa
