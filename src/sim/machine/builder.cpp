#include "sim/machine/builder.hpp"

namespace tilewright::sim {
namespace {

void append(std::vector<std::int64_t>& key, const std::vector<Transfer>& transfers) {
    key.push_back(static_cast<std::int64_t>(transfers.size()));
    for (const Transfer& transfer : transfers) {
        key.push_back(transfer.flow);
        key.push_back(transfer.group);
        key.push_back(transfer.words);
    }
}

std::vector<std::int64_t> key_of(const Step& step) {
    std::vector<std::int64_t> key{step.compute_cycles, step.working};
    for (const auto* transfers : {&step.loads, &step.sends, &step.drains, &step.stores}) append(key, *transfers);
    return key;
}

/// Merges with the last transfer on the same path.
void add(std::vector<Transfer>& transfers, const Transfer& transfer) {
    for (Transfer& one : transfers) {
        if (one.flow == transfer.flow && one.group == transfer.group) {
            one.words += transfer.words;
            return;
        }
    }
    transfers.push_back(transfer);
}

}  // namespace

ProgramBuilder::ProgramBuilder(const Floor& floor, std::vector<Flow> flows) {
    program_.floor = floor;
    program_.flows = std::move(flows);
    program_.totals.resize(program_.flows.size());
    program_.groups.emplace_back();
    groups_[{}] = 0;
    pending_.resize(program_.flows.size());
    flushed_in_.resize(program_.flows.size(), 0);
}

int ProgramBuilder::group(const std::vector<int>& elements) {
    const auto [found, is_new] = groups_.try_emplace(elements, static_cast<int>(program_.groups.size()));
    if (is_new) program_.groups.push_back(elements);
    return found->second;
}

void ProgramBuilder::begin_step(std::int64_t compute_cycles, int working) {
    if (step_number_ > 1) store(before_);
    before_ = std::move(now_);
    now_ = {};
    now_.compute_cycles = compute_cycles;
    now_.working = working;
    ++step_number_;
}

void ProgramBuilder::operand(int flow, int group, std::int64_t words, std::int64_t copies) {
    if (words == 0) return;
    FlowTotals& totals = program_.totals[flow];
    totals.in += words;
    totals.delivered += words * copies;
    add(program_.flows[flow].into_array ? now_.sends : now_.loads, {flow, group, words});
}

void ProgramBuilder::result(int flow, int group, std::int64_t words, std::int64_t first, std::int64_t copies) {
    if (words == 0) return;
    const auto f = static_cast<std::size_t>(flow);
    if (flushed_in_[f] != step_number_) flush(f, before_);
    flushed_in_[f] = step_number_;
    FlowTotals& totals = program_.totals[f];
    totals.in += words - first;
    totals.first += first;
    totals.delivered += words * copies;
    if (words > first) {
        add(program_.flows[f].into_array ? now_.sends : now_.loads, {flow, group, words - first});
    }
    pending_[f].push_back({group, words});
}

void ProgramBuilder::flush(std::size_t flow, Step& step) {
    for (const Pending& pending : pending_[flow]) {
        program_.totals[flow].out += pending.words;
        add(program_.flows[flow].into_array ? step.drains : step.stores,
            {static_cast<int>(flow), pending.group, pending.words});
    }
    pending_[flow].clear();
}

void ProgramBuilder::store(const Step& step) {
    const auto [found, is_new] = kinds_.try_emplace(key_of(step), static_cast<std::uint32_t>(program_.kinds.size()));
    if (is_new) program_.kinds.push_back(step);
    program_.steps.push_back(found->second);
}

Program ProgramBuilder::finish() {
    if (step_number_ > 1) store(before_);
    for (std::size_t f = 0; f < pending_.size(); ++f) flush(f, now_);
    if (step_number_ > 0) store(now_);
    return std::move(program_);
}

}  // namespace tilewright::sim
