#include "options/order_options.hpp"

#include <fmt/format.h>

#include "options/verb.hpp"

namespace tilewright::cli {

void OrderOptions::declare(Options& options) {
    options.group("Search of loop orders");
    zigzag.declare(options);
    options.value("lpf-limit", 0, "N", "loma: prime factors to be ordered at most (default 6)", &lpf_limit)
        .between(1, 64);
    options
        .value("iterations", 0, "N", "salsa, and anneal on ZigZag's files: of one chain (default 1000, anneal 20000)",
               &iterations)
        .between(1, 1'000'000'000'000);
    options
        .value("chains", 0, "N", "salsa, and anneal on ZigZag's files: how many, of which the best counts (default 1)",
               &chains)
        .between(1, 1'000'000'000);
    options.value("cooling", 0, "FACTOR", "salsa: of the temperature, by iteration (default 0.999; ZigZag has 0.995)",
                  &cooling);
}

void OrderOptions::check_values() const {
    if (cooling && (*cooling < 1e-9 || *cooling > 1.0))
        fail_usage("map", fmt::format("--cooling takes 1e-09 to 1, found {}", *cooling));
}

void OrderOptions::check(const std::string& mapper) const {
    check_values();
    const auto only_for = [&](const char* option, bool given, const char* which) {
        if (given && mapper != which)
            fail_usage("map", fmt::format("--{} is for --mapper {} and ZigZag's own files", option, which));
    };
    if (zigzag.even) fail_usage("map", "--even only serves searches on ZigZag's own files");
    if (zigzag.is_for_other_files())
        fail_usage("map", "--latency " + zigzag.latency + " is for the verbs map and evaluate");
    if (!zigzag.latency.empty()) fail_usage("map", "--latency only serves searches on ZigZag's own files");
    only_for("lpf-limit", lpf_limit.has_value(), "loma");
    only_for("iterations", iterations.has_value(), "salsa");
    only_for("chains", chains.has_value(), "salsa");
    only_for("cooling", cooling.has_value(), "salsa");
}

LoopOrderMapper::Options OrderOptions::loop_orders() const {
    LoopOrderMapper::Options options;
    options.lpf_limit = static_cast<int>(lpf_limit.value_or(options.lpf_limit));
    options.iterations = iterations.value_or(options.iterations);
    options.chains = chains.value_or(options.chains);
    options.cooling.factor = cooling.value_or(options.cooling.factor);
    return options;
}

LoopOrderOptions OrderOptions::on_zigzag() const {
    LoopOrderOptions options;
    options.lpf_limit = static_cast<int>(lpf_limit.value_or(options.lpf_limit));
    options.iterations = iterations;
    options.chains = chains.value_or(options.chains);
    options.cooling.factor = cooling.value_or(options.cooling.factor);
    return options;
}

std::vector<std::pair<std::string, std::string>> OrderOptions::for_the_report(const std::string& mapper) const {
    std::vector<std::pair<std::string, std::string>> list;
    if (mapper == "loma") list.emplace_back("lpf_limit", std::to_string(lpf_limit.value_or(6)));
    if (iterations) list.emplace_back("iterations", std::to_string(*iterations));
    if (chains) list.emplace_back("chains", std::to_string(*chains));
    if (cooling) list.emplace_back("cooling", fmt::format("{}", *cooling));
    return list;
}

}  // namespace tilewright::cli
