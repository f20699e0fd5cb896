#include <gtest/gtest.h>

#include "base/error.hpp"
#include "llm/server/best.hpp"
#include "llm/server/engine.hpp"

namespace tilewright::llm::server_test {
namespace {

// 100 us, 1 for each decode and each token of a chunk.
StepCost made_up(const Step& step) { return {100.0 + static_cast<double>(step.tokens()), {}}; }

Engine plain_engine() {
    Engine engine;
    engine.mix = 0.5;
    engine.burst = 0.25;
    engine.front_us = 1000.0;
    engine.step_tokens = 64;
    engine.places = 12;
    engine.memory_share = 1.0;
    return engine;
}

TEST(ClosedLoop, TimesAreThoseByHand) {
    const Engine engine = plain_engine();
    ClosedLoop loop(made_up, engine, {});
    // A prompt of 100 tokens beside 4 decodes: steps of 104 + 64 and 104 + 36 us, less twice 104.
    EXPECT_DOUBLE_EQ(loop.prompt_us(4, 100, 50), 100.0);
    EXPECT_DOUBLE_EQ(loop.prompt_us(0, 100, 50), 300.0);  // alone
    const Served served = loop.served({4, 100, 50});
    EXPECT_DOUBLE_EQ(served.step_us, 104.0);
    EXPECT_DOUBLE_EQ(served.tpot_us, 104.0 + 0.5 * 4.0 * 100.0 / 50.0);
    EXPECT_DOUBLE_EQ(served.ttft_us, 1000.0 + 300.0 + 52.0 + 0.25 * 3.0 * 100.0);
    EXPECT_DOUBLE_EQ(served.requests_per_us * (served.ttft_us + 49.0 * served.tpot_us), 4.0);
}

TEST(ClosedLoop, GroupsApartWaitForPromptsOnly) {
    Engine engine = plain_engine();
    engine.network_bytes_us = 10.0;
    ClosedLoop loop(made_up, engine, {.tensor = 2});
    const PrefillGroups prefill{{.tensor = 2, .groups = 2}, made_up, 400.0};
    const Served served = loop.served_apart({4, 100, 50}, prefill);
    EXPECT_DOUBLE_EQ(served.tpot_us, 104.0);
    const double busy = 4.0 * 200.0 / 2.0 / (50.0 * 104.0);
    EXPECT_DOUBLE_EQ(served.busy, busy);
    EXPECT_DOUBLE_EQ(served.ttft_us, 1000.0 + 200.0 * (1.0 + busy / (2.0 * (1.0 - busy))) + 400.0 / 20.0);
}

TEST(ClosedLoop, AStageHasTheRequestsOfItsMicroBatch) {
    ClosedLoop loop(made_up, plain_engine(), {.pipeline = 2, .groups = 2});
    EXPECT_DOUBLE_EQ(loop.served({16, 100, 50}).step_us, 104.0);
}

DecoderSizes small_mixture() {
    DecoderSizes sizes{4, 64, 2, 8, 8, 32, 128};
    sizes.experts = 8;
    sizes.chosen = 2;
    return sizes;
}

TEST(Best, EveryLayoutOnceAndAllDevicesInUse) {
    for (const std::int64_t devices : {1, 2, 6, 8}) {
        const std::vector<Layout> layouts = layouts_of(small_mixture(), devices);
        for (std::size_t i = 0; i < layouts.size(); ++i) {
            EXPECT_EQ(layouts[i].devices(), devices);
            EXPECT_EQ(layout_problem(small_mixture(), layouts[i]), "");
            for (std::size_t j = 0; j < i; ++j) EXPECT_NE(layouts[i], layouts[j]);
        }
        // By trying all sizes.
        std::size_t count = 0;
        for (std::int64_t t = 1; t <= devices; ++t)
            for (std::int64_t d = 1; d <= devices; ++d)
                for (std::int64_t p = 1; p <= devices; ++p)
                    for (std::int64_t e = 1; e <= devices; ++e)
                        for (std::int64_t x = 1; x <= devices; ++x) {
                            if (t * d * p * x != devices || t * d % e != 0) continue;
                            count += layout_problem(small_mixture(), {t, d, p, e, t * d / e, x}).empty() ? 1 : 0;
                        }
        EXPECT_EQ(layouts.size(), count);
    }
}

ServerOf made_up_server() {
    ServerOf server;
    server.costs = [](const Layout& layout) -> StepCosts {
        const auto devices = static_cast<double>(layout.tensor * layout.pipeline);
        return [devices](const Step& step) { return StepCost{made_up(step).us / devices + 9.0 * devices, {}}; };
    };
    server.weight_bytes = [](const Layout& layout) { return 900.0 / static_cast<double>(layout.devices()); };
    server.cache_bytes = [](const Layout&, std::int64_t tokens) { return static_cast<double>(tokens); };
    server.memory_bytes = 1000.0;
    server.engine = plain_engine();
    return server;
}

TEST(Best, NoLoadOnAnyLayoutWithinTheLimitsIsBetter) {
    const ServerOf server = made_up_server();
    const std::vector<Deployment> deployments = deployments_of(small_mixture(), 6, true);
    const ServiceLimits limits{.tpot_us = 130.0, .ttft_us = 1600.0};
    const BestServer found = best_server(deployments, {1, 60, 20}, limits, server);
    ASSERT_FALSE(found.best.empty());
    std::int64_t cases = 0;
    double most = 0.0;
    for (const Deployment& deployment : deployments) {
        const std::int64_t fit = most_requests(server, deployment.layout, 80);
        if (deployment.prefill && most_requests(server, *deployment.prefill, 60) == 0) continue;
        for (std::int64_t each = 1; each <= fit; ++each) {
            const ServedCase one = served_case(server, deployment, {each * deployment.layout.ranks(), 60, 20});
            ++cases;
            if (limits.met_by(one.served, 20)) most = std::max(most, one.tokens_per_second());
        }
    }
    EXPECT_EQ(found.counts.cases, cases);
    EXPECT_DOUBLE_EQ(found.best.front().tokens_per_second(), most);
    for (const ServedCase& one : found.best) EXPECT_TRUE(limits.met_by(one.served, 20));
}

TEST(Requests, ALoneRequestTakesItsSteps) {
    const Simulated found =
        simulate({{1.0, 100, 3}}, {.places = 4, .step_tokens = 64}, [](const Step& step) { return made_up(step).us; });
    EXPECT_EQ(found.steps, 4);  // two chunks, then two tokens
    EXPECT_DOUBLE_EQ(found.requests[0].first_s, 1.0 + 164e-6 + 136e-6);
    EXPECT_NEAR(found.requests[0].last_s, 1.0 + 300e-6 + 2 * 101e-6, 1e-12);
    EXPECT_THROW(simulate({{0.0, 100, 3}}, {.blocks = 6, .block_tokens = 16}, [](const Step&) { return 1.0; }),
                 InputError);
}

}  // namespace
}  // namespace tilewright::llm::server_test
