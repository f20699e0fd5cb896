#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mapspace/order_chain.hpp"
#include "zigzag/accounting/nest.hpp"
#include "zigzag/orders/scorer.hpp"

namespace tilewright::salsa_study {
namespace {

constexpr double kEqual = 1e-9;

double least_energy(const Layer& layer) {
    const orders::Answer answer = run(layer, "optimal", {}).answer;
    if (!answer.complete) throw std::runtime_error(layer.network + "/" + layer.name + ": not proven");
    return answer.cost.energy_pj;
}

Timed loma(const Layer& layer, int limit, std::int64_t most_orders = 1'000'000'000) {
    orders::Settings settings;
    settings.lpf_limit = limit;
    settings.most_orders = most_orders;
    return run(layer, "loma", settings);
}

// Many runs of SALSA, seeds from 1 on.
struct Runs {
    std::vector<double> energies;  ///< ascending
    double seconds = 0.0;          ///< mean
};

Runs salsa_runs(const Layer& layer, int seeds) {
    Runs runs;
    for (int seed = 1; seed <= seeds; ++seed) {
        orders::Settings settings;
        settings.seed = static_cast<std::uint64_t>(seed);
        const Timed one = run(layer, "salsa", settings);
        runs.energies.push_back(one.answer.cost.energy_pj);
        runs.seconds += one.seconds / seeds;
    }
    std::sort(runs.energies.begin(), runs.energies.end());
    return runs;
}

double middle(const std::vector<double>& ascending) { return ascending[ascending.size() / 2]; }

std::string above(double energy, double least) { return fmt::format("+{:.2f} %", 100.0 * (energy / least - 1.0)); }

std::string range(const std::vector<double>& ascending, double least) {
    return fmt::format("{} ({} to {})", above(middle(ascending), least), above(ascending.front(), least),
                       above(ascending.back(), least));
}

std::size_t factors_of(const Layer& layer) {
    return zigzag::loop_factors(layer.problem.layer, layer.problem.fractional).size();
}

// Energies of the orders that a search visits, relative to the least; those that do not fit are left out.
struct Seen {
    std::vector<double> relative;
    std::int64_t unfit = 0;

    void add(double energy, double least) {
        if (std::isfinite(energy))
            relative.push_back(energy / least - 1.0);
        else
            ++unfit;
    }
};

void print_seen(const std::string& name, Seen seen) {
    std::sort(seen.relative.begin(), seen.relative.end());
    const auto share = [&](double limit) {
        const auto end = std::upper_bound(seen.relative.begin(), seen.relative.end(), limit);
        return 100.0 * static_cast<double>(end - seen.relative.begin()) / static_cast<double>(seen.relative.size());
    };
    fmt::print("| {} | {} | {:+.1f} % | {:+.1f} % |", name, seen.relative.size() + static_cast<std::size_t>(seen.unfit),
               100.0 * seen.relative.front(), 100.0 * middle(seen.relative));
    for (const double limit : {0.01, 0.05, 0.1, 0.2, 0.5, 1.0}) fmt::print(" {:.1f} % |", share(limit));
    fmt::print("\n");
}

}  // namespace

void print_layers(const std::vector<Layer>& layers, int seeds) {
    fmt::print(
        "\n| Figure 5, {} | factors | least uJ | SALSA, {} seeds: median (range) above | ms | LOMA 7 above | ms |\n",
        layers.front().network, seeds);
    fmt::print("|---|---|---|---|---|---|---|\n");
    for (const Layer& layer : layers) {
        const double least = least_energy(layer);
        const Runs salsa = salsa_runs(layer, seeds);
        const Timed seven = loma(layer, 7);
        fmt::print("| {} | {} | {:.1f} | {} | {:.2f} | {} | {:.2f} |\n", layer.name, factors_of(layer), least * 1e-6,
                   range(salsa.energies, least), 1e3 * salsa.seconds, above(seven.answer.cost.energy_pj, least),
                   1e3 * seven.seconds);
    }
}

void print_losses(const std::vector<std::vector<Layer>>& networks, int seeds) {
    fmt::print(
        "\n| SALSA above LOMA 7 | runs of {} | LOMA 7 above least | SALSA: median (range) |\n|---|---|---|---|\n",
        seeds);
    int layers = 0;
    int equal = 0;
    int mostly = 0;
    int sometimes = 0;
    for (const std::vector<Layer>& network : networks)
        for (const Layer& layer : network) {
            ++layers;
            const double seven = loma(layer, 7).answer.cost.energy_pj;
            const std::vector<double> energies = salsa_runs(layer, seeds).energies;
            const auto not_worse = std::upper_bound(energies.begin(), energies.end(), seven * (1.0 + kEqual));
            const auto worse = energies.end() - not_worse;
            const bool same = energies.front() > seven * (1.0 - kEqual) && worse == 0;
            equal += same ? 1 : 0;
            sometimes += worse > 0 ? 1 : 0;
            mostly += 2 * worse > seeds ? 1 : 0;
            if (worse == 0) continue;
            const double least = least_energy(layer);
            fmt::print("| {}, {} | {} | {} | {} |\n", layer.network, layer.name, worse, above(seven, least),
                       range(energies, least));
        }
    fmt::print("\n{} layers; SALSA ends above LOMA 7 in some run on {}, in most runs on {}; always equal on {}\n",
               layers, sometimes, mostly, equal);
}

void print_gains(const std::vector<std::vector<Layer>>& networks) {
    fmt::print("SALSA Fig. 5: SALSA's energy over LOMA 7's:");
    for (const std::vector<Layer>& network : networks) {
        double salsa = 0.0;
        double seven = 0.0;
        for (const Layer& layer : network) {
            salsa += run(layer, "salsa", {}).answer.cost.energy_pj;
            seven += loma(layer, 7).answer.cost.energy_pj;
        }
        fmt::print("{} {} {:.1f} %", &network == &networks.front() ? "" : ",", network.front().network,
                   100.0 * (salsa / seven - 1.0));
    }
    fmt::print("\n");
}

void print_limits_line(const std::string& title, const Layer& layer) {
    const double least = least_energy(layer);
    fmt::print("{}:", title);
    for (const int limit : {6, 7, 8}) {
        const orders::Answer answer = loma(layer, limit).answer;
        fmt::print(" LOMA {} {} orders {},", limit, to_text(answer.orders), above(answer.cost.energy_pj, least));
    }
    fmt::print(" SALSA 1001 orders {}\n", above(middle(salsa_runs(layer, 100).energies), least));
}

void print_limits(const std::string& title, const Layer& layer, std::int64_t most_orders) {
    const double least = least_energy(layer);
    const int factors = static_cast<int>(factors_of(layer));
    fmt::print("\n| {} ({}, {} factors) | orders | energy above {:.2f} uJ | seconds |\n|---|---|---|---|\n", title,
               layer.name, factors, least * 1e-6);
    std::size_t before = 0;
    for (int limit = 1; limit <= factors; ++limit) {
        const auto loops = zigzag::loop_factors(layer.problem.layer, layer.problem.fractional);
        const std::size_t left = zigzag::limited(loops, limit).size();
        if (left == before) continue;  // a factor for each dimension stays
        before = left;
        const Timed one = loma(layer, limit, most_orders);
        const std::string name = limit == factors ? "all orders" : fmt::format("LOMA {}", left);
        fmt::print("| {} | {} | {} | {} |\n", name, to_text(one.answer.orders),
                   one.answer.failure.empty() ? above(one.answer.cost.energy_pj, least) : "not run",
                   one.answer.failure.empty() ? fmt::format("{:.4f}", one.seconds) : "");
    }
    constexpr int kRuns = 100;
    const Runs salsa = salsa_runs(layer, kRuns);
    fmt::print("| SALSA, {} seeds: median (range) | 1001 | {} | {:.4f} |\n", kRuns, range(salsa.energies, least),
               salsa.seconds);
    const Timed optimal = run(layer, "optimal", {});
    fmt::print("| optimal, proven | | {} | {:.4f} |\n", above(optimal.answer.cost.energy_pj, least), optimal.seconds);
}

void print_distribution(const std::string& title, const Layer& layer, int seeds) {
    const double least = least_energy(layer);
    const orders::OrderProblem& problem = layer.problem;
    const zigzag::OrderEvaluator evaluator(problem.accelerator, problem.layer, problem.fractional, problem.whole,
                                           zigzag::loop_factors(problem.layer, problem.fractional), problem.evenness);
    const orders::Scorer scorer(evaluator, Objective{ObjectiveKind::energy});
    Seen salsa;
    Seen late;
    Seen even;
    for (int seed = 1; seed <= seeds; ++seed) {
        int step = 0;
        const auto cost = [&](std::span<const std::uint8_t> order) {
            const double value = scorer.value(order);
            salsa.add(value, least);
            if (++step > 500) late.add(value, least);
            return value;
        };
        constexpr int kIterations = 1000;
        const auto stream = static_cast<std::uint64_t>(seed);
        OrderChain chain(evaluator.first_order(), cost, Random::split(stream, 0));
        anneal_as_salsa(chain, Cooling{}, kIterations, [] { return false; });
        Random random(Random::split(stream, 1));
        zigzag::LoopOrder order = evaluator.first_order();
        for (int draw = 0; draw <= kIterations; ++draw) {
            for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
            even.add(scorer.value(order), least);
        }
    }
    fmt::print("\n| {} | seen | best | median | within 1 % | 5 % | 10 % | 20 % | 50 % | 100 % |\n", title);
    fmt::print("|---|---|---|---|---|---|---|---|---|---|\n");
    print_seen("SALSA's candidates", salsa);
    print_seen("their second half", late);
    print_seen("orders drawn evenly", even);
}

}  // namespace tilewright::salsa_study
