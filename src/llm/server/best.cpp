#include "llm/server/best.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>

#include "llm/server/engine.hpp"

namespace tilewright::llm {
namespace {

std::vector<std::int64_t> divisors(std::int64_t number) {
    std::vector<std::int64_t> all;
    for (std::int64_t one = 1; one <= number; ++one)
        if (number % one == 0) all.push_back(one);
    return all;
}

// Of one group.
std::vector<Layout> groups_of(const DecoderSizes& sizes, std::int64_t devices) {
    std::vector<Layout> layouts;
    for (const std::int64_t pipeline : divisors(devices))
        for (const std::int64_t tensor : divisors(devices / pipeline)) {
            const std::int64_t data = devices / pipeline / tensor;
            for (const std::int64_t expert :
                 sizes.experts > 0 ? divisors(tensor * data) : std::vector<std::int64_t>{1}) {
                const std::int64_t expert_tensor = sizes.experts > 0 ? tensor * data / expert : 1;
                const Layout layout{tensor, data, pipeline, expert, expert_tensor, 1};
                if (layout_problem(sizes, layout).empty()) layouts.push_back(layout);
            }
        }
    return layouts;
}

bool better(const ServedCase& one, const ServedCase& other) {
    if (one.tokens_per_second() != other.tokens_per_second())
        return one.tokens_per_second() > other.tokens_per_second();
    return one.served.tpot_us < other.served.tpot_us;
}

// Steps of a closed loop: all their chunks are alike.
struct RememberedSteps {
    StepCosts costs;
    std::map<std::tuple<std::int64_t, double, std::int64_t, std::int64_t, std::size_t>, StepCost> known;

    StepCost cost(const Step& step) {
        const Chunk first = step.chunks.empty() ? Chunk{0, 0} : step.chunks.front();
        const std::tuple key{step.decodes, step.context, first.tokens, first.before, step.chunks.size()};
        const auto found = known.find(key);
        return found != known.end() ? found->second : known[key] = costs(step);
    }
};

class Servers {
   public:
    explicit Servers(const ServerOf& server) : server_(server) {}

    Served served(const Deployment& deployment, const Load& load) {
        ClosedLoop& loop = loop_of(deployment.layout);
        if (!deployment.prefill) return loop.served(load);
        const Layout& prefill = *deployment.prefill;
        const std::int64_t devices = prefill.devices() / prefill.groups;
        const auto group = static_cast<double>(devices);
        return loop.served_apart(load, {prefill, costs_of(prefill), group * server_.cache_bytes(prefill, load.prompt)});
    }

    ServedCase make(const Deployment& deployment, const Load& load, std::int64_t most) {
        ServedCase one{deployment, load, served(deployment, load), most * deployment.layout.ranks()};
        const std::int64_t ranks = deployment.layout.ranks();
        one.weight_bytes = server_.weight_bytes(deployment.layout);
        const std::int64_t most_of_a_rank = (load.requests + ranks - 1) / ranks;
        one.cache_bytes =
            static_cast<double>(most_of_a_rank) * server_.cache_bytes(deployment.layout, load.prompt + load.output);
        one.memory_bytes = server_.memory_bytes;
        return one;
    }

   private:
    // Groups alike share their times.
    const StepCosts& costs_of(Layout group) {
        group.groups = 1;
        for (const auto& [known, costs] : costs_)
            if (known == group) return costs;
        auto remembered = std::make_shared<RememberedSteps>(RememberedSteps{server_.costs(group), {}});
        costs_.emplace_back(group, [remembered](const Step& step) { return remembered->cost(step); });
        return costs_.back().second;
    }

    ClosedLoop& loop_of(const Layout& layout) {
        for (auto& [known, loop] : loops_)
            if (known == layout) return loop;
        loops_.emplace_back(layout, ClosedLoop(costs_of(layout), server_.engine, layout));
        return loops_.back().second;
    }

    const ServerOf& server_;
    std::deque<std::pair<Layout, StepCosts>> costs_;
    std::deque<std::pair<Layout, ClosedLoop>> loops_;
};

// Of one accelerator; its operators refer to it.
struct Kept {
    Kept(const silicon::Accelerator& the_machine, const DecoderSizes& the_sizes, const Engine& the_engine)
        : machine(the_machine), sizes(the_sizes), engine(the_engine) {}
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

    silicon::Accelerator machine;
    DecoderSizes sizes;
    Engine engine;
    Operators operators{machine};
};

// The best load of a deployment; the search goes over all of them.
std::optional<ServedCase> best_load(const Deployment& deployment, Load load, const ServiceLimits& limits,
                                    const ServerOf& server, Servers& servers, BestCounts& counts) {
    ++counts.deployments;
    const std::int64_t most = most_requests(server, deployment.layout, load.prompt + load.output);
    if (most == 0 || (deployment.prefill && most_requests(server, *deployment.prefill, load.prompt) == 0)) {
        ++counts.too_large;
        return std::nullopt;
    }
    std::optional<ServedCase> best;
    std::optional<std::int64_t> within;
    const std::int64_t ranks = deployment.layout.ranks();
    for (std::int64_t each = 1; each <= most; ++each) {
        load.requests = each * ranks;
        ServedCase one{deployment, load, servers.served(deployment, load)};
        ++counts.cases;
        if (!limits.met_by(one.served, load.output)) {
            ++counts.missed;
            continue;
        }
        within = load.requests;
        if (!best || better(one, *best)) best = one;
    }
    if (!best) return best;
    best = servers.make(deployment, best->load, most);
    best->most_within = within;
    return best;
}

}  // namespace

ServerOf kernel_server(const silicon::Accelerator& machine, const DecoderSizes& sizes, const ServedWords& words,
                       const Engine& engine, std::optional<double> memory_bytes) {
    auto kept = std::make_shared<Kept>(machine, sizes, engine);
    ServerOf server;
    server.costs = [kept, words](const Layout& layout) -> StepCosts {
        return [kept, group = KernelServer(kept->sizes, layout, words, kept->engine, kept->operators)](
                   const Step& step) { return group.cost(step); };
    };
    server.weight_bytes = [kept, words](const Layout& layout) { return weight_bytes(kept->sizes, layout, words); };
    server.cache_bytes = [kept, words](const Layout& layout, std::int64_t tokens) {
        return cache_bytes(kept->sizes, layout, words, tokens, kept->engine.block_tokens);
    };
    server.memory_bytes = memory_bytes;
    server.engine = engine;
    return server;
}

std::int64_t most_requests(const ServerOf& server, const Layout& layout, std::int64_t tokens) {
    const std::int64_t places = server.engine.places;
    if (!server.memory_bytes) return places;
    const double left = server.engine.memory_share * *server.memory_bytes - server.weight_bytes(layout);
    if (left <= 0.0) return 0;
    return static_cast<std::int64_t>(
        std::min(std::floor(left / server.cache_bytes(layout, tokens)), static_cast<double>(places)));
}

std::int64_t cache_blocks(const ServerOf& server, const Layout& layout) {
    if (server.engine.blocks > 0 || !server.memory_bytes) return server.engine.blocks;
    const double left = server.engine.memory_share * *server.memory_bytes - server.weight_bytes(layout);
    const double block = server.cache_bytes(layout, server.engine.block_tokens);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(left / block));
}

ServedCase served_case(const ServerOf& server, const Deployment& deployment, const Load& load) {
    Servers servers(server);
    return servers.make(deployment, load, most_requests(server, deployment.layout, load.prompt + load.output));
}

Simulated serve_requests(const ServerOf& server, const Layout& layout, const std::vector<Request>& requests) {
    const Engine& engine = server.engine;
    const QueueLimits limits{engine.places, engine.step_tokens, cache_blocks(server, layout), engine.block_tokens};
    const StepCosts costs = server.costs(layout);
    std::vector<std::size_t> order(requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t one) { return requests[one].arrival_s; });
    const auto ranks = static_cast<std::size_t>(layout.ranks());
    Simulated all{std::vector<RequestTimes>(requests.size())};
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        std::vector<Request> own;
        for (std::size_t i = rank; i < order.size(); i += ranks) own.push_back(requests[order[i]]);
        const Simulated one = simulate(own, limits, [&](const Step& step) { return costs(step).us; });
        for (std::size_t i = 0; i < own.size(); ++i) all.requests[order[rank + i * ranks]] = one.requests[i];
        all.steps += one.steps;
        all.preemptions += one.preemptions;
    }
    return all;
}

std::optional<double> ServedCase::joules_per_token() const {
    if (!served.watts) return std::nullopt;
    double watts = *served.watts * static_cast<double>(deployment.layout.devices());
    if (deployment.prefill)
        watts += served.prefill_watts.value_or(0.0) * static_cast<double>(deployment.prefill->devices());
    return watts / tokens_per_second();
}

double ServedCase::tokens_per_second() const { return served.requests_per_us * 1e6 * static_cast<double>(load.output); }

std::vector<Layout> layouts_of(const DecoderSizes& sizes, std::int64_t devices) {
    std::vector<Layout> layouts;
    for (const std::int64_t each : divisors(devices))
        for (Layout layout : groups_of(sizes, each)) {
            layout.groups = devices / each;
            layouts.push_back(layout);
        }
    return layouts;
}

std::vector<Deployment> deployments_of(const DecoderSizes& sizes, std::int64_t devices, bool apart) {
    std::vector<Deployment> deployments;
    for (const Layout& layout : layouts_of(sizes, devices)) deployments.push_back({layout, std::nullopt});
    if (!apart) return deployments;
    for (std::int64_t prefills = 1; prefills < devices; ++prefills)
        for (const Layout& prefill : layouts_of(sizes, prefills)) {
            if (prefill.pipeline > 1) continue;
            for (const Layout& layout : layouts_of(sizes, devices - prefills)) deployments.push_back({layout, prefill});
        }
    return deployments;
}

BestServer best_server(const std::vector<Deployment>& deployments, const Load& load, const ServiceLimits& limits,
                       const ServerOf& server) {
    Servers servers(server);
    BestServer found;
    for (const Deployment& deployment : deployments)
        if (std::optional<ServedCase> one = best_load(deployment, load, limits, server, servers, found.counts))
            found.best.push_back(*one);
    std::ranges::stable_sort(found.best, better);
    return found;
}

}  // namespace tilewright::llm
