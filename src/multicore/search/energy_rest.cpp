#include "multicore/search/energy_rest.hpp"

#include <algorithm>
#include <set>

#include "multicore/search/kept.hpp"

namespace tilewright::multicore {
EnergyRest::EnergyRest(const Evaluators& evaluators, const Weights& weights, Way& way)
    : evaluators_(evaluators), weights_(weights), way_(way), cores_(evaluators.exact.problem().package().core_count()) {
    find_beside();
    sum();
}

// Distinct words that a stage touches of a tensor: in all steps, where they leave no gaps; else in the largest one.
double EnergyRest::words_of_reader(int reader, int tensor) const {
    const Problem& problem = evaluators_.exact.problem();
    Box all;
    Box largest;
    std::int64_t words = 0;
    for (const Box& box : way_.frame.made->of(reader)) {
        if (is_empty(box)) continue;
        all = words == 0 ? box : hull(all, box);
        words += words_of(box);
        if (largest.empty() || words_of(box) > words_of(largest)) largest = box;
    }
    if (words == 0) return 0.0;
    const Box points = problem.points_behind(reader, words_of(all) == words ? all : largest);
    double most = 0.0;
    for (const Reading& reading : problem.worker(reader).reads) {
        const Access& access = problem.cascade().einsums[reader].accesses[reading.operand];
        if (reading.tensor == tensor && (access.anywhere || is_gapless(access, points)))
            most = std::max(most, static_cast<double>(words_of(problem.touched(reader, reading, points))));
    }
    return most;
}

// Read once, and written at each reader that is on cores of its own; there it is read again where it never comes for
// two readers at once.
double EnergyRest::shared_from_dram(int tensor, const std::vector<int>& readers) const {
    const DramPrices prices = dram_prices(evaluators_.exact);
    double most = 0.0;
    double all = 0.0;
    bool is_apart = way_.frame.disjoint;
    for (const int reader : readers) {
        const double words = words_of_reader(reader, tensor);
        most = std::max(most, words);
        all += words;
        for (const int other : readers)
            is_apart =
                is_apart && (other >= reader || comes_apart(evaluators_.exact.problem(), way_, tensor,
                                                            other - way_.frame.first, reader - way_.frame.first));
    }
    return (is_apart ? all : most) * (prices.read_pj + prices.way_in_pj) +
           (way_.frame.disjoint ? all : most) * evaluators_.exact.sending().write_pj;
}

// To the first reader of what another stage made; arrivals are the reader's.
double EnergyRest::sent(int reader, int tensor) const {
    return words_of_reader(reader, tensor) *
           (evaluators_.exact.sending().read_pj + evaluators_.exact.sending().leave_pj);
}

double EnergyRest::shared(int tensor) const {
    std::vector<int> readers;
    for (const int reader : evaluators_.exact.problem().readers(tensor))
        if (way_.frame.is_inside(reader)) readers.push_back(reader);
    return readers.size() > 1 ? shared_from_dram(tensor, readers) : 0.0;
}

void EnergyRest::find_beside() {
    const Problem& problem = evaluators_.exact.problem();
    beside_.assign(way_.stages(), 0.0);
    std::set<int> seen;
    for (int e = way_.frame.first; e <= way_.frame.last; ++e)
        for (const Reading& reading : problem.worker(e).reads) {
            if (!seen.insert(reading.tensor).second) continue;
            if (way_.frame.is_inside(problem.maker(reading.tensor))) {
                if (way_.frame.disjoint) beside_[e - way_.frame.first] += sent(e, reading.tensor);
                continue;
            }
            const auto is_inside = [&](int reader) { return way_.frame.is_inside(reader); };
            const std::vector<int>& readers = problem.readers(reading.tensor);
            const auto last = std::find_if(readers.rbegin(), readers.rend(), is_inside);
            beside_[*last - way_.frame.first] += shared(reading.tensor);
        }
}

double EnergyRest::alone(int stage, const Team& team, bool& is_exact) const {
    return way_.alone(evaluators_, weights_, stage, team, is_exact);
}

void EnergyRest::sum() {
    const int stages = way_.stages();
    rest_.assign(stages + 1, std::vector<double>(cores_ + 1, kNever));
    best_.assign(stages, std::vector<Team>(cores_ + 1, {0, 0}));
    rest_[stages].assign(cores_ + 1, 0.0);
    bool is_exact = false;
    for (int stage = stages - 1; stage >= 0; --stage)
        for (int from = way_.size > 0 ? 0 : cores_ - 1; from >= 0; --from) {
            double& least = rest_[stage][from];
            if (way_.size == 0 && rest_[stage][from + 1] < least) {
                least = rest_[stage][from + 1];
                best_[stage][from] = best_[stage][from + 1];
            }
            const int smallest = way_.size > 0 ? way_.size : 1;
            for (int size = smallest; size <= (way_.size > 0 ? way_.size : cores_ - from); ++size) {
                const double after = rest_[stage + 1][way_.size > 0 ? 0 : from + size];
                if (after + beside_[stage] >= least) continue;
                const double value = alone(stage, {from, size}, is_exact) + weights_.energy * beside_[stage] + after;
                if (value >= least) continue;
                least = value;
                best_[stage][from] = {from, size};
            }
        }
}

// Of the stages on the cheapest way through, the first whose option is not known.
bool EnergyRest::open_next() {
    int core = 0;
    for (int stage = 0; stage < way_.stages(); ++stage) {
        const Team team = best_[stage][core];
        bool is_exact = false;
        alone(stage, team, is_exact);
        if (!is_exact) {
            way_.options_of(evaluators_, weights_, stage, team)->least();
            return true;
        }
        core = way_.size > 0 ? 0 : team.from + team.size;
    }
    return false;
}

void EnergyRest::raise(double cut, const StopSource* stop) {
    while (rest_[0][0] < cut && open_next()) {
        throw_if_stopped(stop);
        sum();
    }
}

}  // namespace tilewright::multicore
