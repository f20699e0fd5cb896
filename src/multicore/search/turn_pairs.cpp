#include "multicore/search/turn_pairs.hpp"

#include <algorithm>
#include <numeric>

namespace tilewright::multicore {
namespace {

// Part of a core of the team; `member`: among those that hold partial sums of the same box.
Box part_of_core(const Worker& worker, const Shape& shape, Box points, int core, int size, std::int64_t& member) {
    std::int64_t span = size;
    member = 0;
    for (const package::Split& split : shape.split) {
        span /= split.parts;
        const std::int64_t digit = core / span % split.parts;
        if (worker.axis_of[split.dimension] < 0) member = member * split.parts + digit;
        points[split.dimension] = part_of(points[split.dimension], digit, split.parts);
    }
    return points;
}

// Of those that read its tensor.
bool is_first_operand(const Worker& worker, std::size_t reading) {
    for (std::size_t r = 0; r < reading; ++r)
        if (worker.reads[r].tensor == worker.reads[reading].tensor) return false;
    return true;
}

}  // namespace

TurnPairs::TurnPairs(const Evaluators& evaluators, const Weights& weights, Way& way, const EnergyRest& rest, double cut)
    : evaluators_(evaluators), weights_(weights), way_(way), rest_(rest) {
    const Problem& problem = evaluators.exact.problem();
    has_pairs_.assign(way.stages(), false);
    for (int stage = 1; stage < way.stages(); ++stage)
        for (const Reading& reading : problem.worker(way.frame.first + stage).reads)
            if (is_next(stage, reading.tensor)) has_pairs_[stage] = true;
    list(cut);
    sum();
}

// Made by the stage before, and read by this one first.
bool TurnPairs::is_next(int stage, int tensor) const {
    const Problem& problem = evaluators_.exact.problem();
    const int einsum = way_.frame.first + stage;
    return problem.maker(tensor) == einsum - 1 && problem.readers(tensor).front() == einsum;
}

// The others of a stage's options cost as much with the least of all other stages.
void TurnPairs::list(double cut) {
    options_.resize(way_.stages());
    for (int stage = 0; stage < way_.stages(); ++stage) {
        StageOptions* options = way_.options_of(evaluators_, weights_, stage, {0, way_.size});
        if (options == nullptr) continue;
        const double others = rest_.from(0, 0) - options->least();
        for (std::size_t i = 0;; ++i) {
            const Option* option = options->at(i);
            if (option == nullptr || others + option->value >= cut) break;
            options_[stage].push_back({option->value, weights_.energy * option->unknown_pj, option->shape});
        }
    }
}

double TurnPairs::added(int stage, int before, int option) const {
    const One& one = options_[stage][option];
    const double beside = weights_.energy * rest_.beside(stage);
    if (stage == 0 || !has_pairs_[stage]) return one.alone_pj + beside;
    const double moved = pair_pj(stage, options_[stage - 1][before].shape, one.shape);
    return one.alone_pj + std::max(0.0, moved - one.unknown_pj) + beside;
}

void TurnPairs::sum() {
    after_.resize(way_.stages());
    after_.back().assign(options_.back().size(), 0.0);
    for (int stage = way_.stages() - 1; stage >= 0; --stage) {
        std::vector<int> order(options_[stage].size());
        std::iota(order.begin(), order.end(), 0);
        const auto least = [&](int option) { return options_[stage][option].alone_pj + after_[stage][option]; };
        std::ranges::sort(order, {}, least);
        const double beside = weights_.energy * rest_.beside(stage);
        const auto of = [&](int before) {
            double best = kNever;
            for (const int option : order) {
                if (least(option) + beside >= best) break;
                best = std::min(best, added(stage, before, option) + after_[stage][option]);
            }
            return best;
        };
        if (stage == 0) {
            least_ = of(0);
            return;
        }
        std::map<int, double> by_shape;
        for (const One& before : options_[stage - 1]) {
            const auto [known, is_new] = by_shape.try_emplace(has_pairs_[stage] ? before.shape : 0, 0.0);
            if (is_new) known->second = of(static_cast<int>(after_[stage - 1].size()));
            after_[stage - 1].push_back(known->second);
        }
    }
}

double TurnPairs::pair_pj(int stage, int own_shape, int need_shape) const {
    const auto [known, is_new] = pairs_.try_emplace({stage, {own_shape, need_shape}}, 0.0);
    if (is_new)
        known->second = weights_.energy * find_pair(stage, way_.shapes[stage - 1]->of_size(way_.size)[own_shape].shape,
                                                    way_.shapes[stage]->of_size(way_.size)[need_shape].shape);
    return known->second;
}

double TurnPairs::find_pair(int stage, const Shape& own, const Shape& need) const {
    const Problem& problem = evaluators_.exact.problem();
    const LeastSending& sending = evaluators_.exact.sending();
    const int einsum = way_.frame.first + stage;
    const Worker& maker = problem.worker(einsum - 1);
    const bool is_root = own.members == 1 || own.sums.way == package::Sums::Way::root;
    std::int64_t arrivals = 0;
    std::int64_t sends = 0;
    for (int step = 0; step < way_.frame.made->steps; ++step) {
        const Box& made = way_.frame.made->of(einsum - 1)[step];
        const Box& next = way_.frame.made->of(einsum)[step];
        if (is_empty(made) || is_empty(next)) continue;
        const Box made_by = problem.points_behind(einsum - 1, made);
        const Box points = problem.points_behind(einsum, next);
        std::vector<std::int64_t> moved(problem.worker(einsum).reads.size(), 0);
        for (int core = 0; core < way_.size; ++core) {
            std::int64_t member = 0;
            Box owned = problem.result_of(einsum - 1, part_of_core(maker, own, made_by, core, way_.size, member));
            if (!is_root) owned[own.sums.axis] = part_of(owned[own.sums.axis], member, own.members);
            const bool owns = !is_root || member == 0;
            const Box part = part_of_core(problem.worker(einsum), need, points, core, way_.size, member);
            for (std::size_t r = 0; r < moved.size(); ++r) {
                const Reading& reading = problem.worker(einsum).reads[r];
                if (!is_next(stage, reading.tensor) || !is_first_operand(problem.worker(einsum), r)) continue;
                const Box needed = common(problem.touched(einsum, reading, part), made);
                if (is_empty(needed)) continue;
                const std::int64_t words = words_of(needed) - (owns ? words_of(common(needed, owned)) : 0);
                arrivals += words;
                moved[r] = std::max(moved[r], words);
            }
        }
        sends += *std::ranges::max_element(moved);
    }
    return static_cast<double>(arrivals) * (sending.write_pj + sending.arrive_pj) +
           static_cast<double>(sends) * sending.read_pj;
}

}  // namespace tilewright::multicore
