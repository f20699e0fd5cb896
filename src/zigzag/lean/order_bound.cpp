#include "zigzag/lean/order_bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "zigzag/lean/states.hpp"

namespace tilewright::zigzag {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::vector<int> repeats_of(const OrderEvaluator& evaluator) {
    std::vector<int> repeats(evaluator.kinds().size());
    for (const std::uint8_t kind : evaluator.first_order()) ++repeats[kind];
    return repeats;
}

}  // namespace

class OrderBound::Search {
   public:
    Search(const OrderEvaluator& evaluator, std::size_t most_states)
        : setup_(evaluator.shared_setup()),
          boundaries_(*setup_, repeats_of(evaluator)),
          transitions_(boundaries_),
          most_states_(most_states) {}

    Front start() { return {{number_of(transitions_.start()), boundaries_.fixed_pj()}}; }

    Front extended(const Front& front, int kind) {
        Front result;
        std::vector<lean::Successor> successors;
        for (const Label& label : front) {
            successors.clear();
            transitions_.extend(lean::State(states_[label.state]), kind, successors);
            for (const lean::Successor& next : successors)
                add(result, {number_of(next.state), label.spent_pj + next.spent_pj});
        }
        return result;
    }

    double least_pj(const Front& front) {
        double least = kNever;
        for (const Label& label : front) least = std::min(least, label.spent_pj + rest_pj(label.state));
        return least;
    }

    bool has_more(const Front& front, int kind) const {
        return !front.empty() && boundaries_.has_more(states_[front.front().state].prefix, kind);
    }

    std::size_t states() const { return states_.size(); }

   private:
    struct StateHash {
        std::size_t operator()(const lean::State& state) const {
            std::uint64_t hash = state.prefix;
            const auto mix = [&](std::uint64_t value) {
                hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL, hash ^= hash >> 29;
            };
            mix(state.level[0] | state.level[1] << 8U | state.level[2] << 16U);
            mix(static_cast<std::uint64_t>(state.partial_sums) << 8U | state.ended);
            for (int m = 0; m < lean::kShared; ++m) {
                if (state.used[m] == 0.0) continue;
                mix(std::bit_cast<std::uint64_t>(state.used[m]));
                mix(std::bit_cast<std::uint64_t>(state.growth[m]));
            }
            return hash;
        }
    };

    static void add(Front& front, const Label& label) {
        const auto same =
            std::find_if(front.begin(), front.end(), [&](const Label& l) { return l.state == label.state; });
        if (same == front.end())
            front.push_back(label);
        else
            same->spent_pj = std::min(same->spent_pj, label.spent_pj);
    }

    std::uint32_t number_of(const lean::State& state) {
        const auto [place, is_new] = numbers_.try_emplace(state, static_cast<std::uint32_t>(states_.size()));
        if (!is_new) return place->second;
        if (states_.size() == most_states_)
            throw InputError(ErrorCode::unsupported, {},
                             "the bound on loop orders meets more than " + std::to_string(most_states_) + " states");
        states_.push_back(state);
        rest_pj_.push_back(std::numeric_limits<double>::quiet_NaN());
        return place->second;
    }

    // Minimum cost of the missing loops.
    double rest_pj(std::uint32_t number) {
        if (!std::isnan(rest_pj_[number])) return rest_pj_[number];
        const lean::State state = states_[number];
        double least = kNever;
        if (state.prefix + 1 == boundaries_.prefixes()) {
            least = transitions_.finish(state).value_or(kNever);
        } else {
            std::vector<lean::Successor> successors;
            for (int kind = 0; kind < setup_->kinds; ++kind) {
                if (!boundaries_.has_more(state.prefix, kind)) continue;
                successors.clear();
                transitions_.extend(state, kind, successors);
                for (const lean::Successor& next : successors)
                    least = std::min(least, next.spent_pj + rest_pj(number_of(next.state)));
            }
        }
        return rest_pj_[number] = least;
    }

    std::shared_ptr<const lean::Setup> setup_;
    lean::Boundaries boundaries_;
    lean::Transitions transitions_;
    std::size_t most_states_;
    std::unordered_map<lean::State, std::uint32_t, StateHash> numbers_;
    std::vector<lean::State> states_;
    std::vector<double> rest_pj_;
};

OrderBound::OrderBound(const OrderEvaluator& evaluator, std::size_t most_states)
    : search_(std::make_unique<Search>(evaluator, most_states)) {}
OrderBound::OrderBound(OrderBound&&) noexcept = default;
OrderBound& OrderBound::operator=(OrderBound&&) noexcept = default;
OrderBound::~OrderBound() = default;

OrderBound::Front OrderBound::start() { return search_->start(); }
OrderBound::Front OrderBound::extended(const Front& front, int kind) { return search_->extended(front, kind); }
double OrderBound::least_pj(const Front& front) { return search_->least_pj(front); }
bool OrderBound::has_more(const Front& front, int kind) const { return search_->has_more(front, kind); }
std::size_t OrderBound::states() const { return search_->states(); }

}  // namespace tilewright::zigzag
