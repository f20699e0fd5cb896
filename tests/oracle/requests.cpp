#include "oracle/requests.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <set>

namespace tilewright::oracle {
namespace {

struct Block {
    int owner = -1;  // whose words it holds, if anyone may ask for them again
    int place = 0;   // among that request's blocks
};

struct Row {
    std::vector<int> blocks;  // held, in order
    int tokens = 0;           // in the cache
    int made = 0;
};

class Walk {
   public:
    Walk(const std::vector<llm::Request>& requests, const llm::QueueLimits& limits)
        : requests_(requests), limits_(limits), rows_(requests.size()) {
        std::int64_t blocks = limits.blocks;
        if (blocks == 0)  // as many as could ever be held
            for (const llm::Request& one : requests) blocks += (one.prompt + one.output) / limits.block_tokens + 1;
        blocks_.resize(static_cast<std::size_t>(blocks));
        for (int i = 0; i < static_cast<int>(blocks); ++i) free_.push_back(i);
        found_.requests.resize(requests.size());
    }

    llm::Simulated run(const llm::StepUs& step_us) {
        while (finished_.size() < requests_.size()) {
            admit_arrived();
            if (running_.empty() && queue_.empty()) {
                now_ = next_arrival();
                continue;
            }
            take_step(step_us);
        }
        return found_;
    }

   private:
    int last_token(int r) const { return static_cast<int>(requests_[r].prompt) + rows_[r].made; }

    double next_arrival() const {
        double next = 0.0;
        bool any = false;
        for (std::size_t r = 0; r < requests_.size(); ++r)
            if (!seen_.contains(static_cast<int>(r)) && (!any || requests_[r].arrival_s < next)) {
                next = requests_[r].arrival_s;
                any = true;
            }
        return next;
    }

    // In order of arrival; equal ones as given.
    void admit_arrived() {
        for (;;) {
            int first = -1;
            for (int r = 0; r < static_cast<int>(requests_.size()); ++r)
                if (!seen_.contains(r) && requests_[r].arrival_s <= now_ &&
                    (first < 0 || requests_[r].arrival_s < requests_[first].arrival_s))
                    first = r;
            if (first < 0) return;
            seen_.insert(first);
            queue_.push_back(first);
        }
    }

    // One more token in the cache of r.
    void add_token(int r) {
        Row& row = rows_[r];
        if (row.tokens == static_cast<int>(row.blocks.size()) * static_cast<int>(limits_.block_tokens)) {
            const int block = free_.front();
            free_.pop_front();
            blocks_[block] = {};
            row.blocks.push_back(block);
        }
        ++row.tokens;
    }

    // Tokens for which r has or could take blocks.
    std::int64_t room_of(int r) const {
        const auto blocks = static_cast<std::int64_t>(free_.size() + rows_[r].blocks.size());
        return blocks * limits_.block_tokens - rows_[r].tokens;
    }

    void release(int r, bool returns) {
        Row& row = rows_[r];
        const int whole = row.tokens / static_cast<int>(limits_.block_tokens);
        for (int place = static_cast<int>(row.blocks.size()) - 1; place >= 0; --place) {
            const int block = row.blocks[place];
            blocks_[block] = returns && limits_.finds_again && place < whole ? Block{r, place} : Block{};
            free_.push_back(block);
        }
        row.blocks.clear();
        row.tokens = 0;
    }

    // The blocks that still hold the request's first words, all but its last token.
    void find_again(int r) {
        Row& row = rows_[r];
        for (int place = 0; (place + 1) * limits_.block_tokens <= last_token(r) - 1; ++place) {
            const auto found = std::ranges::find_if(
                free_, [&](int block) { return blocks_[block].owner == r && blocks_[block].place == place; });
            if (found == free_.end()) break;
            row.blocks.push_back(*found);
            row.tokens += static_cast<int>(limits_.block_tokens);
            free_.erase(found);
        }
    }

    struct Work {
        int r = 0;
        int before = 0;
        int tokens = 0;
    };

    // Tokens of a running request within the budget; the youngest others make room.
    bool compute_running(std::size_t at, std::int64_t& budget, std::vector<Work>& work, bool& gave_up) {
        const int r = running_[at];
        Work one{r, rows_[r].tokens, 0};
        const std::int64_t wanted = std::min<std::int64_t>(last_token(r) - one.before, budget);
        while (room_of(r) < wanted) {
            gave_up = true;
            const int youngest = running_.back();
            running_.pop_back();
            release(youngest, true);
            queue_.push_front(youngest);
            ++found_.requests[youngest].preempted;
            ++found_.preemptions;
            if (youngest == r) return false;
        }
        for (std::int64_t t = 0; t < wanted; ++t) add_token(r);
        one.tokens = static_cast<int>(wanted);
        budget -= wanted;
        work.push_back(one);
        return true;
    }

    bool begin(int r, std::int64_t budget, std::vector<Work>& work) {
        const std::list<int> free_before = free_;
        find_again(r);
        Work one{r, rows_[r].tokens, 0};
        const std::int64_t wanted = std::min<std::int64_t>(last_token(r) - one.before, budget);
        if (wanted > room_of(r)) {
            rows_[r].blocks.clear();
            rows_[r].tokens = 0;
            free_ = free_before;
            return false;
        }
        for (Block& block : blocks_)
            if (block.owner == r) block = {};
        for (std::int64_t t = 0; t < wanted; ++t) add_token(r);
        one.tokens = static_cast<int>(wanted);
        work.push_back(one);
        return true;
    }

    void take_step(const llm::StepUs& step_us) {
        std::vector<Work> work;
        std::int64_t budget = limits_.step_tokens;
        bool gave_up = false;
        for (std::size_t at = 0; at < running_.size() && budget > 0; ++at)
            if (!compute_running(at, budget, work, gave_up)) break;
        while (!gave_up && budget > 0 && !queue_.empty() &&
               static_cast<std::int64_t>(running_.size()) < limits_.places) {
            const int r = queue_.front();
            if (!begin(r, budget, work)) break;
            queue_.pop_front();
            running_.push_back(r);
            budget -= work.back().tokens;
        }
        now_ += step_us(step_of(work)) / 1e6;
        ++found_.steps;
        for (const Work& one : work) end_of_step(one);
    }

    llm::Step step_of(const std::vector<Work>& work) const {
        llm::Step step;
        std::int64_t ends = 0;
        double kept = 0.0;
        for (const Work& one : work) {
            ends += one.before + one.tokens == last_token(one.r) ? 1 : 0;
            if (one.before > 0 && one.before + 1 == last_token(one.r)) {
                kept += one.before;
                ++step.decodes;
            } else {
                step.chunks.push_back({one.tokens, one.before});
            }
        }
        if (step.decodes > 0) kept /= static_cast<double>(step.decodes);
        step.context = 64.0 * std::nearbyint(kept / 64.0) + 1.0;
        step.sampled = ends;
        return step;
    }

    void end_of_step(const Work& one) {
        if (one.before + one.tokens != last_token(one.r)) return;
        llm::RequestTimes& times = found_.requests[one.r];
        ++rows_[one.r].made;
        if (rows_[one.r].made == 1) times.first_s = now_;
        if (rows_[one.r].made < requests_[one.r].output) return;
        times.last_s = now_;
        release(one.r, false);
        std::erase(running_, one.r);
        finished_.insert(one.r);
    }

    const std::vector<llm::Request>& requests_;
    const llm::QueueLimits& limits_;
    std::vector<Row> rows_;
    std::vector<Block> blocks_;
    std::list<int> free_;
    std::list<int> queue_;
    std::vector<int> running_;
    std::set<int> seen_;
    std::set<int> finished_;
    double now_ = 0.0;
    llm::Simulated found_;
};

}  // namespace

llm::Simulated walk_requests(const std::vector<llm::Request>& requests, const llm::QueueLimits& limits,
                             const llm::StepUs& step_us) {
    return Walk(requests, limits).run(step_us);
}

}  // namespace tilewright::oracle
