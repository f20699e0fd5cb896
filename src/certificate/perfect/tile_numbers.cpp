#include "certificate/perfect/tile_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "certificate/common/union_size.hpp"

namespace tilewright::certificate {
namespace {

constexpr double kUnknown = -1.0;

double product_of(const Box& box, std::uint32_t dimensions) {
    double product = 1.0;
    for (; dimensions != 0; dimensions &= dimensions - 1) product *= box[std::countr_zero(dimensions)];
    return product;
}

bool may_have_loops(const Mapspace& mapspace, const Charges& charges, int level) {
    for (int d = 0; d < charges.dimension_count(); ++d)
        if (mapspace.temporal_bounds(level, d).at_most > 1 && charges.rest()[d] > 1.0) return true;
    return false;
}

}  // namespace

double used_at_least(const Addresses& tensor, const Box& extents) {
    if (tensor.shares_dimensions()) return tensor.distinct_at_least(extents);
    double words = 1.0;
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
        std::vector<Copies> copies;
        for (std::uint32_t left = tensor.dims[r]; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            copies.push_back({std::abs(tensor.ranks[r][d]), extents[d]});
        }
        words *= union_size_at_least(1.0, std::move(copies), {});
    }
    return words;
}

TileNumbers::TileNumbers(const Mapspace& mapspace, const Charges& charges, const Lattice& lattice, Storage storage)
    : charges_(charges),
      lattice_(lattice),
      storage_(storage),
      numbers_(static_cast<std::size_t>(charges.tensor_count() * (charges.level_count() + 1))),
      fitting_(static_cast<std::size_t>(charges.level_count()) << charges.tensor_count()) {
    for (int l = 1; l <= charges.level_count(); ++l)
        around_[l] = l == 1 || may_have_loops(mapspace, charges, l - 1) ? l - 1 : around_[l - 1];
    for (int t = 0; t < charges.tensor_count(); ++t) {
        number_tiles(t);
        distinct_[t] = used_at_least(charges.tensor(t), charges.ground().extents);
        rank_moved_[t].fill(-1);
        const Addresses& tensor = charges.tensor(t);
        for (int r = static_cast<int>(tensor.ranks.size()) - 1; r >= 0; --r)
            for (std::uint32_t left = tensor.dims[r]; left != 0; left &= left - 1)
                rank_moved_[t][std::countr_zero(left)] = r;
    }
}

// Tiles are numbered by their first points.
void TileNumbers::number_tiles(int t) {
    const std::uint32_t moving = charges_.tensor(t).moving;
    std::vector<std::int32_t>& indices = indices_[t];
    indices.assign(static_cast<std::size_t>(lattice_.size()), 0);
    samples_[t].clear();
    for (int point = 0; point < lattice_.size(); ++point) {
        const int same = lattice_.without(point, ~moving);
        if (same == point) {
            indices[point] = static_cast<std::int32_t>(samples_[t].size());
            samples_[t].push_back(point);
            double left = 1.0;
            for (std::uint32_t dims = moving; dims != 0; dims &= dims - 1) {
                const int d = std::countr_zero(dims);
                left *= charges_.rest()[d] / lattice_.loops(point)[d];
            }
            left_[t].push_back(left);
        } else {
            indices[point] = indices[same];
        }
    }
}

TileNumbers::ByParent& TileNumbers::by_parent(const Charges& charges, int t, int level) {
    std::vector<ByParent>& all = numbers(t, level).by_parent;
    if (all.empty()) all.resize(static_cast<std::size_t>(charges.level_count() + 1));
    return all[charges.parent(t, level) + 1];
}

double TileNumbers::words_at(int t, int level, std::size_t index) {
    std::vector<double>& words = numbers(t, level).words;
    if (words.empty()) words.assign(samples_[t].size(), kUnknown);
    if (words[index] == kUnknown) words[index] = charges_.tensor(t).words(charges_.tile(level, loops_of(t, index)));
    return words[index];
}

// Independent of other memories' tensors.
bool TileNumbers::fits(const Charges& charges, int level, int point) {
    const std::size_t kept = charges.assignment()[level].keep.bits();
    std::vector<std::int8_t>& known = fitting_[(static_cast<std::size_t>(level) << charges.tensor_count()) + kept];
    if (known.empty()) known.assign(static_cast<std::size_t>(lattice_.size()), -1);
    std::int8_t& fits = known[point];
    if (fits >= 0) return fits != 0;
    double room = 0.0;
    for (int t = 0; t < charges.tensor_count(); ++t)
        if (charges.keeps(t, level)) room += charges.room(t, level, words(t, level, point));
    fits = charges.has_room(level, room) ? 1 : 0;
    return fits != 0;
}

const double* TileNumbers::sent_at(int t, int level, std::size_t index) {
    std::vector<double>& all = numbers(t, level).sent;
    const std::size_t count = charges_.tensor(t).ranks.size() + 1;
    if (all.empty()) all.assign(samples_[t].size() * count, kUnknown);
    double* const sent = all.data() + index * count;
    if (*sent == kUnknown) measure_sent(t, level, index, sent);
    return sent;
}

// Whenever a rank other than the sliding one moves the tile, or an irrelevant loop steps, all inner loops fall back: no
// later tile is a slide or a repetition, the whole tile is sent. Between two such moments every word of the sweep along
// the sliding rank is needed.
void TileNumbers::measure_sent(int t, int level, std::size_t index, double* sent) {
    const Addresses& tensor = charges_.tensor(t);
    const Box tile = charges_.tile(level, loops_of(t, index));
    const double words = words_at(t, level, index);
    double* const moving = sent + 1;
    if (!tensor.steady) {
        *sent = std::max(words, tensor.distinct_at_least(charges_.tile(level, charges_.rest())));
        std::fill(moving, moving + tensor.ranks.size(), *sent);
        return;
    }
    const double all = words * left_[t][index];
    *sent = all;
    std::fill(moving, moving + tensor.ranks.size(), all);
    if (!tensor.overlaps) return;
    Box left;
    left.fill(1.0);
    for (int d = 0; d < charges_.dimension_count(); ++d) left[d] = charges_.rest()[d] / loops_of(t, index)[d];
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
        if (tensor.dims[r] == 0) continue;
        const double others = product_of(left, tensor.moving & ~tensor.dims[r]);
        moving[r] = std::min(all, others * words * swept(t, level, r, tile, left) / tensor.width(r, tile));
        *sent = std::min(*sent, moving[r]);
    }
}

// Distinct words along one rank in a sweep over all positions. Dimensions not spread outside give adjacent tiles;
// others at least a tile apart.
double TileNumbers::swept(int t, int level, std::size_t rank, const Box& tile, const Box& left) const {
    const Addresses& tensor = charges_.tensor(t);
    std::vector<Copies> copies;
    std::vector<Copies> scattered;
    for (std::uint32_t dims = tensor.dims[rank]; dims != 0; dims &= dims - 1) {
        const int d = std::countr_zero(dims);
        const bool whole = charges_.inside(level)[d] == charges_.inside(0)[d];
        (whole ? copies : scattered).push_back({tensor.ranks[rank][d] * tile[d], left[d]});
    }
    return union_size_at_least(tensor.width(rank, tile), std::move(copies), scattered);
}

double TileNumbers::least_sent(int t, int level, int point) { return *sent_at(t, level, index(t, point)); }

const Sharing& TileNumbers::across(int t, int fanout, std::size_t index) {
    std::vector<Sharing>& known = numbers(t, fanout).across;
    if (known.empty()) known.assign(samples_[t].size(), {kUnknown, 0.0});
    if (known[index].groups == kUnknown) known[index] = charges_.across(t, fanout, loops_of(t, index));
    return known[index];
}

void TileNumbers::add_sharing(const Charges& charges, int t, int level, int outside, int point, Sharing& sharing) {
    if (charges.is_dynamic(t, level))
        charges.add_sharing(t, level, outside, across(t, outside, index(t, point)), sharing);
}

// Across the fan-outs directly outside, up to the next memory with possible loops. Loops may stand between an uneven
// mapping's stores of one memory, but not around the compute units.
Sharing TileNumbers::sharing(const Charges& charges, int t, int level, std::size_t index) {
    Sharing sharing;
    const bool is_next = storage_ == Storage::even || level == charges.level_count();
    if (!is_next || !charges.is_dynamic(t, level)) return sharing;
    const int outermost = storage_ == Storage::even ? around_[level] : level - 1;
    for (int fanout = level - 1; fanout >= outermost; --fanout)
        add_sharing(charges, t, level, fanout, samples_[t][index], sharing);
    return sharing;
}

// Across the other fan-outs up to the parent: memories in between may have any loops.
double TileNumbers::groups_farther_out(const Charges& charges, int t, int level, int point) {
    double groups = 1.0;
    if (storage_ != Storage::even || !charges.is_dynamic(t, level)) return groups;
    for (int fanout = around_[level] - 1; fanout >= charges.parent(t, level); --fanout)
        if (charges.spreads_dynamically(t, fanout)) groups *= least_groups(t, fanout, point);
    return groups;
}

// More loops inside may also increase sharing.
double TileNumbers::least_groups(int t, int fanout, int point) {
    std::vector<double>& least = numbers(t, fanout).least_groups;
    if (least.empty()) {
        for (int at = 0; at < lattice_.size(); ++at) least.push_back(across(t, fanout, index(t, at)).groups);
        lattice_.look_outwards((1U << charges_.dimension_count()) - 1U, least);
    }
    return least[point];
}

FirstWords TileNumbers::first_words(const Charges& charges, int t, int level, std::size_t index) {
    if (!charges.tensor(t).written) return {};
    std::vector<FirstWords>& known = by_parent(charges, t, level).first;
    if (known.empty()) known.assign(samples_[t].size(), {kUnknown, 0.0});
    if (known[index].held == kUnknown) known[index] = charges.first_words(t, level, loops_of(t, index));
    return known[index];
}

// Every used word leaves the parents.
Sharing TileNumbers::at_least(const Charges& charges, int t, int level, Sharing sharing, double sent) const {
    if (charges.is_dynamic(t, level))
        sharing.groups = std::max(sharing.groups, distinct_[t] / (charges.senders(t, level) * sent) * kRoundedDown);
    return sharing;
}

TileNumbers::Sent TileNumbers::sent_by(const Charges& charges, int t, int level, std::size_t index, double words) {
    const FirstWords first = first_words(charges, t, level, index);
    if (!charges.tensor(t).overlaps) return {words, first, {}};
    if (!charges.is_dynamic(t, level)) words = std::max(words, distinct_[t] / charges.senders(t, level) * kRoundedDown);
    Sharing sharing = this->sharing(charges, t, level, index);
    sharing.groups *= groups_farther_out(charges, t, level, samples_[t][index]);
    return {words, first, at_least(charges, t, level, sharing, words)};
}

TileNumbers::Sent TileNumbers::sent_to_units(const Charges& charges, int t) {
    const int units = charges.level_count();
    const Sharing sharing = this->sharing(charges, t, units, 0);
    return {charges.steps(), first_words(charges, t, units, 0), at_least(charges, t, units, sharing, charges.steps())};
}

double TileNumbers::pj(const Charges& charges, int t, int level, std::size_t index, double sent) {
    const Sent least = sent_by(charges, t, level, index, sent);
    return charges.energy_pj(t, level, least.words, least.first, least.sharing);
}

void TileNumbers::add_loads(const Charges& charges, int t, int level, std::size_t index, double sent, Loads& loads) {
    const Sent least = sent_by(charges, t, level, index, sent);
    charges.add_loads(t, level, least.words, least.first, least.sharing, loads);
}

double TileNumbers::inside_pj(const Charges& charges) {
    double pj = charges.compute_pj();
    for (int t = 0; t < charges.tensor_count(); ++t) {
        const Sent sent = sent_to_units(charges, t);
        pj += charges.energy_pj(t, charges.level_count(), sent.words, sent.first, sent.sharing);
    }
    return pj;
}

void TileNumbers::add_inside_loads(const Charges& charges, Loads& loads) {
    for (int t = 0; t < charges.tensor_count(); ++t) {
        const Sent sent = sent_to_units(charges, t);
        charges.add_loads(t, charges.level_count(), sent.words, sent.first, sent.sharing, loads);
    }
}

// Groups across fan-outs multiply, and energy grows at least in proportion: increments over the minimum add up.
double TileNumbers::asked_pj(const Charges& charges, int level, int point) {
    const int units = charges.level_count();
    if (storage_ != Storage::even || level == 0 || around_[level + 1] < level) return 0.0;
    double pj = 0.0;
    for (int t = 0; t < charges.tensor_count(); ++t) {
        if (charges.parent(t, units) >= level || !shares_by_tile(charges, t, level)) continue;
        const FirstWords first = first_words(charges, t, units, 0);
        const Sharing inside = sharing(charges, t, units, 0);
        Sharing wider = inside;
        for (int fanout = level - 1; fanout >= around_[level]; --fanout)
            add_sharing(charges, t, units, fanout, point, wider);
        const Sharing least = at_least(charges, t, units, inside, charges.steps());
        pj += std::max(0.0, charges.energy_pj(t, units, charges.steps(), first, wider) -
                                charges.energy_pj(t, units, charges.steps(), first, least));
    }
    return pj;
}

bool TileNumbers::shares_by_tile(const Charges& charges, int t, int level) const {
    for (int fanout = level - 1; fanout >= around_[level]; --fanout)
        if (charges.spreads_dynamically(t, fanout)) return true;
    return false;
}

double TileNumbers::least_pj(const Charges& charges, int t, int level, int point) {
    const std::size_t index = this->index(t, point);
    return pj(charges, t, level, index, *sent_at(t, level, index));
}

void TileNumbers::add_least_loads(const Charges& charges, int t, int level, int point, Loads& loads) {
    const std::size_t index = this->index(t, point);
    add_loads(charges, t, level, index, *sent_at(t, level, index), loads);
}

LoadsByFirstLoop TileNumbers::loads_by_first_loop(const Charges& charges, int t, int level, int point) {
    LoadsByFirstLoop loads;
    const std::size_t index = this->index(t, point);
    const double* const sent = sent_at(t, level, index);
    const double times = moving_times(t, index, point);
    const Addresses& tensor = charges_.tensor(t);
    add_loads(charges, t, level, index, *sent, loads.staying);
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r)
        if (tensor.dims[r] != 0)
            add_loads(charges, t, level, index, (tensor.overlaps ? sent[1 + r] : *sent) * times, loads.moving[r]);
    return loads;
}

const ByFirstLoop& TileNumbers::by_first_loop(const Charges& charges, int t, int level, int point) {
    std::vector<ByFirstLoop>& known = by_parent(charges, t, level).by_loop;
    if (known.empty()) known.assign(static_cast<std::size_t>(lattice_.size()), {kUnknown, {}});
    ByFirstLoop& costs = known[point];
    if (costs.staying_pj == kUnknown) costs = measured(charges, t, level, point);
    return costs;
}

ByFirstLoop TileNumbers::measured(const Charges& charges, int t, int level, int point) {
    const std::size_t index = this->index(t, point);
    const double* const sent = sent_at(t, level, index);
    const double times = moving_times(t, index, point);
    const Addresses& tensor = charges_.tensor(t);
    ByFirstLoop costs;
    costs.staying_pj = pj(charges, t, level, index, *sent);
    if (!tensor.overlaps) {
        costs.pj.fill(times == 1.0 ? costs.staying_pj : pj(charges, t, level, index, *sent * times));
        return costs;
    }
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r)
        if (tensor.dims[r] != 0) costs.pj[r] = pj(charges, t, level, index, sent[1 + r] * times);
    return costs;
}

double TileNumbers::least_moving_pj(const Charges& charges, int t, int level, int point) {
    const std::size_t index = this->index(t, point);
    const double* const sent = sent_at(t, level, index);
    const Addresses& tensor = charges_.tensor(t);
    double least = kInfinite;
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r)
        if (tensor.dims[r] != 0) least = std::min(least, sent[1 + r]);
    if (least == kInfinite) return pj(charges, t, level, index, *sent);  // no loop moves it
    return pj(charges, t, level, index, least * moving_times(t, index, point));
}

}  // namespace tilewright::certificate
