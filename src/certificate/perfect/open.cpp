#include "certificate/perfect/open.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "certificate/perfect/arrivals.hpp"
#include "certificate/perfect/bounds.hpp"

namespace tilewright::certificate {

OpenDeliveries::OpenDeliveries(const Flows& flows, const Grid& grid, bool timed)
    : flows_(flows), grid_(grid), timed_(timed), crossed_(flows.level_count()) {
    waiting_.resize(entry(grid.size(), 0, 0));
    for (int t = 0; t < flows.tensor_count(); ++t)
        for (int l = 0; l <= flows.level_count(); ++l) sharing_out_[t][l] = fanouts_that_share_out(flows, t, l);
}

void OpenDeliveries::start(State& state) {
    const int units = flows_.level_count();
    for (int t = 0; t < flows_.tensor_count(); ++t) {
        if (!flows_.is_dynamic(t, units) && sharing_out_[t][units] == 0) {
            settle(t, units, flows_.steps(), first_words(0, t, units), {}, state);
            continue;
        }
        Window& window = add_window(0, t, units, state);
        window.state = Window::State::whole;
        window.sent = flows_.steps();
    }
}

Window& OpenDeliveries::add_window(int point, int t, int level, State& state) {
    Window& window = state.windows.emplace_back();
    window.tensor = static_cast<std::int8_t>(t);
    window.level = static_cast<std::int8_t>(level);
    window.first = window.least_first = first_words(point, t, level);
    if (sharing_out_[t][level] == 0) return window;
    window.points = {point};
    if (is_shared_out(flows_, t, level, grid_.loops(point))) {
        window.points.insert(window.points.end(), std::popcount(sharing_out_[t][level]), point);
        know_first_words(window);
    } else {
        window.least_first = least_first_words(flows_, t, level, grid_.loops(point));
    }
    return window;
}

// All fan-outs are crossed that share out what comes.
void OpenDeliveries::know_first_words(Window& window) const {
    std::vector<Crossing> crossings;
    std::uint32_t left = sharing_out_[window.tensor][window.level];
    for (std::size_t i = 1; i < window.points.size(); ++i) {
        const int fanout = std::bit_width(left) - 1;
        crossings.push_back({fanout, &grid_.loops(window.points[i])});
        left &= ~(1U << fanout);
    }
    const Box& loops = grid_.loops(window.points.front());
    window.first = window.least_first = certificate::first_words(flows_, window.tensor, window.level, loops, crossings);
    window.points.clear();
}

// Unions take long.
FirstWords OpenDeliveries::first_words(int point, int t, int level) {
    const Box& loops = grid_.loops(point);
    if (!flows_.tensor(t).written || !flows_.tensor(t).overlaps) return flows_.first_words(t, level, loops);
    if (first_.empty()) first_.resize(entry(grid_.size(), 0, 0));
    std::optional<FirstWords>& known = first_[entry(point, t, level)];
    if (!known) known = flows_.first_words(t, level, loops);
    return *known;
}

void OpenDeliveries::open(const Section& from, const Section& to, int point, State& state) {
    for (int t = 0; t < flows_.tensor_count(); ++t)
        for (int l = from.reached[t] - 1; l >= to.reached[t]; --l) {
            if (!flows_.delivers(t, l)) continue;
            if (flows_.tensor(t).overlaps)
                add_window(point, t, l, state);
            else
                state.waiting[t] |= 1U << l;
        }
    for (int fanout = from.crossed - 1; fanout >= to.crossed; --fanout) cross(fanout, point, state);
    settle_windows(state);
}

// The groups of deliveries across this fan-out are known now.
void OpenDeliveries::cross(int fanout, int point, State& state) const {
    for (Window& window : state.windows) {
        flows_.add_sharing(window.tensor, window.level, fanout, grid_.loops(point), window.sharing);
        const std::uint32_t sharing_out = sharing_out_[window.tensor][window.level];
        if (window.points.empty() || (sharing_out >> fanout & 1U) == 0) continue;
        window.points.push_back(point);
        if (std::countr_zero(sharing_out) == fanout) know_first_words(window);
    }
}

bool OpenDeliveries::move(int point, int dimension, const Step& step, State& state) {
    for (int t = 0; t < flows_.tensor_count(); ++t) {
        if (!flows_.tensor(t).moves(dimension)) continue;
        for (std::uint32_t left = state.waiting[t]; left != 0; left &= left - 1) {
            const int l = std::countr_zero(left);
            settle(t, l, sent_by_waiting(point, t, l), first_words(point, t, l), {}, state);
        }
        state.waiting[t] = 0;
    }
    bool slides = false;
    for (Window& window : state.windows) {
        advance(window, point, dimension, step);
        slides = slides || (window.state == Window::State::sliding && (window.along >> dimension & 1U) != 0);
    }
    settle_windows(state);
    return slides;
}

void OpenDeliveries::settle_all(State& state) {
    const int last = grid_.size() - 1;
    for (int t = 0; t < flows_.tensor_count(); ++t) {
        for (std::uint32_t left = state.waiting[t]; left != 0; left &= left - 1) {
            const int l = std::countr_zero(left);
            settle(t, l, sent_by_waiting(last, t, l), first_words(last, t, l), {}, state);
        }
        state.waiting[t] = 0;
    }
    for (Window& window : state.windows) {
        window.sent = sent_now(window, last);
        window.state = Window::State::whole;
    }
    settle_windows(state);
}

void OpenDeliveries::settle(int t, int level, double sent, const FirstWords& first, const Sharing& sharing,
                            State& state) const {
    state.pj += flows_.energy_pj(t, level, sent, first, sharing);
    if (!timed_) return;
    Loads loads{};
    flows_.add_loads(t, level, sent, first, sharing, loads);
    for (std::size_t i = 0; i < state.loads.size(); ++i) state.loads[i] += loads[i];
}

// ---------------------------------------------------------------- those that no loop has moved

double OpenDeliveries::words(int point, int t, int level) {
    double& known = waiting_[entry(point, t, level)].words;
    if (known == kUnknown) known = flows_.tensor(t).words(flows_.tile(level, grid_.loops(point)));
    return known;
}

double OpenDeliveries::sent_by_waiting(int point, int t, int level) {
    return grid_.around(point) * words(point, t, level);
}

double OpenDeliveries::least_sent_by_waiting(int point, int t, int level) {
    double& known = waiting_[entry(point, t, level)].least_sent;
    if (known == kUnknown) known = least_sent(flows_, t, level, grid_.loops(point));
    return known;
}

double OpenDeliveries::waiting_now_pj(int point, int t, int level) {
    double& known = waiting_[entry(point, t, level)].now_pj;
    if (known == kUnknown)
        known = flows_.energy_pj(t, level, sent_by_waiting(point, t, level), first_words(point, t, level));
    return known;
}

double OpenDeliveries::waiting_least_pj(int point, int t, int level) {
    double& known = waiting_[entry(point, t, level)].least_pj;
    if (known == kUnknown)
        known = flows_.energy_pj(t, level, least_sent_by_waiting(point, t, level), first_words(point, t, level));
    return known;
}

void OpenDeliveries::add_waiting_loads(int point, int t, int level, Loads& loads) {
    flows_.add_loads(t, level, sent_by_waiting(point, t, level), first_words(point, t, level), {}, loads);
}

// ---------------------------------------------------------------- windows

double OpenDeliveries::sent_now(const Window& window, int point) {
    return window.state == Window::State::unmoved ? sent_by_waiting(point, window.tensor, window.level) : window.sent;
}

// Of a sliding tile, advances along its rank may still save words: at most as many as these dimensions have left when
// their loops come next.
double OpenDeliveries::sent_least(const Window& window, int point) {
    const Addresses& tensor = flows_.tensor(window.tensor);
    switch (window.state) {
        case Window::State::whole: return window.sent;
        case Window::State::unmoved: return least_sent_by_waiting(point, window.tensor, window.level);
        case Window::State::sliding: break;
    }
    if (!tensor.steady) return window.tile;
    double left = 1.0;
    for (std::uint32_t dims = window.along; dims != 0; dims &= dims - 1) {
        const int d = std::countr_zero(dims);
        left *= flows_.rest()[d] / grid_.loops(point)[d];
    }
    return std::max(window.tile, window.sent - window.tile * grid_.around(point) * (1.0 - 1.0 / left));
}

double OpenDeliveries::window_pj(const Window& window, double sent, const FirstWords& first) const {
    return flows_.energy_pj(window.tensor, window.level, sent, first, window.sharing);
}

void OpenDeliveries::add_window_loads(int point, const Window& window, Loads& loads) {
    flows_.add_loads(window.tensor, window.level, sent_now(window, point), window.least_first, window.sharing, loads);
}

void OpenDeliveries::start_sliding(Window& window, int point, int dimension, double stride) const {
    const Addresses& tensor = flows_.tensor(window.tensor);
    const Box tile = flows_.tile(window.level, grid_.loops(point));
    window.state = Window::State::sliding;
    window.tile = tensor.words(tile);
    window.kept = tensor.kept(tile, dimension, stride);
    window.slide = tensor.step(dimension, stride);
    window.along = tensor.beside(dimension);
    window.sent = grid_.around(point) * window.tile;
    // Nothing else moves this rank, and what does not overlap saves nothing.
    if (tensor.steady && std::popcount(window.along) == 1 && window.kept == 0.0) window.state = Window::State::whole;
}

// docs/model.md, "Perfect nests": a loop that advances by its own move less what all loops inside fall back. It steps
// over all that is inside, the neighbours of the fan-outs crossed among it.
void OpenDeliveries::advance(Window& window, int point, int dimension, const Step& step) const {
    if (window.state == Window::State::whole) return;
    const Addresses& tensor = flows_.tensor(window.tensor);
    const double stride = flows_.inside(crossed_)[dimension] * grid_.loops(point)[dimension];
    const Move own = tensor.step(dimension, stride);
    const double advances = (step.factor - 1.0) * grid_.around(point + step.by);
    if (window.state == Window::State::unmoved) {
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
        if (tensor.steady && elsewhere) window.state = Window::State::whole;
    }
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) window.reset[r] += (step.factor - 1.0) * own[r];
}

void OpenDeliveries::settle_windows(State& state) const {
    const auto is_settled = [this](const Window& window) {
        return window.state == Window::State::whole && is_crossed(window) && window.points.empty();
    };
    for (const Window& window : state.windows)
        if (is_settled(window)) settle(window.tensor, window.level, window.sent, window.first, window.sharing, state);
    std::erase_if(state.windows, is_settled);
}

void OpenDeliveries::price(int point, State& state) {
    state.least_pj = state.pj;
    for (int t = 0; t < flows_.tensor_count(); ++t)
        for (std::uint32_t left = state.waiting[t]; left != 0; left &= left - 1)
            state.least_pj += waiting_least_pj(point, t, std::countr_zero(left));
    for (Window& window : state.windows) {
        window.now_pj = is_crossed(window) ? window_pj(window, sent_now(window, point), window.least_first)
                                           : std::numeric_limits<double>::infinity();
        window.least_pj = window_pj(window, sent_least(window, point), window.first);
        state.least_pj += window.least_pj;
    }
}

}  // namespace tilewright::certificate
