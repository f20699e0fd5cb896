#include "multicore/evaluate.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "multicore/run_account.hpp"

namespace tilewright::multicore {
namespace {

void add(Counts& sum, const Counts& one, std::int64_t times) {
    sum.operations += one.operations * times;
    sum.leaf_reads += one.leaf_reads * times;
    sum.leaf_writes += one.leaf_writes * times;
    sum.sends += one.sends * times;
    sum.arrivals += one.arrivals * times;
    sum.partials += one.partials * times;
    sum.dram_reads += one.dram_reads * times;
    sum.dram_writes += one.dram_writes * times;
    sum.link_words += one.link_words * times;
}

Refusal problem_with_stage(const Problem& problem, const package::Run& run, int einsum) {
    const package::Stage& stage = run.stages[einsum - run.first];
    const Worker& worker = problem.worker(einsum);
    std::int64_t parts = 1;
    std::uint32_t seen = 0;
    for (const package::Split& split : stage.split) {
        if (split.dimension < 0 || split.dimension >= static_cast<int>(worker.axis_of.size()) || split.parts < 1 ||
            (seen >> split.dimension & 1U) != 0)
            return Refusal::stage;
        seen |= 1U << split.dimension;
        parts *= split.parts;
        if (parts > package::kMaxCores) return Refusal::stage;
    }
    std::uint64_t team = 0;
    for (const int core : stage.team) {
        if (core < 0 || core >= problem.package().core_count() || (team >> core & 1U) != 0) return Refusal::stage;
        team |= std::uint64_t{1} << core;
        if (!problem.may_run(einsum, problem.package().cores[core].kind)) return Refusal::kind;
    }
    if (parts != static_cast<std::int64_t>(stage.team.size())) return Refusal::stage;
    if (stage.sums.way != package::Sums::Way::root &&
        (stage.sums.axis < 0 || stage.sums.axis >= static_cast<int>(worker.axes.size())))
        return Refusal::sums;
    std::uint32_t outside = 0;
    for (const Reading& reading : worker.reads) {
        const int maker = problem.maker(reading.tensor);
        if (maker < run.first || maker > run.last) outside |= 1U << reading.operand;
    }
    return (stage.streamed & ~outside) != 0 ? Refusal::streamed : Refusal::none;
}

}  // namespace

void add(Energy& sum, const Energy& one, double times) {
    sum.leaves += one.leaves * times;
    sum.sends += one.sends * times;
    sum.arrivals += one.arrivals * times;
    sum.sums += one.sums * times;
    sum.links += one.links * times;
    sum.d2d += one.d2d * times;
    sum.dram += one.dram * times;
    sum.leakage += one.leakage * times;
}

std::string_view to_text(Refusal refusal) {
    switch (refusal) {
        case Refusal::none: return "";
        case Refusal::run:
            return "what a run makes is read inside it and nowhere else, but for its last result, along an axis of "
                   "which "
                   "its steps go";
        case Refusal::made_again: return "a step would make words again";
        case Refusal::stage: return "a team has as many distinct cores as its split has parts, of distinct dimensions";
        case Refusal::kind: return "a core of the team cannot run this einsum";
        case Refusal::streamed: return "what is made in the run is not streamed";
        case Refusal::parts: return "more parts than there is to part";
        case Refusal::sums: return "sums are scattered along an axis of the result";
        case Refusal::room: return "a buffer is too small";
    }
    return "";
}

// A tree over so many routers, that of the source among them, has a link between neighbours for each of the others.
LeastSending least_sending(const Problem& problem, const package::Network& network) {
    const package::Package& package = problem.package();
    constexpr double kNever = std::numeric_limits<double>::infinity();
    double hop_pj = kNever;
    for (const package::NetworkLink& link : network.links())
        if (link.sort != package::LinkSort::local) hop_pj = std::min(hop_pj, link.rate.energy_pj);
    for (std::size_t a = 0; a < package.cores.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (package.cores[a].at == package.cores[b].at) hop_pj = 0.0;
    LeastSending least{(hop_pj < kNever ? hop_pj : 0.0) + package.local.energy_pj, package.local.energy_pj, kNever,
                       kNever};
    for (const package::CoreKind& kind : package.kinds) {
        least.read_pj = std::min(least.read_pj, kind.read_pj);
        least.write_pj = std::min(least.write_pj, kind.write_pj);
    }
    return least;
}

Evaluated Evaluator::run(const package::Run& run, Detail* detail) const {
    const int count = run.last - run.first + 1;
    if (run.first < 0 || count < 1 || run.last >= problem_.count() || static_cast<int>(run.stages.size()) != count ||
        run.step < 1 || run.axis < 0 || run.axis >= static_cast<int>(problem_.worker(run.last).axes.size()) ||
        count > 64 || !problem_.may_be_run(run.first, run.last))
        return {Refusal::run, -1, {}};
    const Made made = made_by(problem_, run.first, run.last, {run.axis, run.step});
    if (made.refused >= 0) return {Refusal::made_again, made.refused, {}};
    return part(run, made, count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1, false, detail);
}

Evaluated Evaluator::part(const package::Run& run, const Made& made, std::uint64_t stages, bool disjoint,
                          Detail* detail, std::uint64_t placed, Parts* parts) const {
    for (std::uint64_t rest = stages; rest != 0; rest &= rest - 1) {
        const int einsum = run.first + std::countr_zero(rest);
        if (const Refusal why = problem_with_stage(problem_, run, einsum); why != Refusal::none)
            return {why, einsum, {}};
    }
    ++evaluations_;
    RunAccount account(problem_, network_, leaves_, run, made, {stages, placed | stages}, disjoint, sending_);
    return account.settle(detail, parts);
}

Evaluated Evaluator::plan(const package::Plan& plan) const {
    Evaluated sum;
    sum.cost.peak.assign(problem_.package().cores.size(), 0);
    int next = 0;
    for (const package::Run& one : plan.runs) {
        if (one.first != next) return {Refusal::run, next, {}};
        const Evaluated got = run(one);
        if (!got) return got;
        const std::int64_t repeats = problem_.repeats(one.last);
        next = one.last + 1;
        add(sum.cost.energy, got.cost.energy, static_cast<double>(repeats));
        add(sum.cost.counts, got.cost.counts, repeats);
        sum.cost.cycles += got.cost.cycles * repeats;
        sum.cost.is_exact = sum.cost.is_exact && got.cost.is_exact;
        for (std::size_t c = 0; c < sum.cost.peak.size(); ++c)
            sum.cost.peak[c] = std::max(sum.cost.peak[c], got.cost.peak[c]);
    }
    if (next != problem_.count()) return {Refusal::run, next, {}};
    return sum;
}

}  // namespace tilewright::multicore
