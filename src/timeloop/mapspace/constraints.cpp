// constraints_by_name: gathers a file's mapping constraints, in place and in sections, and resolves them for one
// einsum.
#include <algorithm>
#include <map>

#include "timeloop/files/sections.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/machine/machine.hpp"
#include "timeloop/mapping/directive.hpp"
#include "timeloop/mapspace/constraint_rules.hpp"

namespace tilewright::timeloop {
namespace {

enum class ConstraintKind { temporal, spatial, dataspace, parallelism, overbooking };

ConstraintKind kind_of(const yaml::Node& type) {
    const std::string& text = type.text();
    if (text == "temporal") return ConstraintKind::temporal;
    if (text == "spatial") return ConstraintKind::spatial;
    if (text == "datatype" || text == "bypass" || text == "bypassing" || text == "dataspace")
        return ConstraintKind::dataspace;
    if (text == "utilization" || text == "parallelism") return ConstraintKind::parallelism;
    if (text == "max_overbooked_proportion") return ConstraintKind::overbooking;
    static const std::vector<std::string> kKnown{"temporal", "spatial",     "dataspace",  "datatype",
                                                 "bypass",   "utilization", "parallelism"};
    static const std::vector<std::string> kOptions{"no_link_transfer",
                                                   "no_multicast",
                                                   "no_reduction",
                                                   "no_multicast_no_reduction",
                                                   "no_link_transfer_no_multicast",
                                                   "skew"};
    if (std::find(kOptions.begin(), kOptions.end(), text) != kOptions.end())
        type.fail(ErrorCode::unsupported, "constraints of type '" + text + "' are not supported; a mapping can say it");
    type.fail(ErrorCode::unknown_name,
              "unknown type '" + text + "'" + did_you_mean(text, kKnown) + "; expected one of " + list_words(kKnown));
}

double share_at(const yaml::Node& node) {
    const double share = node.real();
    if (share < 0.0 || share > 1.0)
        node.fail(ErrorCode::bad_value, "expected a share from 0 to 1, found " + node.text());
    return share;
}

class ConstraintReader {
   public:
    ConstraintReader(const yaml::Node& root, const Architecture& architecture, const ConstraintNames& names);

    Constraints read();
    /// Collects constraints, without the rules dependent on a real problem.
    void gather();

   private:
    void read_in_place();
    void read_section(const yaml::Node& section, bool is_mapspace);
    void read_list(const yaml::Node& list);
    void read_one(const yaml::Node& target, const yaml::Node& constraint);
    void add(ConstraintKind kind, std::size_t memory, const yaml::Node& node,
             const std::shared_ptr<const Scope>& scope);
    void add_dataspace(std::size_t memory, const yaml::Node& node);
    void add_group(const PlacedConstraints& placed);
    std::size_t memory_at(const yaml::Node& target, ConstraintKind kind) const;
    std::size_t memory_named(const std::string& name) const {
        return static_cast<std::size_t>(find_memory(architecture_, name));
    }
    bool is_outermost(std::size_t memory) const {
        const auto first = std::find_if(architecture_.memories.begin(), architecture_.memories.end(),
                                        [](const Memory& one) { return !one.spreads_only; });
        return static_cast<std::size_t>(first - architecture_.memories.begin()) == memory;
    }
    void check_outermost() const;
    LevelConstraint resolved(std::size_t memory) const;
    LoopConstraint resolved(const LoopDirective& directive) const;

    const yaml::Node& root_;
    const Architecture& architecture_;
    const ConstraintNames& names_;
    const Einsum& einsum_;
    std::optional<MachineFile> machine_;
    std::shared_ptr<Evaluator> evaluator_;
    std::shared_ptr<const Scope> variables_;
    Directives directives_;
    std::map<int, yaml::Node> outermost_bypass_;  // by tensor, its place
};

ConstraintReader::ConstraintReader(const yaml::Node& root, const Architecture& architecture,
                                   const ConstraintNames& names)
    : root_(root), architecture_(architecture), names_(names), einsum_(names.einsum()) {
    if (find_architecture(root) != nullptr) machine_ = read_machine(root);
    if (machine_) {
        evaluator_ = machine_->evaluator;
        variables_ = machine_->variables;
    } else {
        const yaml::Node* variables = root.find("variables");
        evaluator_ = std::make_shared<Evaluator>(root);
        variables_ = std::make_shared<Scope>(Scope{variables == nullptr ? yaml::Node() : *variables, nullptr, false});
    }
    const std::size_t count = architecture.memories.size();
    directives_.temporal.resize(count);
    directives_.spatial.resize(count);
    directives_.keep.resize(count);
    directives_.bypass.resize(count);
}

void ConstraintReader::gather() {
    read_in_place();
    for (const char* key : {"arch_constraints", "architecture_constraints", "constraints", "mapspace_constraints",
                            "extra_mapping_constraints", "mapspace"})
        if (const yaml::Node* section = root_.find(key)) read_section(*section, key == std::string_view("mapspace"));
    check_outermost();
}

Constraints ConstraintReader::read() {
    gather();
    if (machine_ && machine_->form == Form::hierarchy) {
        bind_unshared(*machine_, directives_, architecture_, einsum_);
        separate_branches(*machine_, directives_, architecture_, names_);
        maximize_dimensions(directives_, architecture_, einsum_);
        place_unit_dimensions(directives_, architecture_, names_);
        place_rest(directives_, architecture_, einsum_);
    } else {
        maximize_dimensions(directives_, architecture_, einsum_);
        place_rest(directives_, architecture_, einsum_);
    }
    Constraints constraints;
    for (std::size_t i = 0; i < architecture_.memories.size(); ++i) constraints.levels.push_back(resolved(i));
    constraints.min_parallelism = directives_.min_parallelism;
    if (machine_ && machine_->array) constrain(*machine_->array, architecture_, einsum_, constraints);
    return constraints;
}

void ConstraintReader::read_in_place() {
    if (!machine_) return;
    for (const PlacedConstraints& placed : machine_->constraints) add_group(placed);
    if (const yaml::Node* inside = find_architecture(root_)->find("constraints")) read_section(*inside, false);
}

void ConstraintReader::add_group(const PlacedConstraints& placed) {
    placed.node.expect_keys({"spatial", "temporal", "dataspace", "max_overbooked_proportion"});
    for (const yaml::Node::Entry& entry : placed.node.entries()) {
        if (entry.value.is_null() || (entry.value.is_map() && entry.value.entries().empty())) continue;
        if (entry.key == "spatial") {
            if (!placed.spatial_memory.empty() && find_memory(architecture_, placed.spatial_memory) >= 0)
                add(ConstraintKind::spatial, memory_named(placed.spatial_memory), entry.value, placed.scope);
            else if (!placed.has_spatial && machine_->passing.empty())  // a fan-out of 1 x 1 has nothing to constrain
                entry.key_node.fail(
                    ErrorCode::no_fanout,
                    "a spatial constraint where nothing spreads (give 'spatial: {meshX: .., meshY: ..}')");
        } else if (placed.memory.empty() && entry.key == "temporal" && !machine_->passing.empty()) {
            continue;  // CiMLoop's default of all containers, which have no loops of their own
        } else if (placed.memory.empty() || find_memory(architecture_, placed.memory) < 0) {
            entry.key_node.fail(ErrorCode::unsupported,
                                "a '" + entry.key + "' constraint has no effect here: it belongs to a memory");
        } else {
            const ConstraintKind kind = entry.key == "temporal"    ? ConstraintKind::temporal
                                        : entry.key == "dataspace" ? ConstraintKind::dataspace
                                                                   : ConstraintKind::overbooking;
            add(kind, memory_named(placed.memory), entry.value, placed.scope);
        }
    }
}

// A section is a list, or a map with `targets`, with `constraints` as a list, or with the name of one of its lists
// constraints_<name>.
void ConstraintReader::read_section(const yaml::Node& section, bool is_mapspace) {
    if (section.is_null()) return;
    if (section.is_sequence()) return read_list(section);
    for (const yaml::Node::Entry& entry : section.entries()) {
        static const std::vector<std::string> kKnown{"version", "targets", "constraints", "template"};
        const bool known =
            std::find(kKnown.begin(), kKnown.end(), entry.key) != kKnown.end() || entry.key.starts_with("constraints_");
        if (entry.key == "template" && !is_mapspace)
            entry.key_node.fail(ErrorCode::unknown_key, "'template' belongs to the section 'mapspace'");
        if (!known)
            entry.key_node.fail(ErrorCode::unknown_key,
                                "unknown key '" + entry.key + "'" + did_you_mean(entry.key, kKnown));
    }
    const yaml::Node* chosen = section.find("constraints");
    if (chosen != nullptr && chosen->is_scalar()) chosen = &section.at("constraints_" + chosen->text());
    if (chosen != nullptr && !chosen->is_null()) read_list(*chosen);
    if (const yaml::Node* targets = section.find("targets")) read_list(*targets);
}

void ConstraintReader::read_list(const yaml::Node& list) {
    for (const yaml::Node& target : list.items()) {
        const yaml::Node* inside = target.find("constraints");
        if (inside == nullptr) {
            read_one(target, target);
            continue;
        }
        target.expect_keys({"target", "name", "constraints"});
        for (const yaml::Node& constraint : inside->items()) read_one(target, constraint);
    }
}

void ConstraintReader::read_one(const yaml::Node& target, const yaml::Node& constraint) {
    const ConstraintKind kind = kind_of(constraint.at("type"));
    const yaml::Node* name = target.find("target");
    const std::size_t memory = memory_at(name != nullptr ? *name : target.at("name"), kind);
    const yaml::Node* attributes = constraint.find("attributes");
    add(kind, memory, attributes == nullptr ? constraint : yaml::Node::merged(constraint, *attributes), variables_);
}

std::size_t ConstraintReader::memory_at(const yaml::Node& target, ConstraintKind kind) const {
    if (kind == ConstraintKind::spatial)
        if (const int spreader = find_memory(architecture_, "inter_" + target.text() + "_spatial"); spreader >= 0)
            return static_cast<std::size_t>(spreader);
    const int found = find_memory(architecture_, target.text());
    if (found >= 0) return static_cast<std::size_t>(found);
    const std::vector<std::string> names = names_of(architecture_.memories);
    target.fail(ErrorCode::unknown_level, "there is no memory '" + target.text() + "'" +
                                              did_you_mean(target.text(), names) + "; the architecture has " +
                                              list_words(names));
}

void ConstraintReader::add(ConstraintKind kind, std::size_t memory, const yaml::Node& node,
                           const std::shared_ptr<const Scope>& scope) {
    const DirectiveContext context{names_, evaluator_, scope, scope != variables_};
    const std::string name = "'" + architecture_.memories[memory].name + "'";
    const bool innermost = memory + 1 == architecture_.memories.size();
    switch (kind) {
        case ConstraintKind::temporal:
            combine(directives_.temporal[memory], read_directive(node, false, context), einsum_);
            break;
        case ConstraintKind::spatial:
            if (architecture_.fanout(static_cast<int>(memory)).size() == 1)
                node.fail(ErrorCode::no_fanout, "there is nothing to spread over below " + name);
            combine(directives_.spatial[memory], read_directive(node, true, context), einsum_);
            break;
        case ConstraintKind::dataspace: add_dataspace(memory, node); break;
        case ConstraintKind::parallelism:
            node.expect_keys({"target", "name", "type", "attributes", "min"});
            if (!innermost)
                node.fail(ErrorCode::unsupported, "parallelism can only be constrained at the innermost memory, '" +
                                                      architecture_.memories.back().name + "'");
            directives_.min_parallelism = std::max(directives_.min_parallelism, share_at(node.at("min")));
            break;
        case ConstraintKind::overbooking:
            node.expect_keys({"target", "name", "type", "attributes", "proportion"});
            if (const yaml::Node* share = node.find("proportion");
                share != nullptr && !share->is_null() && share->real() != 0.0)
                share->fail(ErrorCode::unsupported, "overbooked buffers are not supported");
    }
}

void ConstraintReader::add_dataspace(std::size_t memory, const yaml::Node& node) {
    node.expect_keys({"target", "name", "type", "attributes", "keep", "bypass", "keep_only", "bypass_only",
                      "no_coalesce", "stream"});
    const unsigned all = TensorSet::all(einsum_.tensor_count()).bits();
    unsigned keep = 0;
    unsigned bypass = 0;
    const auto named = [&](const char* key) {
        const yaml::Node* given = node.find(key);
        const std::optional<TensorSet> tensors =
            given == nullptr || given->is_null() ? std::nullopt : names_.tensors(*given);
        return tensors ? std::optional(tensors->bits()) : std::nullopt;
    };
    keep |= named("keep").value_or(0);
    bypass |= named("bypass").value_or(0);
    if (const auto only = named("keep_only")) keep |= *only, bypass |= all & ~*only;
    if (const auto only = named("bypass_only")) bypass |= *only, keep |= all & ~*only;
    if (named("no_coalesce").value_or(0) != 0)
        node.at("no_coalesce")
            .fail(ErrorCode::unsupported, "'no_coalesce' is not supported in a constraint; a mapping can say it");
    if (named("stream").value_or(0) != 0 && memory != 0)
        node.at("stream").fail(ErrorCode::unsupported,
                               "tensors to stream are not supported inside the outermost memory");
    directives_.keep[memory] = TensorSet::from_bits(directives_.keep[memory].bits() | keep);
    directives_.bypass[memory] = TensorSet::from_bits(directives_.bypass[memory].bits() | bypass);
    const Memory& level = architecture_.memories[memory];
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        const std::string& tensor = einsum_.tensors[t].name;
        if (directives_.keep[memory].has(t) && directives_.bypass[memory].has(t))
            node.fail(ErrorCode::bad_value,
                      "'" + level.name + "' has to keep and to bypass the tensor '" + tensor + "'");
        if (directives_.keep[memory].has(t) && level.spreads_only)
            node.fail(ErrorCode::bad_value,
                      "'" + level.name + "' has no storage, so it cannot keep the tensor '" + tensor + "'");
        if (directives_.bypass[memory].has(t) && is_outermost(memory)) outermost_bypass_[t] = node;
    }
}

// A tensor kept by another memory may live there alone, e.g. weights inside the compute array.
void ConstraintReader::check_outermost() const {
    for (const auto& [t, node] : outermost_bypass_) {
        const bool lives_inside = std::any_of(directives_.keep.begin(), directives_.keep.end(),
                                              [tensor = t](const TensorSet& kept) { return kept.has(tensor); });
        const auto outermost = std::find_if(architecture_.memories.begin(), architecture_.memories.end(),
                                            [](const Memory& memory) { return !memory.spreads_only; });
        if (lives_inside || outermost == architecture_.memories.end()) continue;
        node.fail(ErrorCode::bad_value, "'" + outermost->name +
                                            "' is the outermost memory, where every tensor begins " +
                                            "and ends: it cannot bypass '" + einsum_.tensors[t].name + "'");
    }
}

LevelConstraint ConstraintReader::resolved(std::size_t memory) const {
    LevelConstraint level;
    level.temporal = resolved(directives_.temporal[memory]);
    level.spatial = resolved(directives_.spatial[memory]);
    const TensorSet all = TensorSet::all(einsum_.tensor_count());
    const bool spreads_only = architecture_.memories[memory].spreads_only;
    level.must_bypass = spreads_only ? all : directives_.bypass[memory];
    level.must_keep = directives_.keep[memory];
    if (memory == 0 && !spreads_only)  // default: everything starts in the outermost memory
        level.must_keep = TensorSet::from_bits(all.bits() & ~level.must_bypass.bits());
    return level;
}

LoopConstraint ConstraintReader::resolved(const LoopDirective& directive) const {
    LoopConstraint loops;
    loops.inner = directive.inner;
    loops.outer = directive.outer;
    loops.split = directive.split;
    loops.remainders = directive.remainders;
    if (directive.factors.empty() && !directive.default_most && !directive.default_least) return loops;
    for (int d = 0; d < einsum_.dimension_count(); ++d) {
        const Dimension& dimension = einsum_.dimensions[d];
        std::optional<FactorConstraint> bound = bounds(directive.factors, d);
        if (!bound)
            directive.place.fail(ErrorCode::bad_value, "the factors of '" + dimension.name + "' contradict each other");
        if (!bound->exactly && !bound->at_most) bound->at_most = directive.default_most;
        if (!bound->exactly && bound->at_least == 1) bound->at_least = directive.default_least.value_or(1);
        // As in Timeloop, a factor beyond the layer's extent is the whole extent: one set of constraints serves many
        // layers.
        if (bound->exactly) bound->exactly = std::min(*bound->exactly, dimension.extent);
        bound->at_least = std::min(bound->at_least, dimension.extent);
        loops.factors.push_back(*bound);
    }
    return loops;
}

}  // namespace

Constraints constraints_by_name(const yaml::Node& root, const Architecture& architecture,
                                const ConstraintNames& names) {
    return ConstraintReader(root, architecture, names).read();
}

Einsum names_in_constraints(const yaml::Node& root, const Architecture& architecture) {
    VoidNamesByFile named;
    ConstraintReader(root, architecture, ConstraintNames(Einsum{}, Unnamed::ignore, named)).gather();
    std::set<std::string> dimensions;
    std::set<std::string> tensors;
    for (const auto& [file, names] : named) {
        dimensions.insert(names.dimensions.begin(), names.dimensions.end());
        tensors.insert(names.tensors.begin(), names.tensors.end());
    }
    Einsum einsum;
    for (const std::string& name : dimensions) einsum.dimensions.push_back({name, 1});
    for (const std::string& name : tensors) einsum.tensors.push_back({name, {}, false});
    return einsum;
}

void check_constraints(const yaml::Node& root, const Architecture& architecture) {
    VoidNamesByFile named;
    const Einsum einsum = names_in_constraints(root, architecture);
    ConstraintReader(root, architecture, ConstraintNames(einsum, Unnamed::ignore, named)).gather();
}

}  // namespace tilewright::timeloop
