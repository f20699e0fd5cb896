#include "certificate/fused/nests.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "certificate/fused/box_nests.hpp"
#include "certificate/fused/place.hpp"

namespace tilewright::certificate::fused_proof {
namespace {

bool is_plain(const Rank& rank) {
    return rank.terms.empty() || (rank.terms.size() == 1 && rank.terms[0].coefficient == 1);
}

bool is_alone(const Tensor& tensor, int dimension) {
    return std::ranges::all_of(tensor.ranks, [&](const Rank& rank) {
        return is_plain(rank) || std::ranges::find(rank.terms, dimension, &Term::dimension) == rank.terms.end();
    });
}

// Different places on one axis.
double places_on(const Rank& rank, int x, std::int64_t along_x, int y, std::int64_t along_y) {
    std::set<std::int64_t> places{0};
    for (const auto& [dimension, along] : {std::pair(x, along_x), std::pair(y, along_y)})
        for (const Term& term : rank.terms) {
            if (term.dimension != dimension) continue;
            std::set<std::int64_t> more;
            for (const std::int64_t place : places)
                for (std::int64_t i = 0; i < along; ++i) more.insert(place + i * term.coefficient);
            places = std::move(more);
        }
    return static_cast<double>(places.size());
}

}  // namespace

double words_of_tile(const Tensor& tensor, const std::vector<std::int64_t>& extents) {
    double product = 1.0;
    for (const Rank& rank : tensor.ranks) {
        std::int64_t width = 1;
        for (const Term& term : rank.terms) width += term.coefficient * (extents[place(term.dimension)] - 1);
        product *= static_cast<double>(width);
    }
    return product;
}

std::int64_t largest_factor_up_to(std::int64_t most, std::int64_t extent) {
    for (std::int64_t factor = std::min(most, extent); factor > 1; --factor)
        if (extent % factor == 0) return factor;
    return 1;
}

Front scaled(Front front, double times) {
    for (Point& point : front) point.value *= times;
    return front;
}

Front both(const Front& a, const Front& b) {
    Front front;
    std::size_t i = 0;
    std::size_t k = 0;
    while (i < a.size() && k < b.size()) {
        front.push_back({std::max(a[i].words, b[k].words), a[i].value + b[k].value});
        const std::int64_t next_a = i + 1 < a.size() ? a[i + 1].words : std::numeric_limits<std::int64_t>::max();
        const std::int64_t next_b = k + 1 < b.size() ? b[k + 1].words : std::numeric_limits<std::int64_t>::max();
        if (i + 1 == a.size() && k + 1 == b.size()) break;
        if (next_a <= next_b) ++i;
        if (next_b <= next_a) ++k;
    }
    // With equal words the last one has the smallest value.
    Front kept;
    for (const Point& point : front) {
        if (!kept.empty() && kept.back().words == point.words) kept.pop_back();
        kept.push_back(point);
    }
    return kept;
}

Nests::Nests(const Einsum& einsum, const Prices& prices, const Weights& weights)
    : einsum_(einsum), prices_(prices), weights_(weights) {
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        std::uint32_t movers = 0;
        bool cut = true;
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            if (is_relevant(einsum.tensors[place(t)], d)) movers |= 1U << static_cast<unsigned>(t);
            cut = cut && is_alone(einsum.tensors[place(t)], d);
        }
        movers_.push_back(movers);
        may_be_cut_.push_back(cut);
    }
    in_register_ = {-1};
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (std::ranges::all_of(einsum.tensors[place(t)].ranks, is_plain)) in_register_.push_back(t);
}

const Nests::Sharing& Nests::sharing(int x, std::int64_t along_x, int y, std::int64_t along_y) {
    constexpr unsigned kFactorBits = 24;
    constexpr unsigned kHalf = 32;
    const auto half = [](int dimension, std::int64_t along) {
        return static_cast<std::uint64_t>(dimension + 1) << kFactorBits | static_cast<std::uint64_t>(along);
    };
    const auto [entry, is_new] = sharing_.try_emplace(half(x, along_x) << kHalf | half(y, along_y));
    if (!is_new) return entry->second;
    Sharing& sharing = entry->second;
    sharing.units = static_cast<double>(along_x * along_y);
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        sharing.words[place(t)] = 1.0;
        for (const Rank& rank : einsum_.tensors[place(t)].ranks)
            sharing.words[place(t)] *= places_on(rank, x, along_x, y, along_y);
        sharing.all_words += sharing.words[place(t)];
        if (einsum_.tensors[place(t)].written) sharing.written_words += sharing.words[place(t)];
    }
    return sharing;
}

const Front& Nests::front(const BoxOfLeaf& box, double most) {
    const auto [entry, is_new] = fronts_.try_emplace(box);
    KnownFront& known = entry->second;
    if (!is_new && most <= known.most) return known.front;
    known.most = is_new ? most : with_room(most, floor(box));
    known.front = BoxNests(*this, box).front(known.most, known.front);
    return known.front;
}

const std::vector<Nests::Way>& Nests::least_ways(const std::vector<std::int64_t>& extents) {
    const auto [entry, is_new] = least_ways_.try_emplace(extents);
    if (is_new) entry->second = find_least_ways(extents);
    return entry->second;
}

// The largest factors share most: each word of the operand in the registers comes once, the others' in every step.
std::vector<Nests::Way> Nests::find_least_ways(const std::vector<std::int64_t>& extents) {
    std::vector<Way> ways;
    double operations = 1.0;
    for (const std::int64_t extent : extents) operations *= static_cast<double>(extent);
    std::array<double, kMaxTensors> all_words{};
    for (int t = 0; t < einsum_.tensor_count(); ++t)
        all_words[place(t)] = words_of_tile(einsum_.tensors[place(t)], extents);
    each_spread(extents, [&](int x, std::int64_t along_x, int y, std::int64_t along_y) {
        const Sharing& shared = sharing(x, along_x, y, along_y);
        for (const int kept : in_register_) {
            Way way;
            way.units = shared.units;
            for (int t = 0; t < einsum_.tensor_count(); ++t) {
                const bool written = einsum_.tensors[place(t)].written;
                const double in_steps = operations / shared.units * shared.words[place(t)];
                const double words = t == kept ? all_words[place(t)] : in_steps;
                way.reads += written ? std::max(0.0, words - all_words[place(t)]) : words;
                if (written) way.updates += words;
            }
            add_way(way, ways);
        }
    });
    return ways;
}

void Nests::add_way(const Way& way, std::vector<Way>& ways) const {
    if (std::ranges::any_of(ways, [&](const Way& other) { return is_no_worse(other, way); })) return;
    std::erase_if(ways, [&](const Way& other) { return is_no_worse(way, other); });
    ways.push_back(way);
}

// In all that what is minimised asks for.
bool Nests::is_no_worse(const Way& a, const Way& b) const {
    if (a.kept >= 0 || b.kept >= 0) return false;
    const Port& buffer = prices_.buffer;
    constexpr double kNever = std::numeric_limits<double>::infinity();
    if (weights_.energy > 0.0 && a.reads * buffer.read_pj + a.updates * buffer.update_pj >
                                     b.reads * buffer.read_pj + b.updates * buffer.update_pj)
        return false;
    if (weights_.cycles <= 0.0) return true;
    return a.units >= b.units && a.reads + a.updates <= b.reads + b.updates &&
           (buffer.reads_per_cycle == kNever || a.reads <= b.reads) &&
           (buffer.writes_per_cycle == kNever || a.updates <= b.updates);
}

LoopOrders& Nests::orders(std::vector<std::uint32_t> moves, std::uint32_t held) {
    const auto entry = orders_.find({moves, held});
    if (entry != orders_.end()) return entry->second;
    LoopOrders orders(moves, held, einsum_.tensor_count());
    return orders_.emplace(std::pair(std::move(moves), held), std::move(orders)).first->second;
}

double Nests::floor(const BoxOfLeaf& box) {
    const auto [entry, is_new] = floors_.try_emplace(box);
    if (is_new) entry->second = BoxNests(*this, box).floor();
    return entry->second;
}

// A larger box shares no less, so the whole einsum has the least; of windows a word may serve each of its points.
Nests::PerPoint Nests::least_per_point(const std::vector<bool>& is_driven) {
    double points = 1.0;
    for (const Dimension& dimension : einsum_.dimensions) points *= static_cast<double>(dimension.extent);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    PerPoint least{kInfinity, kInfinity};
    const auto along = [&](int d, std::int64_t most) -> std::int64_t {
        if (d < 0) return 1;
        const std::int64_t extent = einsum_.dimensions[place(d)].extent;
        return is_driven[place(d)] ? std::min(most, extent) : largest_factor_up_to(most, extent);
    };
    for (int x = -1; x < einsum_.dimension_count(); ++x)
        for (int y = -1; y < einsum_.dimension_count(); ++y) {
            if (x == y && x >= 0) continue;
            const Sharing& shared = sharing(x, along(x, prices_.array.x), y, along(y, prices_.array.y));
            for (const int kept : in_register_) {
                const Moved moved = moved_a_point(shared, kept, points);
                const double fed = (moved.reads + moved.updates) / prices_.buffer.words_per_cycle;
                least.cycles = std::min(least.cycles, std::max(1.0 / shared.units, fed));
                least.energy_pj =
                    std::min(least.energy_pj, prices_.operation_pj + fused_proof::energy_pj(prices_.buffer, moved));
            }
        }
    return least;
}

// Each word of the operand in the registers comes once, the others' in every step.
Moved Nests::moved_a_point(const Sharing& shared, int kept, double points) const {
    Moved moved;
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        double once = 1.0;
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (moves(d, t)) once *= static_cast<double>(einsum_.dimensions[place(d)].extent);
        once /= points;
        const double words = t == kept ? once : shared.words[place(t)] / shared.units;
        const bool written = einsum_.tensors[place(t)].written;
        if (written) moved.updates += words;
        moved.reads += written ? std::max(0.0, words - once) : words;
    }
    return moved;
}

}  // namespace tilewright::certificate::fused_proof
