// Sets of representatives against the sets of all ready operations, on the way of random schedules.
#include "schedule/schedulers/ready_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures/schedule_problem.hpp"
#include "schedule/schedulers/list_scheduler.hpp"
#include "schedule/scratchpad/workspace.hpp"

namespace tilewright::schedule::ready_sets_test {
namespace {

constexpr double kAll = 12000.0;  // combinations that this test enumerates

double combinations(std::size_t from, std::size_t choose) {
    double count = 1.0;
    for (std::size_t i = 0; i < choose; ++i)
        count *= (static_cast<double>(from) - static_cast<double>(i)) / static_cast<double>(i + 1);
    return count;
}

struct Seen {
    int compared = 0;         ///< requests
    int beyond = 0;           ///< of more combinations than are enumerated
    int exact = 0;            ///< of these, by their representatives
    std::size_t classes = 0;  ///< of those beyond
    std::size_t found = 0;    ///< of these
};

// One random schedule: every step compares the sets, and runs one of them.
class Walk {
   public:
    Walk(const OperationGraph& graph, Random& random, Seen& seen)
        : graph_(graph), random_(random), seen_(seen), workspace_(graph, LatencyRule::sum) {
        const auto flows = data_flows(graph);
        order_ = numbered(graph, flows[random.below(flows.size())]);
    }

    void run() {
        std::vector<char> left(graph_.operations.size(), 0);
        for (const int one : order_) left[one] = graph_.operation(one).step == 0 ? 1 : 0;
        while (true) {
            std::vector<int> ready;
            std::copy_if(order_.begin(), order_.end(), std::back_inserter(ready),
                         [&](int one) { return left[one] != 0; });
            if (ready.empty()) return;
            for (const int one : step(ready)) {
                left[one] = 0;
                if (!graph_.finishes(one)) left[one + 1] = 1;
            }
        }
    }

   private:
    std::vector<int> step(const std::vector<int>& ready) {
        const std::size_t size = std::min<std::size_t>(graph_.problem.machine.cores, ready.size());
        std::vector<int> set(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(size));
        if (combinations(ready.size(), size) <= kAll) {
            const std::vector<std::vector<int>> all = compare(ready, static_cast<int>(size));
            if (!all.empty()) set = all[random_.below(all.size())];
        }
        std::optional<MemoryPlan> plan = workspace_.plan(set, MemoryPolicy::least_fragmentation);
        if (!plan) {
            set = {ready.front()};
            plan = workspace_.plan_alone(ready.front());
        }
        workspace_.run(set, *plan);
        return set;
    }

    std::vector<std::vector<int>> compare(const std::vector<int>& ready, int size) {
        const std::vector<char>& resident = workspace_.resident();
        std::vector<std::vector<int>> all = distinct_sets(graph_, ready, resident, size, kAll);
        const std::vector<int> first = representatives(graph_, ready, resident, size);
        EXPECT_EQ(distinct_sets(graph_, first, resident, size, kAll), all);
        ++seen_.compared;
        if (combinations(ready.size(), static_cast<std::size_t>(size)) <= kLargestEnumeration) return all;
        ++seen_.beyond;
        const std::vector<std::vector<int>> found = distinct_sets(graph_, ready, resident, size);
        if (combinations(first.size(), static_cast<std::size_t>(size)) <= kLargestEnumeration) {
            EXPECT_EQ(found, all);
            ++seen_.exact;
        }
        seen_.classes += all.size();
        seen_.found += found.size();
        return all;
    }

    const OperationGraph& graph_;
    Random& random_;
    Seen& seen_;
    Workspace workspace_;
    std::vector<int> order_;
};

TEST(Representatives, HaveTheFirstSetOfEveryClass) {
    Random random(39);
    Seen seen;
    for (int i = 0; i < 2000 && seen.beyond < 400; ++i) {
        Problem problem = random_problem(random, 260);
        if (i % 2 == 0) problem.tiling[Dim::out_w] = problem.tiling[Dim::out_h] = problem.tiling[Dim::out_c] = 1;
        if (operation_count(problem) > 260) continue;
        const OperationGraph graph = make_graph(problem);
        Walk(graph, random, seen).run();
        ASSERT_FALSE(HasFailure()) << i;
    }
    EXPECT_GE(seen.beyond, 400);
    EXPECT_GE(seen.exact, 200);
    EXPECT_GE(seen.found * 100, seen.classes * 85);
}

}  // namespace
}  // namespace tilewright::schedule::ready_sets_test
