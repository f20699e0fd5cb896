#include "certificate/fused/box_nests.hpp"

#include <algorithm>
#include <limits>

#include "base/numbers/factors.hpp"
#include "certificate/fused/place.hpp"

namespace tilewright::certificate::fused_proof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNearly = 1.0 - 1e-12;

}  // namespace

BoxNests::BoxNests(Nests& nests, const BoxOfLeaf& box)
    : nests_(nests),
      box_(box),
      operands_(nests.einsum_.tensor_count()),
      least_ways_(nests.least_ways(box.extents)),
      tile_(box.extents) {
    for (const std::int64_t extent : box.extents) operations_ *= static_cast<double>(extent);
    for (int t = 0; t < operands_; ++t) {
        all_words_.push_back(words(t, box.extents));
        if (is_written(t)) results_ += all_words_.back();
    }
}

double BoxNests::words(int operand, const Extents& extents) const {
    return words_of_tile(nests_.einsum_.tensors[place(operand)], extents);
}

// Of the first call and of those that read its sums.
double BoxNests::all_calls(double units, const Moved& dram, Moved buffer) const {
    const double first = cost(units, dram, buffer);
    if (box_.resumed == 0) return first;
    buffer.reads += results_;
    return first + static_cast<double>(box_.resumed) * cost(units, dram, buffer);
}

double BoxNests::cost(double units, const Moved& dram, const Moved& buffer) const {
    const Prices& prices = nests_.prices_;
    const Weights& weights = nests_.weights_;
    double energy = 0.0;
    double time = 0.0;
    if (weights.energy > 0.0)
        energy = operations_ * prices.operation_pj + energy_pj(prices.dram, dram) + energy_pj(prices.buffer, buffer);
    if (weights.cycles > 0.0)
        time = std::max({operations_ / units, cycles(prices.dram, dram), cycles(prices.buffer, buffer)});
    return weights.value(energy, time);
}

// By the cheapest way of any tile: units that the buffer cannot feed do not count as quick.
double BoxNests::floor_of(const Moved& dram) const {
    double least = kInfinity;
    for (const Way& way : least_ways_)
        least = std::min(least, all_calls(way.units, dram, {way.reads, dram.reads, way.updates}));
    return least;
}

// Every tile is brought once at least.
double BoxNests::floor() const {
    Moved once;
    for (int t = 0; t < operands_; ++t)
        if (!is_held(t)) (is_written(t) ? once.updates : once.reads) += all_words_[place(t)];
    return floor_of(once);
}

// Dimensions that move only what is held are not cut.
void BoxNests::find_cuts() {
    std::vector<std::uint32_t> moves;
    for (std::size_t d = 0; d < box_.extents.size(); ++d) {
        const std::uint32_t moved = nests_.movers_[d];
        if (box_.extents[d] == 1 || !nests_.may_be_cut_[d] || (moved & ~box_.held) == 0) continue;
        auto cut = std::ranges::find(cuts_, moved, &Cut::moves);
        if (cut == cuts_.end()) {
            cut = cuts_.insert(cuts_.end(), Cut{moved});
            moves.push_back(moved);
        }
        cut->dimensions.push_back(d);
    }
    orders_ = &nests_.orders(std::move(moves), box_.held);
    for (Cut& cut : cuts_) {
        double whole = 1.0;
        for (const std::size_t d : cut.dimensions) whole *= static_cast<double>(box_.extents[d]);
        const std::size_t first = cut.dimensions.front();
        cut.parts.push_back({first, box_.extents[first], whole, 1.0});
        double after = whole;
        for (const std::size_t d : cut.dimensions) {
            after /= static_cast<double>(box_.extents[d]);
            for (const std::int64_t part : divisors(box_.extents[d])) {
                if (part == box_.extents[d]) break;
                const double size = static_cast<double>(part) * after;
                cut.parts.push_back({d, part, size, whole / size});
            }
        }
    }
    parts_.assign(cuts_.size(), nullptr);
    tiles_.assign(std::size_t{1} << cuts_.size(), 1.0);
    own_cuts_.assign(place(operands_), 0);
    Extents at_one = box_.extents;
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
        for (const std::size_t d : cuts_[c].dimensions) at_one[d] = 1;
        for (int t = 0; t < operands_; ++t)
            if ((cuts_[c].moves >> static_cast<unsigned>(t) & 1U) != 0) own_cuts_[place(t)] |= 1U << c;
    }
    for (int t = 0; t < operands_; ++t) uncut_.push_back(words(t, at_one));
}

// Calls `visit` with the number of every tile, its parts and tiles set.
template <typename Visit>
void BoxNests::each_tile(const Visit& visit) {
    std::size_t count = 1;
    for (const Cut& cut : cuts_) count *= cut.parts.size();
    for (std::size_t number = 0; number < count; ++number) {
        set_tile(number);
        visit(number);
    }
}

void BoxNests::set_tile(std::size_t number) {
    split_ = 0;
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
        const std::vector<Part>& parts = cuts_[c].parts;
        parts_[c] = &parts[number % parts.size()];
        number /= parts.size();
        const double tiles = parts_[c]->tiles;
        if (tiles > 1.0) split_ |= 1U << c;
        const std::size_t one = std::size_t{1} << c;
        for (std::size_t others = 0; others < one; ++others) tiles_[one | others] = tiles_[others] * tiles;
    }
}

std::int64_t BoxNests::own_words() const {
    double own = 0.0;
    for (int t = 0; t < operands_; ++t) {
        if (is_held(t)) continue;
        double words = uncut_[place(t)];
        for (std::size_t c = 0; c < cuts_.size(); ++c)
            if ((own_cuts_[place(t)] >> c & 1U) != 0) words *= parts_[c]->size;
        own += words;
    }
    return own < 1e18 ? static_cast<std::int64_t>(own) : std::numeric_limits<std::int64_t>::max();
}

// A tile's words times its tiles are all words of the operand, so other loops outside its own say how often these come.
Moved BoxNests::from_dram(const LoopOrder& order) const {
    Moved moved;
    for (int t = 0; t < operands_; ++t) {
        if (is_held(t)) continue;
        const double once = all_words_[place(t)];
        const double all = once * tiles_[order[place(t)] & ~own_cuts_[place(t)]];
        if (!is_written(t)) {
            moved.reads += all;
        } else {
            moved.reads += all - once;  // the first time nothing was there
            moved.updates += all;
        }
    }
    return moved;
}

double BoxNests::floor_of_tile() const {
    double least = kInfinity;
    for (const LoopOrder& order : orders_->best(split_)) least = std::min(least, floor_of(from_dram(order)));
    return least;
}

// The spread over the array: one dimension along each axis. `dram` is no more than any order asks for; what costs
// `most` or more with it is left out.
void BoxNests::find_ways(const Moved& dram, double most) {
    tile_ = box_.extents;
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
        if (parts_[c]->tiles == 1.0) continue;
        for (const std::size_t d : cuts_[c].dimensions) {
            if (d == parts_[c]->dimension) {
                tile_[d] = parts_[c]->extent;
                break;
            }
            tile_[d] = 1;
        }
    }
    for (int t = 0; t < operands_; ++t) {
        words_of_tile_[place(t)] = uncut_[place(t)];
        for (std::size_t c = 0; c < cuts_.size(); ++c)
            if ((own_cuts_[place(t)] >> c & 1U) != 0) words_of_tile_[place(t)] *= parts_[c]->size;
    }
    ways_.clear();
    nests_.each_spread(tile_, [&](int x, std::int64_t along_x, int y, std::int64_t along_y) {
        add_ways(x, along_x, y, along_y, dram, most);
    });
}

// What the registers do not hold comes in every step.
void BoxNests::add_ways(int x, std::int64_t along_x, int y, std::int64_t along_y, const Moved& dram, double most) {
    const Nests::Sharing& sharing = nests_.sharing(x, along_x, y, along_y);
    const double steps = operations_ / sharing.units;
    for (const int kept : nests_.in_register_) {
        Way way{steps * sharing.all_words - results_, steps * sharing.written_words, sharing.units};
        if (kept >= 0) {
            const double shared = sharing.words[place(kept)];
            double units = 1.0;  // that need different words
            if (x >= 0 && nests_.moves(x, kept)) units *= static_cast<double>(along_x);
            if (y >= 0 && nests_.moves(y, kept)) units *= static_cast<double>(along_y);
            const double one_after_the_other = words_of_tile_[place(kept)] / units;
            double moved = one_after_the_other * shared * tiles_.back();
            if (one_after_the_other == 1.0) {  // stays where the next tile needs it, too
                moved = 0.0;
                way.kept = kept;
                way.kept_words = shared;
            }
            way.reads += moved - steps * shared;
            if (is_written(kept)) way.updates += moved - steps * shared;
        }
        if (all_calls(way.units, dram, {way.reads, dram.reads, way.updates}) * kNearly < most)
            nests_.add_way(way, ways_);
    }
}

double BoxNests::value(const LoopOrder& order, const Moved& dram) const {
    double least = kInfinity;
    for (const Way& way : ways_) {
        Moved buffer{way.reads, dram.reads, way.updates};
        if (way.kept >= 0) {
            const double moved = way.kept_words * tiles_[order[place(way.kept)]];
            buffer.reads += moved;
            if (is_written(way.kept)) buffer.updates += moved;
        }
        least = std::min(least, all_calls(way.units, dram, buffer));
    }
    return least;
}

// Over all orders of the loops around the tile; `most`, where nothing is below it.
double BoxNests::least_value(double most) {
    Moved least{kInfinity, 0.0, kInfinity};
    for (const LoopOrder& order : orders_->best(split_)) {
        const Moved dram = from_dram(order);
        least.reads = std::min(least.reads, dram.reads);
        least.updates = std::min(least.updates, dram.updates);
    }
    find_ways(least, most);
    if (ways_.empty()) return most;
    for (const LoopOrder& order : orders_->all(split_)) {
        const Moved dram = from_dram(order);
        if (floor_of(dram) * kNearly < most) most = std::min(most, value(order, dram));
    }
    return most;
}

// Tiles by words, so that what costs no less than a smaller one is left out; a floor shows most of them. What is known
// to cost less has more words than all that is new.
Front BoxNests::front(double most, const Front& known) {
    constexpr std::size_t kMany = 1U << 18U;  // at a time: their memory is bounded
    find_cuts();
    const std::int64_t fewer = known.empty() ? std::numeric_limits<std::int64_t>::max() : known.front().words;
    Front front = known;
    std::vector<Tile> tiles;
    const auto look = [&] {
        std::ranges::sort(tiles, {}, [](const Tile& tile) { return std::pair(tile.words, tile.floor); });
        Front found;
        double least = most;
        for (const Tile& tile : tiles) {
            if (tile.floor * kNearly >= least) continue;
            set_tile(tile.number);
            const double value = least_value(least);
            if (value >= least) continue;
            found.push_back({tile.words, value});
            least = value;
        }
        tiles.clear();
        found.insert(found.end(), front.begin(), front.end());
        std::ranges::sort(found, {}, [](const Point& point) { return std::pair(point.words, point.value); });
        front.clear();
        for (const Point& point : found)
            if (front.empty() || point.value < front.back().value) front.push_back(point);
    };
    each_tile([&](std::size_t number) {
        const std::int64_t words = own_words();
        if (words >= fewer || words > nests_.prices_.capacity_words) return;
        const double floor = floor_of_tile();
        if (floor * kNearly < most) tiles.push_back({words, floor, number});
        if (tiles.size() == kMany) look();
    });
    look();
    return front;
}

}  // namespace tilewright::certificate::fused_proof
