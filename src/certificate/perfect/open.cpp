#include "certificate/perfect/open.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace tilewright::certificate {
namespace {

/// Of a label with no more words sent than the other: no dearer with any completion.
bool goes_on_in(const WindowDelivery& window, const Label& other) {
    return std::any_of(other.windows.begin(), other.windows.end(), [&window](const WindowDelivery& theirs) {
        return window.goes_on_like(theirs) && window.sent <= theirs.sent;
    });
}

bool went_on_from(const WindowDelivery& window, const Label& other) {
    return std::any_of(other.windows.begin(), other.windows.end(), [&window](const WindowDelivery& theirs) {
        return window.goes_on_like(theirs) && theirs.sent <= window.sent;
    });
}

}  // namespace

OpenDeliveries::OpenDeliveries(const Charges& charges, TileNumbers& tiles, bool timed)
    : charges_(charges), tiles_(tiles), lattice_(tiles.lattice()), timed_(timed), crossed_(charges.level_count()) {
    waiting_.resize(entry(lattice_.size(), 0, 0));
    for (int t = 0; t < charges.tensor_count(); ++t)
        for (int l = 0; l <= charges.level_count(); ++l) sharing_out_[t][l] = fanouts_that_share_out(charges, t, l);
}

void OpenDeliveries::start(Label& label) {
    const int units = charges_.level_count();
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        if (!charges_.is_dynamic(t, units) && sharing_out_[t][units] == 0) {
            settle(t, units, charges_.steps(), first_words(0, t, units), {}, label);
            continue;
        }
        WindowDelivery& window = add_window(0, t, units, label);
        window.phase = WindowDelivery::Phase::whole;
        window.sent = charges_.steps();
    }
}

WindowDelivery& OpenDeliveries::add_window(int point, int t, int level, Label& label) {
    WindowDelivery& window = label.windows.emplace_back();
    window.tensor = static_cast<std::int8_t>(t);
    window.level = static_cast<std::int8_t>(level);
    window.first = window.least_first = first_words(point, t, level);
    if (decides_first_words(point, t, level)) return window;
    window.points = {point};
    window.least_first = least_first_words(charges_, t, level, lattice_.loops(point));
    return window;
}

// All fan-outs spreading the arrivals are crossed.
void OpenDeliveries::know_first_words(WindowDelivery& window) {
    std::vector<Crossing> crossings;
    std::uint32_t left = sharing_out_[window.tensor][window.level];
    for (; left != 0; left ^= std::bit_floor(left)) {
        const int point = window.points[crossings.size() + 1];
        crossings.push_back({static_cast<int>(std::bit_width(left)) - 1, &lattice_.loops(point)});
    }
    const FirstWords first = counted(window.tensor, window.level, lattice_.loops(window.points.front()), crossings);
    window.first = window.least_first = first;
    window.points.clear();
}

FirstWords OpenDeliveries::counted(int t, int level, const Box& loops, std::span<const Crossing> crossings) {
    const std::optional<FirstWords> first = certificate::first_words(charges_, t, level, loops, crossings);
    if (!first) gave_up_ = true;
    return first.value_or(FirstWords{});
}

// The dimensions spread by fan-outs have no loops left.
bool OpenDeliveries::decides_first_words(int point, int t, int level) const {
    return sharing_out_[t][level] == 0 || is_shared_out(charges_, t, level, lattice_.loops(point));
}

// Unions take long.
FirstWords OpenDeliveries::first_words(int point, int t, int level) {
    const Box& loops = lattice_.loops(point);
    if (!charges_.tensor(t).written || !charges_.tensor(t).overlaps) return charges_.first_words(t, level, loops);
    if (first_.empty()) first_.resize(entry(lattice_.size(), 0, 0));
    std::optional<FirstWords>& known = first_[entry(point, t, level)];
    if (known) return *known;
    if (!decides_first_words(point, t, level)) return known.emplace(charges_.first_words(t, level, loops));
    std::vector<Crossing> crossings;
    for (std::uint32_t left = sharing_out_[t][level]; left != 0; left ^= std::bit_floor(left))
        crossings.push_back({static_cast<int>(std::bit_width(left)) - 1, &loops});
    return known.emplace(counted(t, level, loops, crossings));
}

void OpenDeliveries::open(const Stage& from, const Stage& to, int point, Label& label) {
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (int l = from.reached[t] - 1; l >= to.reached[t]; --l) {
            if (!charges_.delivers(t, l)) continue;
            if (charges_.tensor(t).overlaps)
                add_window(point, t, l, label);
            else
                label.waiting[t] |= 1U << l;
        }
    for (int fanout = from.crossed - 1; fanout >= to.crossed; --fanout) cross(fanout, point, label);
    settle_windows(label);
}

void OpenDeliveries::cross(int fanout, int point, Label& label) {
    for (WindowDelivery& window : label.windows) {
        tiles_.add_sharing(charges_, window.tensor, window.level, fanout, point, window.sharing);
        const std::uint32_t sharing_out = sharing_out_[window.tensor][window.level];
        if (window.points.empty() || (sharing_out >> fanout & 1U) == 0) continue;
        window.points.push_back(point);
        if (std::countr_zero(sharing_out) == fanout) know_first_words(window);
    }
}

bool OpenDeliveries::move(int point, int dimension, const LatticeEdge& edge, Label& label) {
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        if (!charges_.tensor(t).moves(dimension)) continue;
        for (std::uint32_t left = label.waiting[t]; left != 0; left &= left - 1) {
            const int l = std::countr_zero(left);
            settle(t, l, sent_by_waiting(point, t, l), first_words(point, t, l), {}, label);
        }
        label.waiting[t] = 0;
    }
    bool slides = false;
    for (WindowDelivery& window : label.windows) {
        advance(window, point, dimension, edge);
        slides = slides || (window.phase == WindowDelivery::Phase::sliding && (window.along >> dimension & 1U) != 0);
    }
    settle_windows(label);
    return slides;
}

void OpenDeliveries::settle_all(Label& label) {
    const int last = lattice_.size() - 1;
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        for (std::uint32_t left = label.waiting[t]; left != 0; left &= left - 1) {
            const int l = std::countr_zero(left);
            settle(t, l, sent_by_waiting(last, t, l), first_words(last, t, l), {}, label);
        }
        label.waiting[t] = 0;
    }
    for (WindowDelivery& window : label.windows) {
        window.sent = sent_now(window, last);
        window.phase = WindowDelivery::Phase::whole;
    }
    settle_windows(label);
}

void OpenDeliveries::settle(int t, int level, double sent, const FirstWords& first, const Sharing& sharing,
                            Label& label) const {
    label.pj += charges_.energy_pj(t, level, sent, first, sharing);
    if (!timed_) return;
    charges_.add_loads(t, level, sent, first, sharing, label.loads);
}

// ---------------------------------------------------------------- those that no loop has moved

double OpenDeliveries::sent_by_waiting(int point, int t, int level) {
    return lattice_.around(point) * words(point, t, level);
}

double OpenDeliveries::waiting_now_pj(int point, int t, int level) {
    double& known = waiting_[entry(point, t, level)].now_pj;
    if (known == kUnknown)
        known = charges_.energy_pj(t, level, sent_by_waiting(point, t, level), first_words(point, t, level));
    return known;
}

double OpenDeliveries::waiting_least_pj(int point, int t, int level) {
    double& known = waiting_[entry(point, t, level)].least_pj;
    if (known == kUnknown)
        known = charges_.energy_pj(t, level, tiles_.least_sent(t, level, point), first_words(point, t, level));
    return known;
}

void OpenDeliveries::add_waiting_loads(int point, int t, int level, Loads& loads) {
    charges_.add_loads(t, level, sent_by_waiting(point, t, level), first_words(point, t, level), {}, loads);
}

// ---------------------------------------------------------------- windows

double OpenDeliveries::sent_now(const WindowDelivery& window, int point) {
    return window.phase == WindowDelivery::Phase::unmoved ? sent_by_waiting(point, window.tensor, window.level)
                                                          : window.sent;
}

// The next advances of a sliding tile along its rank may save words, as far as these dimensions' next loops allow.
double OpenDeliveries::sent_least(const WindowDelivery& window, int point) {
    const Addresses& tensor = charges_.tensor(window.tensor);
    switch (window.phase) {
        case WindowDelivery::Phase::whole: return window.sent;
        case WindowDelivery::Phase::unmoved: return tiles_.least_sent(window.tensor, window.level, point);
        case WindowDelivery::Phase::sliding: break;
    }
    if (!tensor.steady) return window.tile;
    double left = 1.0;
    for (std::uint32_t dims = window.along; dims != 0; dims &= dims - 1) {
        const int d = std::countr_zero(dims);
        left *= charges_.rest()[d] / lattice_.loops(point)[d];
    }
    return std::max(window.tile, window.sent - window.tile * lattice_.around(point) * (1.0 - 1.0 / left));
}

double OpenDeliveries::window_pj(const WindowDelivery& window, double sent, const FirstWords& first) const {
    return charges_.energy_pj(window.tensor, window.level, sent, first, window.sharing);
}

void OpenDeliveries::add_window_loads(int point, const WindowDelivery& window, Loads& loads) {
    charges_.add_loads(window.tensor, window.level, sent_now(window, point), window.least_first, window.sharing, loads);
}

void OpenDeliveries::add_least_loads(int point, const Label& label, Loads& loads) {
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (std::uint32_t left = label.waiting[t]; left != 0; left &= left - 1) {
            const int l = std::countr_zero(left);
            charges_.add_loads(t, l, tiles_.least_sent(t, l, point), first_words(point, t, l), {}, loads);
        }
    for (const WindowDelivery& window : label.windows)
        charges_.add_loads(window.tensor, window.level, sent_least(window, point), window.first, window.sharing, loads);
}

void OpenDeliveries::start_sliding(WindowDelivery& window, int point, int dimension, double stride) const {
    const Addresses& tensor = charges_.tensor(window.tensor);
    const Box tile = charges_.tile(window.level, lattice_.loops(point));
    window.phase = WindowDelivery::Phase::sliding;
    window.tile = tensor.words(tile);
    window.kept = tensor.kept(tile, dimension, stride);
    window.slide = tensor.step(dimension, stride);
    window.along = tensor.beside(dimension);
    window.sent = lattice_.around(point) * window.tile;
    // Nothing else moves this rank, and disjoint tiles save nothing.
    if (tensor.steady && std::popcount(window.along) == 1 && window.kept == 0.0)
        window.phase = WindowDelivery::Phase::whole;
}

// docs/model.md, "Perfect nests": a loop's net advance is its own move less the falling back of all inner loops. Its
// step covers all inner loops and the neighbours of crossed fan-outs.
void OpenDeliveries::advance(WindowDelivery& window, int point, int dimension, const LatticeEdge& edge) const {
    if (window.phase == WindowDelivery::Phase::whole) return;
    const Addresses& tensor = charges_.tensor(window.tensor);
    const double stride = charges_.inside(crossed_)[dimension] * lattice_.loops(point)[dimension];
    const Move own = tensor.step(dimension, stride);
    const double advances = (edge.factor - 1.0) * lattice_.around(point + edge.by);
    if (window.phase == WindowDelivery::Phase::unmoved) {
        if (!tensor.moves(dimension)) return;
        start_sliding(window, point, dimension, stride);
        window.sent -= advances * window.kept;
    } else {
        Move by{};
        for (std::size_t r = 0; r < tensor.ranks.size(); ++r) by[r] = own[r] - window.reset[r];
        if (by == window.slide)
            window.sent -= advances * window.kept;
        else if (by == Move{})
            window.sent -= advances * window.tile;
        const bool elsewhere = tensor.moves(dimension) && (window.along >> dimension & 1U) == 0;
        if (tensor.steady && elsewhere) window.phase = WindowDelivery::Phase::whole;
    }
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) window.reset[r] += (edge.factor - 1.0) * own[r];
}

void OpenDeliveries::settle_windows(Label& label) const {
    const auto is_settled = [this](const WindowDelivery& window) {
        return window.phase == WindowDelivery::Phase::whole && is_crossed(window) && window.points.empty();
    };
    for (const WindowDelivery& window : label.windows)
        if (is_settled(window)) settle(window.tensor, window.level, window.sent, window.first, window.sharing, label);
    std::erase_if(label.windows, is_settled);
}

void OpenDeliveries::price(int point, Label& label) {
    label.least_pj = label.pj;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (std::uint32_t left = label.waiting[t]; left != 0; left &= left - 1)
            label.least_pj += waiting_least_pj(point, t, std::countr_zero(left));
    for (WindowDelivery& window : label.windows) {
        window.now_pj = is_crossed(window) ? window_pj(window, sent_now(window, point), window.least_first)
                                           : std::numeric_limits<double>::infinity();
        window.least_pj = window_pj(window, sent_least(window, point), window.first);
        label.least_pj += window.least_pj;
    }
}

bool Dominance::replaces(int point, const Label& a, const Label& b) {
    if (!may_go_on_like(a, b)) return false;
    double ours = a.pj;
    double theirs = b.pj;
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        for (std::uint32_t left = a.waiting[t] & ~b.waiting[t]; left != 0; left &= left - 1)
            ours += open_.waiting_now_pj(point, t, std::countr_zero(left));
        for (std::uint32_t left = b.waiting[t] & ~a.waiting[t]; left != 0; left &= left - 1)
            theirs += open_.waiting_least_pj(point, t, std::countr_zero(left));
    }
    for (const WindowDelivery& window : a.windows)
        if (!goes_on_in(window, b)) ours += window.now_pj;
    for (const WindowDelivery& window : b.windows)
        if (!went_on_from(window, a)) theirs += window.least_pj;
    return ours <= theirs && (!timed_ || replaces_loads(point, a, b));
}

// The same loops may follow, and the same stores fit.
bool Dominance::may_go_on_like(const Label& a, const Label& b) const {
    if ((a.placed & ~b.placed) != 0 || a.turn > b.turn) return false;
    if ((a.taken & ~b.taken) != 0 || ((a.taken ^ b.taken) & required_) != 0) return false;
    for (std::uint32_t left = stage_->begun; left != 0; left &= left - 1) {
        const int l = std::countr_zero(left);
        const auto at = static_cast<std::size_t>(l);
        if (a.room[at] > b.room[at] || (a.room[at] < b.room[at] && charges_.has_to_be_filled(l))) return false;
    }
    return true;
}

// Deliveries open only in b count as zero.
bool Dominance::replaces_loads(int point, const Label& a, const Label& b) const {
    if (a.cycles > b.cycles) return false;
    Loads loads{};
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (std::uint32_t left = a.waiting[t] & ~b.waiting[t]; left != 0; left &= left - 1)
            open_.add_waiting_loads(point, t, std::countr_zero(left), loads);
    for (const WindowDelivery& window : a.windows)
        if (!goes_on_in(window, b)) open_.add_window_loads(point, window, loads);
    for (const std::size_t i : charges_.ground().bind)
        if (a.loads[i] + loads[i] > b.loads[i]) return false;
    return true;
}

}  // namespace tilewright::certificate
