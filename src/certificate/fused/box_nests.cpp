#include "certificate/fused/box_nests.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/numbers/factors.hpp"
#include "certificate/fused/place.hpp"

namespace tilewright::certificate::fused_proof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

std::int64_t largest_factor_up_to(std::int64_t most, std::int64_t extent) {
    for (std::int64_t factor = std::min(most, extent); factor > 1; --factor)
        if (extent % factor == 0) return factor;
    return 1;
}

BoxNests::BoxNests(Nests& nests, const BoxOfLeaf& box) : nests_(nests), box_(box), tile_(box.extents) {
    const Einsum& einsum = nests.einsum_;
    for (const std::int64_t extent : box.extents) operations_ *= static_cast<double>(extent);
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        all_words_.push_back(words(t, box.extents));
        if (is_written(t)) results_ += all_words_.back();
    }
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const std::uint32_t moves = nests.movers_[place(d)];
        if (box.extents[place(d)] == 1 || !nests.may_be_cut_[place(d)] || (moves & ~box.held) == 0) continue;
        auto cut = std::ranges::find(cuts_, moves, &Cut::moves);
        if (cut == cuts_.end()) cut = cuts_.insert(cuts_.end(), Cut{moves, {}});
        cut->dimensions.push_back(d);
    }
    find_least_ways();
}

double BoxNests::words(int operand, const Extents& extents) const {
    double product = 1.0;
    for (const Rank& rank : nests_.einsum_.tensors[place(operand)].ranks) {
        std::int64_t width = 1;
        for (const Term& term : rank.terms) width += term.coefficient * (extents[place(term.dimension)] - 1);
        product *= static_cast<double>(width);
    }
    return product;
}

std::int64_t BoxNests::own_words() const {
    double own = 0.0;
    for (int t = 0; t < nests_.einsum_.tensor_count(); ++t)
        if (!is_held(t)) own += words(t, tile_);
    return own < 1e18 ? static_cast<std::int64_t>(own) : std::numeric_limits<std::int64_t>::max();
}

// Of a cut one dimension is a part, those before it are at one, those after it whole.
void BoxNests::each_tile(std::size_t cut, const std::function<void()>& visit) {
    if (cut == cuts_.size()) return visit();
    each_tile(cut + 1, visit);
    for (const int d : cuts_[cut].dimensions) {
        const std::int64_t whole = box_.extents[place(d)];
        for (const std::int64_t part : divisors(whole)) {
            if (part == whole) break;
            tile_[place(d)] = part;
            each_tile(cut + 1, visit);
        }
        tile_[place(d)] = 1;
    }
    for (const int d : cuts_[cut].dimensions) tile_[place(d)] = box_.extents[place(d)];
}

// As if the operand's own loops stood outside all others.
double BoxNests::trips_at_least(int operand) const {
    double trips = 1.0;
    for (std::size_t d = 0; d < tile_.size(); ++d)
        if (nests_.moves(static_cast<int>(d), operand)) trips *= static_cast<double>(tiles_along(d));
    return trips;
}

Moved BoxNests::from_dram(const std::vector<double>& trips) const {
    Moved moved;
    for (std::size_t t = 0; t < trips.size(); ++t) {
        if (is_held(static_cast<int>(t))) continue;
        const double all = words(static_cast<int>(t), tile_) * trips[t];
        if (!is_written(static_cast<int>(t))) {
            moved.reads += all;
        } else {
            moved.reads += all - all_words_[t];  // the first time nothing was there
            moved.updates += all;
        }
    }
    return moved;
}

double BoxNests::cost(double units, const Moved& dram, const Moved& buffer) const {
    const Prices& prices = nests_.prices_;
    return nests_.weights_.value(
        operations_ * prices.operation_pj + energy_pj(prices.dram, dram) + energy_pj(prices.buffer, buffer),
        std::max({operations_ / units, cycles(prices.dram, dram), cycles(prices.buffer, buffer)}));
}

// By the cheapest way of any tile: units that the buffer cannot feed do not count as quick.
double BoxNests::floor_of_tile() const {
    std::vector<double> trips;
    for (int t = 0; t < nests_.einsum_.tensor_count(); ++t) trips.push_back(trips_at_least(t));
    const Moved dram = from_dram(trips);
    double least = kInfinity;
    for (const Way& way : least_ways_)
        least = std::min(least, all_calls(way.units, dram, {way.reads, dram.reads, way.updates}));
    return least;
}

// Of the first call and of those that read its sums.
double BoxNests::all_calls(double units, const Moved& dram, Moved buffer) const {
    const double first = cost(units, dram, buffer);
    if (box_.resumed == 0) return first;
    buffer.reads += results_;
    return first + static_cast<double>(box_.resumed) * cost(units, dram, buffer);
}

double BoxNests::floor() { return floor_of_tile(); }

// The largest factors share most: each word of the operand in the registers comes once, the others' in every step.
void BoxNests::find_least_ways() {
    const Mesh& array = nests_.prices_.array;
    const int dimensions = nests_.einsum_.dimension_count();
    for (int x = -1; x < dimensions; ++x)
        for (int y = -1; y < dimensions; ++y) {
            if (x == y && x >= 0) continue;
            const auto along = [&](int d, std::int64_t most) {
                return d < 0 ? 1 : largest_factor_up_to(most, box_.extents[place(d)]);
            };
            const Nests::Sharing& sharing = nests_.sharing(x, along(x, array.x), y, along(y, array.y));
            for (const int kept : nests_.in_register_) {
                Way way;
                way.units = sharing.units;
                for (int t = 0; t < nests_.einsum_.tensor_count(); ++t) {
                    const double in_steps = operations_ / sharing.units * sharing.words[place(t)];
                    const double words = t == kept ? all_words_[place(t)] : in_steps;
                    way.reads += is_written(t) ? std::max(0.0, words - all_words_[place(t)]) : words;
                    if (is_written(t)) way.updates += words;
                }
                add_way(way, least_ways_);
            }
        }
}

void BoxNests::find_ways() {
    ways_.clear();
    const Mesh& array = nests_.prices_.array;
    for (int x = -1; x < static_cast<int>(tile_.size()); ++x) {
        const std::int64_t along_x = x < 0 ? 1 : largest_factor_up_to(array.x, tile_[place(x)]);
        if (x >= 0 && along_x == 1) continue;
        for (int y = -1; y < static_cast<int>(tile_.size()); ++y) {
            const std::int64_t along_y = y < 0 ? 1 : largest_factor_up_to(array.y, tile_[place(y)]);
            if (y >= 0 && (y == x || along_y == 1)) continue;
            add_ways(x, along_x, y, along_y);
        }
    }
}

void BoxNests::add_ways(int x, std::int64_t along_x, int y, std::int64_t along_y) {
    const Nests::Sharing& sharing = nests_.sharing(x, along_x, y, along_y);
    const double steps = operations_ / sharing.units;
    double tiles = 1.0;
    for (std::size_t d = 0; d < tile_.size(); ++d) tiles *= static_cast<double>(tiles_along(d));
    for (const int kept : nests_.in_register_) {
        Way way;
        way.units = sharing.units;
        for (int t = 0; t < nests_.einsum_.tensor_count(); ++t) {
            double moved = steps * sharing.words[place(t)];
            if (t == kept) {
                double words_of_units = 1.0;  // of the tile, one after the other
                for (std::size_t d = 0; d < tile_.size(); ++d) {
                    if (!nests_.moves(static_cast<int>(d), t)) continue;
                    const auto number = static_cast<int>(d);
                    const std::int64_t along = number == x ? along_x : number == y ? along_y : 1;
                    const std::int64_t one_after_the_other = tile_[d] / along;
                    words_of_units *= static_cast<double>(one_after_the_other);
                }
                moved = words_of_units * sharing.words[place(t)] * tiles;
                if (words_of_units == 1.0) {  // stays where the next tile needs it, too
                    moved = 0.0;
                    way.kept = t;
                    way.kept_words = sharing.words[place(t)];
                }
            }
            way.reads += moved - (is_written(t) ? all_words_[place(t)] : 0.0);
            if (is_written(t)) way.updates += moved;
        }
        add_way(way, ways_);
    }
}

void BoxNests::add_way(const Way& way, std::vector<Way>& ways) {
    const auto is_no_worse = [](const Way& a, const Way& b) {
        return a.kept < 0 && b.kept < 0 && a.reads <= b.reads && a.updates <= b.updates && a.units >= b.units;
    };
    if (std::ranges::any_of(ways, [&](const Way& other) { return is_no_worse(other, way); })) return;
    std::erase_if(ways, [&](const Way& other) { return is_no_worse(way, other); });
    ways.push_back(way);
}

double BoxNests::value(const std::vector<double>& trips) const {
    const Moved dram = from_dram(trips);
    double least = kInfinity;
    for (const Way& way : ways_) {
        Moved buffer{way.reads, dram.reads, way.updates};
        if (way.kept >= 0) {
            const double moved = way.kept_words * trips[place(way.kept)];
            buffer.reads += moved;
            if (is_written(way.kept)) buffer.updates += moved;
        }
        least = std::min(least, all_calls(way.units, dram, buffer));
    }
    return least;
}

// Over all orders of the loops around the tile.
double BoxNests::least_value() {
    find_ways();
    std::vector<std::size_t> order;
    std::vector<double> tiles(cuts_.size(), 1.0);
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
        for (const int d : cuts_[c].dimensions) tiles[c] *= static_cast<double>(tiles_along(place(d)));
        if (tiles[c] > 1.0) order.push_back(c);
    }
    double least = kInfinity;
    std::vector<double> trips;
    do {
        trips.assign(place(nests_.einsum_.tensor_count()), 1.0);
        double loops = 1.0;
        for (const std::size_t c : order) {
            loops *= tiles[c];
            for (std::size_t t = 0; t < trips.size(); ++t)
                if ((cuts_[c].moves >> t & 1U) != 0) trips[t] = loops;
        }
        least = std::min(least, value(trips));
    } while (std::ranges::next_permutation(order).found);
    return least;
}

// Tiles by words, so that what costs no less than a smaller one is left out; a floor shows most of them.
Front BoxNests::front() {
    constexpr std::size_t kMany = 1U << 18U;  // at a time: their memory is bounded
    constexpr double kRounding = 1.0 - 1e-12;
    Front front;
    std::vector<Tile> tiles;
    const auto look = [&] {
        std::ranges::sort(tiles, {}, [](const Tile& tile) { return std::pair(tile.words, tile.floor); });
        Front found;
        for (const Tile& tile : tiles) {
            if (!found.empty() && tile.floor * kRounding >= found.back().value) continue;
            tile_ = tile.extents;
            const double value = least_value();
            if (found.empty() || value < found.back().value) found.push_back({tile.words, value});
        }
        tiles.clear();
        found.insert(found.end(), front.begin(), front.end());
        std::ranges::sort(found, {}, [](const Point& point) { return std::pair(point.words, point.value); });
        front.clear();
        for (const Point& point : found)
            if (front.empty() || point.value < front.back().value) front.push_back(point);
    };
    each_tile(0, [&] {
        const std::int64_t words = own_words();
        if (words > nests_.prices_.capacity_words) return;
        tiles.push_back({words, floor_of_tile(), tile_});
        if (tiles.size() < kMany) return;
        const Extents here = tile_;
        look();
        tile_ = here;
    });
    look();
    return front;
}

}  // namespace tilewright::certificate::fused_proof
