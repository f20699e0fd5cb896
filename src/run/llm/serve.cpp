#include "run/llm/serve.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "base/error.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kRowStep = 4;  // between points: powers of
constexpr std::int64_t kLeastContext = 64;
constexpr double kUsInSecond = 1e6;          // in a second
constexpr double kPicojoulesInJoule = 1e12;  // in a joule

std::vector<std::int64_t> powers(std::int64_t least, std::int64_t most) {
    std::vector<std::int64_t> all{least};
    while (all.back() < most) all.push_back(std::min(all.back() * kRowStep, std::max(least, most)));
    return all;
}

double as_double(std::int64_t number) { return static_cast<double>(number); }

// Linear between the nearest points, proportional beyond the last.
double between(const std::map<std::int64_t, double>& points, double at) {
    const auto above = std::ranges::find_if(points, [&](const auto& one) { return as_double(one.first) >= at; });
    if (above == points.end()) {
        const auto& [size, value] = *points.rbegin();
        return value * at / as_double(size);
    }
    if (above == points.begin()) return above->second;
    const auto below = std::prev(above);
    const double share = (at - as_double(below->first)) / as_double(above->first - below->first);
    return below->second + share * (above->second - below->second);
}

using Grid = std::map<std::int64_t, std::map<std::int64_t, double>>;

double between(const Grid& grid, double first, double second) {
    std::map<std::int64_t, double> line;
    for (const auto& [size, points] : grid) line[size] = between(points, second);
    return between(line, first);
}

// Of one number of devices, us.
struct Curves {
    std::map<std::int64_t, double> decode_rest;  ///< by requests
    std::map<std::int64_t, double> prompt_rest;  ///< by tokens
    Grid decode_attention;                       ///< by requests and context
    Grid prompt_attention;                       ///< by tokens and those before
    Grid decode_pj;
    double weight_bytes = 0.0;
    double request_bytes = 0.0;  ///< without tokens: states
    double token_bytes = 0.0;

    llm::StepCost cost(const llm::Step& step, const llm::Engine& engine, double devices) const {
        if (step.tokens() == 0) return {};
        llm::StepCost cost;
        const double rows = as_double(step.tokens());
        cost.us = between(step.chunks.empty() ? decode_rest : prompt_rest, rows);
        if (step.decodes > 0) cost.us += between(decode_attention, as_double(step.decodes), step.context);
        for (const llm::Chunk& chunk : step.chunks)
            cost.us += between(prompt_attention, as_double(chunk.tokens), as_double(chunk.before));
        cost.us += engine.host_us;
        if (step.chunks.empty())
            cost.watts =
                between(decode_pj, rows, step.context) / kPicojoulesInJoule / (cost.us / kUsInSecond) / devices;
        return cost;
    }
};

void add(Curves& curves, const llm::PhaseCosts& one) {
    if (!one.is_complete())
        throw InputError(ErrorCode::unsupported, {},
                         "a step of the server has no cost: " + (one.failures.empty() ? "" : one.failures.front()));
    // What does not depend on the context is that of the least one: fused, the others' rest may differ.
    const double us = one.seconds * kUsInSecond;
    const double rest = us - one.attention_seconds * kUsInSecond;
    const llm::Point& point = one.point;
    curves.weight_bytes = one.weight_bytes;
    const bool prompt = point.phase == Phase::prefill;
    const std::int64_t rows = prompt ? point.tokens : point.batch;
    const auto known = (prompt ? curves.prompt_rest : curves.decode_rest).try_emplace(rows, rest).first;
    (prompt ? curves.prompt_attention : curves.decode_attention)[rows][point.context] = us - known->second;
    if (prompt) return;
    curves.decode_pj[point.batch][point.context] = one.energy_pj;
}

// The cache of one request: a line through its sizes at the least and the most context.
void add_room(Curves& curves, const std::vector<const llm::PhaseCosts*>& decodes) {
    const auto [least, most] = std::ranges::minmax_element(
        decodes, {}, [](const llm::PhaseCosts* one) { return std::pair(one->point.context, -one->point.batch); });
    const auto bytes = [](const llm::PhaseCosts& one) { return one.cache_bytes / as_double(one.point.batch); };
    const double tokens = as_double((*most)->point.context - (*least)->point.context);
    curves.token_bytes = tokens > 0.0 ? (bytes(**most) - bytes(**least)) / tokens : 0.0;
    curves.request_bytes = bytes(**least) - curves.token_bytes * as_double((*least)->point.context + 1);
}

}  // namespace

std::vector<llm::Point> step_points(const StepRange& range, std::int64_t tensor) {
    std::vector<llm::Point> points;
    const std::vector<std::int64_t> contexts = powers(kLeastContext, range.context);
    for (const std::int64_t batch : powers(1, range.requests))
        for (const std::int64_t context : contexts) points.push_back({Phase::decode, batch, 1, context, tensor});
    for (const std::int64_t tokens : powers(2, range.tokens))
        for (const std::int64_t context : {std::int64_t{0}, contexts.front(), contexts.back()})
            points.push_back({Phase::prefill, 1, tokens, context, tensor});
    return points;
}

llm::ServerOf mapped_server(const std::vector<llm::PhaseCosts>& costs, const llm::Engine& engine) {
    auto by_devices = std::make_shared<std::map<std::int64_t, Curves>>();
    std::map<std::int64_t, std::vector<const llm::PhaseCosts*>> decodes;
    for (const llm::PhaseCosts& one : costs) {
        add((*by_devices)[one.point.devices], one);
        if (one.point.phase == Phase::decode) decodes[one.point.devices].push_back(&one);
    }
    for (const auto& [devices, points] : decodes) add_room((*by_devices)[devices], points);
    const auto curves_of = [by_devices](const llm::Layout& layout) -> const Curves& {
        const auto found = by_devices->find(layout.tensor);
        if (found == by_devices->end() || layout.data > 1 || layout.pipeline > 1 || layout.expert > 1)
            throw InputError(ErrorCode::unsupported, {},
                             "a machine whose layers are mapped serves in tensor parallel groups only");
        return found->second;
    };
    llm::ServerOf server;
    server.costs = [curves_of, engine](const llm::Layout& layout) -> llm::StepCosts {
        const Curves& curves = curves_of(layout);
        return [curves, engine, devices = as_double(layout.tensor)](const llm::Step& step) {
            return curves.cost(step, engine, devices);
        };
    };
    server.weight_bytes = [curves_of](const llm::Layout& layout) { return curves_of(layout).weight_bytes; };
    server.cache_bytes = [curves_of](const llm::Layout& layout, std::int64_t tokens) {
        const Curves& curves = curves_of(layout);
        return curves.request_bytes + curves.token_bytes * as_double(tokens);
    };
    server.memory_bytes = costs.front().capacity_bytes;
    server.engine = engine;
    return server;
}

}  // namespace tilewright
