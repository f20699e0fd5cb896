#include "model/sparse/avoided.hpp"

#include <algorithm>

namespace tilewright::sparse {
namespace {

bool is_written(const Nest& nest, int tensor) { return nest.einsum->tensors[tensor].written; }

const std::string& name_of(const Nest& nest, int tensor) { return nest.einsum->tensors[tensor].name; }

int innermost_keeper(const std::vector<bool>& keeps) {
    for (int m = static_cast<int>(keeps.size()) - 1; m >= 0; --m)
        if (keeps[m]) return m;
    return -1;
}

}  // namespace

Avoided::Avoided(const std::vector<Nest>& nests, const Architecture& architecture, const Design& design,
                 const std::vector<std::vector<bool>>& keeps, const AccessTable& accesses, const Evaluation& dense,
                 Chances& chances)
    : nests_(nests),
      nest_(nests.front()),
      architecture_(architecture),
      design_(design),
      keeps_(keeps),
      accesses_(accesses),
      dense_(dense),
      chances_(chances) {
    for (int m = 0; m < nest_.level_count(); ++m) {
        const MemoryDesign& built = design.memories[m];
        if (!built.spatial_skipping.empty())
            throw Uncounted("skipping_spatial at '" + architecture.memories[m].name +
                            "' is counted with --account timeloop only");
        add_groups(m, built.gating, true);
        add_groups(m, built.skipping, false);
    }
}

void Avoided::add_groups(int memory, const std::vector<OptionGroup>& groups, bool gates) {
    for (const OptionGroup& group : groups) {
        std::vector<Rule> options;
        std::size_t best = 0;
        for (const Option& option : group) options.push_back(rule_of(memory, option, gates));
        for (std::size_t i = 1; i < options.size(); ++i)
            if (saving_pj(options[i]) >= saving_pj(options[best])) best = i;
        if (!options.empty()) rules_.push_back(options[best]);
    }
}

Avoided::Rule Avoided::rule_of(int memory, const Option& option, bool gates) const {
    const std::vector<bool>& keeps = keeps_[option.target];
    int source = memory;
    while (source >= 0 && !keeps[source]) --source;
    const std::string& name = name_of(nest_, option.target);
    const std::string& place = architecture_.memories[memory].name;
    if (source < 0) throw Uncounted("'" + place + "' avoids accesses of '" + name + "', which no memory keeps there");
    if (std::find(option.conditions.begin(), option.conditions.end(), option.target) != option.conditions.end())
        throw Uncounted("'" + place + "' avoids accesses of '" + name + "' on a condition on itself");
    return {accesses_[option.target][source], option.conditions, gates};
}

double Avoided::saving_pj(const Rule& rule) const {
    Needs needs(nest_);
    for (const int condition : rule.conditions) needs.add(condition, rule.access.covered);
    const auto source = static_cast<std::size_t>(rule.access.source);
    const TensorTraffic& traffic = dense_.memories[source].tensors[rule.access.tensor];
    const double pj = architecture_.memories[source].energy.read_pj.value;
    return (1.0 - needs.share(chances_)) * pj * (traffic.reads + traffic.updates);
}

void Avoided::add_own(const Access& access, bool gates, Needs& needs) const {
    for (const Rule& rule : rules_)
        if (rule.gates == gates && rule.access.tensor == access.tensor && rule.access.source == access.source)
            for (const int condition : rule.conditions) needs.add(condition, rule.access.covered);
}

// Of all that the computes of an access need of other tensors' accesses.
void Avoided::add_served(const Access& access, bool gates, Needs& needs) const {
    if (!serves_computes(nest_, access)) return;
    for (const Rule& rule : rules_) {
        if (rule.gates != gates || rule.access.tensor == access.tensor || is_written(nest_, rule.access.tensor))
            continue;
        for (const int condition : rule.conditions)
            // What decides word by word has to be read.
            if (condition != access.tensor || !serves_computes(nest_, rule.access)) {
                refuse_crossing(rule.access, access, condition);
                needs.add(condition, rule.access.covered | access.covered);
            }
    }
    if (is_written(nest_, access.tensor)) add_unit(access.covered, gates, needs);
}

// With a remainder, neighbours that an access serves may look at different steps: those of the rule's accesses that
// exist where they are.
void Avoided::refuse_crossing(const Access& rule, const Access& served, int condition) const {
    const auto refuse = [&] {
        throw Uncounted("neighbours served together look at different parts of '" + name_of(nest_, condition) +
                        "', as loops have remainders");
    };
    if ((rule.decided_by & served.covered) != 0) refuse();
    for (int d = 0; d < nest_.einsum->dimension_count() && !nest_.perfect; ++d) {
        if (!is_relevant(nest_.einsum->tensors[condition], d)) continue;
        LoopSet own = 0;
        bool divides = true;
        for (int k = 0; k < static_cast<int>(nest_.loops.size()); ++k) {
            if (nest_.loops[k].dimension != d) continue;
            own |= loop_bit(k);
            divides = divides && nest_.loops[k].extent == nest_.loops[k].remainder;
        }
        if (!divides && (rule.covered & ~served.covered & own) != 0 && (served.covered & ~rule.covered & own) != 0)
            refuse();
    }
}

// What the compute units themselves look at.
void Avoided::add_unit(LoopSet covered, bool gates, Needs& needs) const {
    if (gates ? !design_.gates_computes : !design_.skips_computes) return;
    for (int t = 0; t < nest_.einsum->tensor_count(); ++t)
        if (!is_written(nest_, t) && (gates || is_stored_compressed(t))) needs.add(t, covered);
}

bool Avoided::is_stored_compressed(int tensor) const {
    const int memory = innermost_keeper(keeps_[tensor]);
    if (memory < 0) return false;
    const auto& format = design_.memories[memory].formats[tensor];
    return format && format->is_compressed();
}

AccessNeeds Avoided::of(const Access& access) const {
    Needs asked(nest_);
    for (const Rule& rule : rules_)
        if (rule.access.tensor == access.tensor && rule.access.source < access.source)
            for (const int condition : rule.conditions) asked.add(condition, rule.access.covered);
    Needs kept = asked;
    add_own(access, false, kept);
    Needs running = kept;
    add_served(access, false, running);
    Needs done = running;
    add_own(access, true, done);
    add_served(access, true, done);
    return {asked, kept, running, done};
}

ComputeNeeds Avoided::of_computes() const {
    Needs asked(nest_);
    Needs gated(nest_);
    for (const Rule& rule : rules_)
        if (!is_written(nest_, rule.access.tensor))
            for (const int condition : rule.conditions)
                (rule.gates ? gated : asked).add(condition, rule.access.covered);
    Needs kept = asked;
    add_unit(0, false, kept);
    Needs done = kept + gated;
    add_unit(0, true, done);
    return {asked, kept, done};
}

bool Avoided::acts_between_memories(const Access& access) const {
    return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
        return rule.access.tensor == access.tensor && rule.access.source <= access.source &&
               !serves_computes(nest_, rule.access);
    });
}

Needs::Needs(const Nest& nest) : nest_(&nest), by_tensor_(nest.einsum->tensors.size()) {}

void Needs::add(int tensor, LoopSet set) {
    set &= loops_moving(*nest_, tensor);
    std::optional<LoopSet>& known = by_tensor_[tensor];
    if (known && (*known & set) != *known && (*known & set) != set)
        throw Uncounted("two conditions on '" + nest_->einsum->tensors[tensor].name +
                        "' look at parts of it that lie across each other");
    known = known ? *known & set : set;
}

void Needs::add(const Needs& other) {
    for (std::size_t t = 0; t < by_tensor_.size(); ++t)
        if (other.by_tensor_[t]) add(static_cast<int>(t), *other.by_tensor_[t]);
}

bool Needs::empty() const {
    return std::none_of(by_tensor_.begin(), by_tensor_.end(), [](const auto& need) { return need.has_value(); });
}

double Needs::share(Chances& chances, Pinned pinned) const {
    std::vector<Table> tables;
    for (std::size_t t = 0; t < by_tensor_.size(); ++t)
        if (by_tensor_[t]) tables.push_back(chances.not_empty(static_cast<int>(t), *by_tensor_[t]));
    return mean_of_product(*nest_, tables, pinned);
}

Needs operator+(Needs a, const Needs& b) {
    a.add(b);
    return a;
}

}  // namespace tilewright::sparse
