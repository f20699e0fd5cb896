#include "llm/server/requests.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace tilewright::llm {
namespace {

constexpr double kContextRounded = 64.0;  // mean context of a step: steps alike cost alike
constexpr double kSecond = 1e6;           // us

struct State {
    std::int64_t kept = 0;  ///< tokens in the cache
    std::int64_t made = 0;
    std::int64_t blocks = 0;
    std::int64_t found_again = 0;  ///< of the blocks it gave up, the first ones still with its words
};

// Free blocks in the order in which they are taken: those given up last are taken last, the end of a request before its
// beginning, so what a request finds again is a prefix.
class FreeBlocks {
   public:
    FreeBlocks(std::int64_t blocks, std::vector<State>& states)
        : left_(blocks), order_{{-1, blocks}}, states_(states) {}

    std::int64_t count() const { return left_; }

    void give(int request, std::int64_t blocks) {
        order_.push_back({request, blocks});
        left_ += blocks;
    }

    void take(std::int64_t blocks) {
        left_ -= blocks;
        while (blocks > 0 && !order_.empty()) {
            Given& first = order_.front();
            const std::int64_t taken = std::min(blocks, first.blocks);
            first.blocks -= taken;
            blocks -= taken;
            if (first.request >= 0) states_[first.request].found_again = first.blocks;
            if (first.blocks == 0) order_.pop_front();
        }
    }

    // A request's own, back from wherever they are.
    void take_back(int request, std::int64_t blocks) {
        for (Given& one : order_)
            if (one.request == request) {
                one.blocks -= blocks;
                one.request = -1;
            }
        left_ -= blocks;
        states_[request].found_again = 0;
    }

   private:
    struct Given {
        int request = 0;  ///< -1: words that nothing asks for again
        std::int64_t blocks = 0;
    };
    std::int64_t left_ = 0;
    std::deque<Given> order_;
    std::vector<State>& states_;
};

struct Scheduled {
    int request = 0;
    std::int64_t tokens = 1;
    bool decodes = false;
};

class Queue {
   public:
    Queue(const std::vector<Request>& requests, const QueueLimits& limits)
        : requests_(requests),
          limits_(limits),
          states_(requests.size()),
          free_(limits.blocks > 0 ? limits.blocks : std::numeric_limits<std::int64_t>::max(), states_),
          found_{std::vector<RequestTimes>(requests.size())} {
        std::vector<int> order(requests.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](int one) { return requests[one].arrival_s; });
        waiting_.assign(order.begin(), order.end());
        for (const Request& one : requests)
            if (limits.blocks > 0 && blocks_of(one.prompt + one.output - 1) > limits.blocks)
                throw InputError(ErrorCode::bad_value, {},
                                 "a request of " + std::to_string(one.prompt) + " and " + std::to_string(one.output) +
                                     " tokens does not fit in " + std::to_string(limits.blocks) +
                                     " blocks of the cache");
    }

    Simulated run(const StepUs& step_us) {
        while (!waiting_.empty() || !running_.empty()) {
            if (running_.empty()) now_s_ = std::max(now_s_, requests_[waiting_.front()].arrival_s);
            schedule();
            now_s_ += step_us(step()) / kSecond;
            ++found_.steps;
            for (const Scheduled& one : scheduled_) advance(one);
        }
        return std::move(found_);
    }

   private:
    std::int64_t blocks_of(std::int64_t tokens) const {
        return (tokens + limits_.block_tokens - 1) / limits_.block_tokens;
    }
    std::int64_t to_compute(int request) const {
        return requests_[request].prompt + states_[request].made - states_[request].kept;
    }

    std::int64_t more_blocks(int request, std::int64_t tokens) const {
        return blocks_of(states_[request].kept + tokens) - states_[request].blocks;
    }
    bool has_blocks(int request, std::int64_t tokens) const { return more_blocks(request, tokens) <= free_.count(); }

    // Into the step; requires blocks.
    void add(int request, std::int64_t& budget) {
        const std::int64_t left = to_compute(request);
        const std::int64_t tokens = std::min(left, budget);
        const std::int64_t more = more_blocks(request, tokens);
        free_.take(more);
        states_[request].blocks += more;
        budget -= tokens;
        scheduled_.push_back({request, tokens, left == 1 && states_[request].kept > 0});
    }

    void give_blocks(int request, bool asked_again) {
        State& state = states_[request];
        const std::int64_t whole = asked_again && limits_.finds_again ? state.kept / limits_.block_tokens : 0;
        free_.give(-1, state.blocks - whole);
        free_.give(request, whole);
        state = {.made = state.made, .found_again = whole};
    }

    // Of a waiting request: what is still there, of all but its last token.
    bool begins(int request, std::int64_t budget) {
        State& state = states_[request];
        const std::int64_t all = requests_[request].prompt + state.made;
        const std::int64_t found = std::min(state.found_again, (all - 1) / limits_.block_tokens);
        const std::int64_t kept = found * limits_.block_tokens;
        if (blocks_of(kept + std::min(all - kept, budget)) > free_.count()) return false;
        free_.take_back(request, found);
        state.kept = kept;
        state.blocks = found;
        return true;
    }

    void give_up_youngest() {
        const int youngest = running_.back();
        running_.pop_back();
        give_blocks(youngest, true);
        waiting_.push_front(youngest);
        ++found_.requests[youngest].preempted;
        ++found_.preemptions;
    }

    void schedule() {
        scheduled_.clear();
        std::int64_t budget = limits_.step_tokens;
        bool gave_up = false;
        for (std::size_t i = 0; i < running_.size() && budget > 0; ++i) {
            const int request = running_[i];
            const std::int64_t tokens = std::min(to_compute(request), budget);
            while (i < running_.size() && !has_blocks(request, tokens)) {
                give_up_youngest();
                gave_up = true;
            }
            if (i >= running_.size()) break;
            add(request, budget);
        }
        if (!gave_up) begin_waiting(budget);
    }

    void begin_waiting(std::int64_t budget) {
        while (!waiting_.empty() && budget > 0 && static_cast<std::int64_t>(running_.size()) < limits_.places &&
               requests_[waiting_.front()].arrival_s <= now_s_) {
            const int request = waiting_.front();
            if (!begins(request, budget)) break;
            waiting_.pop_front();
            running_.push_back(request);
            add(request, budget);
        }
    }

    Step step() const {
        Step step;
        double kept = 0.0;
        std::int64_t sampled = 0;
        for (const Scheduled& one : scheduled_) {
            if (one.tokens == to_compute(one.request)) ++sampled;
            if (one.decodes) {
                ++step.decodes;
                kept += static_cast<double>(states_[one.request].kept);
            } else {
                step.chunks.push_back({one.tokens, states_[one.request].kept});
            }
        }
        const double mean = kept / static_cast<double>(std::max<std::int64_t>(1, step.decodes));
        step.context = std::nearbyint(mean / kContextRounded) * kContextRounded + 1.0;
        step.sampled = sampled;
        return step;
    }

    void advance(const Scheduled& one) {
        State& state = states_[one.request];
        const bool samples = one.tokens == to_compute(one.request);
        state.kept += one.tokens;
        if (!samples) return;
        RequestTimes& times = found_.requests[one.request];
        if (state.made == 0) times.first_s = now_s_;
        if (++state.made < requests_[one.request].output) return;
        times.last_s = now_s_;
        give_blocks(one.request, false);
        running_.erase(std::ranges::find(running_, one.request));
    }

    const std::vector<Request>& requests_;
    const QueueLimits& limits_;
    std::vector<State> states_;
    FreeBlocks free_;
    std::deque<int> waiting_;
    std::vector<int> running_;  ///< the oldest first
    std::vector<Scheduled> scheduled_;
    double now_s_ = 0.0;
    Simulated found_;
};

}  // namespace

Simulated simulate(const std::vector<Request>& requests, const QueueLimits& limits, const StepUs& step_us) {
    return Queue(requests, limits).run(step_us);
}

}  // namespace tilewright::llm
