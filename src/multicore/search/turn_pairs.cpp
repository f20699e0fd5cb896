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
    find_kept();
    list(cut);
    sum(cut);
}

void TurnPairs::find_kept() {
    for (const KeptSpan& span : kept_spans(evaluators_.exact.problem(), way_))
        kept_.push_back(std::make_unique<Kept>(evaluators_.exact, way_, span));
    for (int stage = 0; stage < way_.stages(); ++stage) beside_.push_back(weights_.energy * rest_.beside(stage));
    for (const auto& kept : kept_)
        if (!kept->span().is_made) beside_[kept->span().last] -= weights_.energy * rest_.shared(kept->span().tensor);
}

// From the stage or one before it to a later one.
Kept* TurnPairs::kept_over(int stage) const {
    for (const auto& kept : kept_)
        if (kept->span().first <= stage && stage < kept->span().last) return kept.get();
    return nullptr;
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
        if (options != nullptr) list_options(stage, rest_.from(0, 0) - options->least(), cut);
    }
}

void TurnPairs::list_options(int stage, double others, double cut) {
    StageOptions& options = *way_.options_of(evaluators_, weights_, stage, {0, way_.size});
    for (std::size_t i = 0;; ++i) {
        const Option* option = options.at(i);
        if (option == nullptr || others + option->value >= cut) return;
        One one{option->value, weights_.energy * option->unknown_pj, option->shape, option->room};
        one.peak = *std::ranges::max_element(*option->room);
        for (const auto& kept : kept_) {
            if (kept->span().first == stage) one.first = kept->first_pattern(option->stage);
            if (kept->span().last == stage) one.last = kept->last_pattern(option->stage);
        }
        options_[stage].push_back(one);
    }
}

int TurnPairs::context(int stage, int before, int option) const {
    const Kept* kept = kept_over(stage);
    if (kept == nullptr) return 0;
    return kept->span().first == stage ? options_[stage][option].first : before;
}

// But for what is kept until the stage.
double TurnPairs::plain(int stage, int before, int option) const {
    const One& one = options_[stage][option];
    if (stage == 0 || !has_pairs_[stage]) return one.alone_pj + beside_[stage];
    const double moved = pair_pj(stage, options_[stage - 1][before].shape, one.shape);
    return one.alone_pj + std::max(0.0, moved - one.unknown_pj) + beside_[stage];
}

double TurnPairs::added(int stage, int context, int before, int option) const {
    double sum = plain(stage, before, option);
    for (const auto& kept : kept_)
        if (kept->span().last == stage && !kept->span().is_made)
            sum += weights_.energy *
                   std::max(rest_.shared(kept->span().tensor), kept->energy_pj(context, options_[stage][option].last));
    return sum;
}

void TurnPairs::sum(double cut) {
    after_.resize(way_.stages());
    for (int stage = 0; stage < way_.stages(); ++stage) {
        const Kept* kept = kept_over(stage);
        after_[stage].assign(kept != nullptr ? std::max(kept->first_patterns(), 1) : 1,
                             std::vector<double>(options_[stage].size(), kNever));
    }
    std::ranges::fill(after_.back().front(), 0.0);
    for (int stage = way_.stages() - 1; stage > 0;) {
        Kept* kept = kept_over(stage - 1);
        if (kept == nullptr) {
            sum_before(stage--);
        } else {
            sum_kept(*kept, cut);
            stage = kept->span().first;
        }
    }
    for (std::size_t option = 0; option < options_.front().size(); ++option) {
        const int i = static_cast<int>(option);
        least_ = std::min(least_, plain(0, 0, i) + after_[0][context(0, 0, i)][option]);
    }
}

// By option of the stage before: the least of these, each with what it adds.
std::vector<double> TurnPairs::least_behind(int stage, std::vector<Coming> next) const {
    std::ranges::sort(next, {}, &Coming::least);
    std::map<int, double> by_shape;
    std::vector<double> all;
    for (std::size_t before = 0; before < options_[stage - 1].size(); ++before) {
        const auto [known, is_new] =
            by_shape.try_emplace(has_pairs_[stage] ? options_[stage - 1][before].shape : 0, kNever);
        double& best = known->second;
        for (std::size_t i = 0; is_new && i < next.size() && next[i].least < best; ++i) {
            const int option = next[i].option;
            const double alone = options_[stage][option].alone_pj + beside_[stage];
            best = std::min(best, next[i].least + plain(stage, static_cast<int>(before), option) - alone);
        }
        all.push_back(best);
    }
    return all;
}

void TurnPairs::sum_before(int stage) {
    std::vector<Coming> next;
    for (int option = 0; option < static_cast<int>(options_[stage].size()); ++option)
        next.push_back(
            {options_[stage][option].alone_pj + beside_[stage] + after_[stage][context(stage, 0, option)][option],
             option});
    after_[stage - 1].front() = least_behind(stage, std::move(next));
}

// Each pair of cuts that may be of use below the cut.
void TurnPairs::sum_kept(Kept& kept, double cut) {
    const auto [tensor, first_stage, last_stage, is_made] = kept.span();
    const double shared = is_made ? 0.0 : weights_.energy * rest_.shared(tensor);
    std::vector<double> firsts(kept.first_patterns(), kNever);
    std::vector<double> lasts(kept.last_patterns(), kNever);
    for (const One& one : options_[first_stage]) firsts[one.first] = std::min(firsts[one.first], one.alone_pj);
    for (const One& one : options_[last_stage]) lasts[one.last] = std::min(lasts[one.last], one.alone_pj);
    if (firsts.empty() || lasts.empty()) return;
    const double others = rest_.from(0, 0) - *std::ranges::min_element(firsts) - *std::ranges::min_element(lasts);
    for (int first = 0; first < kept.first_patterns(); ++first)
        for (int last = 0; last < kept.last_patterns(); ++last) {
            throw_if_stopped(evaluators_.stop);
            if (others + firsts[first] + lasts[last] >= cut) continue;
            const double kept_pj = std::max(shared, weights_.energy * kept.energy_pj(first, last));
            if (others + firsts[first] + lasts[last] + kept_pj - shared < cut) sum_pair(kept, first, last, kept_pj);
        }
}

// Stages from the first one to the last in the room that the tensor leaves, cut so by both.
void TurnPairs::sum_pair(Kept& kept, int first, int last, double kept_pj) {
    const int first_stage = kept.span().first;
    const std::vector<std::vector<std::int32_t>> room = kept.room(first, last);
    std::vector<double> behind;  // by option of the stage
    for (int stage = kept.span().last; stage >= first_stage; --stage) {
        std::vector<Coming> next;
        for (int option = 0; option < static_cast<int>(options_[stage].size()); ++option) {
            const One& one = options_[stage][option];
            const bool is_last = stage == kept.span().last;
            if (is_last ? one.last != last : stage == first_stage && one.first != first) continue;
            if (!has_room(one, room[stage - first_stage])) continue;
            const double rest = is_last ? kept_pj + after_[stage][context(stage, 0, option)][option] : behind[option];
            if (!is_last) {
                double& least = after_[stage][first][option];
                least = std::min(least, rest);
            }
            next.push_back({one.alone_pj + beside_[stage] + rest, option});
        }
        if (stage > first_stage) behind = least_behind(stage, std::move(next));
    }
}

bool TurnPairs::has_room(const One& one, const std::vector<std::int32_t>& kept) const {
    const package::Package& package = evaluators_.exact.problem().package();
    const int cores = package.core_count();
    for (int core = 0; core < way_.size; ++core) {
        const std::int64_t buffer = package.kind_of(core).buffer_words;
        for (std::size_t i = core; i < kept.size(); i += cores)
            if (kept[i] + one.peak > buffer && kept[i] + (*one.room)[i + cores] > buffer) return false;
    }
    return true;
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
