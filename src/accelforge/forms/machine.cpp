#include <algorithm>
#include <cmath>

#include "accelforge/expression/evaluate.hpp"
#include "accelforge/files/load.hpp"
#include "accelforge/forms/as_ours.hpp"
#include "workload/layer_roles.hpp"

namespace tilewright::accelforge {
namespace {

constexpr double kPicojoules = 1e12;
constexpr double kSquareMicrometres = 1e12;  // in a m^2
constexpr double kProbe = 1e6;               // argument for a latency rule

std::string place_of(const Component& component) {
    const std::string line = component.where.line > 0 ? ":" + std::to_string(component.where.line) : "";
    const char* how = component.missing.empty() ? "given in " : "asked for in ";
    return component.where.file.empty() ? "" : how + component.where.file + line;
}

std::uint64_t all_tensors(const EinsumSpec& einsum) { return (std::uint64_t{1} << einsum.bits.size()) - 1; }

int compute_for(const MachineSpec& machine, const EinsumSpec& einsum, Notes& notes) {
    int found = -1;
    for (int i = 0; i < static_cast<int>(machine.components.size()); ++i) {
        const Component& one = machine.components[i];
        if (one.kind != ComponentKind::compute) continue;
        if (one.enabled && found < 0)
            found = i;
        else
            notes.add(
                "a compute unit beside the one that runs the products is so many lanes of its array as it is faster",
                one.name, "");
    }
    if (found < 0)
        throw InputError(ErrorCode::unsupported, einsum.where,
                         "no compute unit is enabled for einsum '" + einsum.name + "'");
    return found;
}

double widest_of(const EinsumSpec& einsum, Notes& notes) {
    const double widest = std::ranges::max(einsum.bits);
    if (!(widest <= static_cast<double>(kMaxWordBits)) || widest != std::floor(widest))
        throw InputError(ErrorCode::unsupported, einsum.where, "words have 1 to 4096 whole bits here");
    if (std::ranges::min(einsum.bits) < widest)
        notes.add(
            "a row of a memory is one word of the widest tensor; narrower words share rows, and a row costs as a "
            "whole");
    return widest;
}

/// Seconds per word read and written, and whether one port serves both.
struct PortTimes {
    double read_s = 0.0;
    double write_s = 0.0;
    bool shared = false;
};

/// Actions for a word: of the only tensor whose values are counted (`tensor`), or by bits.
double actions_of(const Component& memory, const char* name, double word_bits, std::optional<std::size_t> tensor) {
    const Action* action = memory.action(name);
    if (action == nullptr) return 0.0;
    return tensor ? memory.actions_scale / action->values[*tensor] : word_bits / action->bits;
}

PortTimes port_times(const Component& memory, double word_bits, std::optional<std::size_t> tensor) {
    const auto actions = [&](const char* name) { return actions_of(memory, name, word_bits, tensor) * kProbe; };
    const double reads = actions("read");
    const double writes = actions("write");
    const double both = memory.latency({{"read", reads}, {"write", writes}}) / kProbe;
    PortTimes times{memory.latency({{"read", reads}}) / kProbe, memory.latency({{"write", writes}}) / kProbe};
    times.shared = both > 1.0001 * std::max(times.read_s, times.write_s);
    return times;
}

std::optional<double> rate_of(double seconds, double cycle_s) {
    return seconds > 0.0 && std::isfinite(seconds) ? std::optional(cycle_s / seconds) : std::nullopt;
}

void set_rates(const PortTimes& times, double cycle_s, const std::string& name, Memory& memory, Notes& notes) {
    const bool same = std::abs(times.read_s - times.write_s) <= 1e-9 * times.read_s;
    if (times.shared && same) {
        memory.shared_words_per_cycle = rate_of(times.read_s, cycle_s);
        return;
    }
    if (times.shared)
        notes.add("reads and writes share a port and take different times there: each has a port of its own here", name,
                  "");
    memory.read_words_per_cycle = rate_of(times.read_s, cycle_s);
    memory.write_words_per_cycle = rate_of(times.write_s, cycle_s);
}

Sourced word_energy(const Component& component, const char* name, double word_bits) {
    const Action* action = component.action(name);
    return {action == nullptr ? 0.0 : action->energy_j * kPicojoules * word_bits / action->bits, place_of(component)};
}

std::string text_of(const Location& where) {
    return where.file.empty() || where.line == 0 ? "" : where.file + ":" + std::to_string(where.line);
}

// Keys of its search or accounting alone.
void note_what_is_not_asked(const Component& component, Notes& notes) {
    for (const SearchRule& rule : component.search_rules)
        notes.add("'" + rule.key + "' is a rule of AccelForge's own search: mappings are found without it",
                  component.name, text_of(rule.where));
    const std::string place = text_of(component.where);
    if (!component.skips_first_read)
        notes.add("'skip_initial_output_write: False' is not carried over: first arrivals are not read", component.name,
                  place);
    for (const Fanout& fanout : component.fanouts) {
        if (fanout.power_gateable)
            notes.add("'power_gateable' is not carried over: what is idle leaks", component.name, place);
    }
}

/// The tensor of a memory that can keep no other, where all actions are counted in values of it.
std::optional<std::size_t> counted_tensor(const Component& memory, const EinsumSpec& einsum) {
    std::optional<std::size_t> only;
    for (std::size_t t = 0; t < einsum.bits.size(); ++t) {
        if (((memory.keep | memory.may_keep) >> t & 1U) == 0) continue;
        if (only) return std::nullopt;
        only = t;
    }
    if (!only || memory.actions.empty()) return std::nullopt;
    const auto in_values = [&](const Action& action) { return action.values[*only] > 0.0; };
    return std::ranges::all_of(memory.actions, in_values) ? only : std::nullopt;
}

void note_what_is_lost(const Component& component, const EinsumSpec& einsum, Notes& notes) {
    note_what_is_not_asked(component, notes);
    for (const Fanout& fanout : component.fanouts)
        if (fanout.may_reuse == 0)
            notes.add("'may_reuse: Nothing' is not carried over: equal words are multicast", component.name, "");
    if (component.actions_scale != 1.0)
        notes.add("'actions_scale' is in energies and not in counts", component.name, "");
    if (component.kind == ComponentKind::toll || counted_tensor(component, einsum)) return;
    for (const Action& action : component.actions)
        if (std::ranges::any_of(action.values, [](double one) { return one > 0.0; }))
            notes.add("'values_per_action' is not carried over", component.name, "");
}

/// Own word width of a memory, if common to all its possible tensors.
std::optional<double> own_bits(const Component& memory) {
    std::optional<double> own;
    for (std::size_t t = 0; memory.has_own_bits && t < memory.bits.size(); ++t) {
        if (((memory.keep | memory.may_keep) >> t & 1U) == 0) continue;
        if (own.value_or(memory.bits[t]) != memory.bits[t]) return std::nullopt;
        own = memory.bits[t];
    }
    return own.value_or(0.0) > 0.0 ? own : std::nullopt;
}

class ArchitectureMaker {
   public:
    ArchitectureMaker(const MachineSpec& machine, const EinsumSpec& einsum, Notes& notes)
        : machine_(machine), einsum_(einsum), notes_(notes), word_bits_(widest_of(einsum, notes)) {}

    Architecture make(const std::string& name) {
        made_.name = name;
        compute_ = compute_for(machine_, einsum_, notes_);
        set_clock(machine_.components[compute_]);
        for (const int index : machine_.path_to(compute_)) {
            const Component& component = machine_.components[index];
            if (made_.memories.empty()) add_backing(component);
            spread(component);
            note_what_is_lost(component, einsum_, notes_);
            if (component.kind == ComponentKind::toll) take_toll(component);
            if (component.kind == ComponentKind::memory) add_memory(component);
        }
        set_compute(machine_.components[compute_]);
        if (const std::string wrong = problem_with(made_); !wrong.empty())
            throw InputError(ErrorCode::unsupported, einsum_.where, wrong);
        return std::move(made_);
    }

   private:
    void set_clock(const Component& compute) {
        const double seconds = compute.latency({{"compute", kProbe}}) / kProbe;
        made_.clock_assumed = !(seconds > 0.0 && std::isfinite(seconds));
        if (!made_.clock_assumed) made_.cycle_seconds = seconds;
    }
    // A component's first fan-out is X, the others Y.
    void spread(const Component& component) {
        for (std::size_t i = 0; i < component.fanouts.size(); ++i) {
            const double size = usable(component.fanouts[i]);
            hidden_ *= component.fanouts[i].size / size;
            if (size != std::floor(size))
                throw InputError(ErrorCode::unsupported, component.where, "a fan-out has to be a whole number");
            (i == 0 ? mesh_.x : mesh_.y) *= static_cast<std::int64_t>(size);
        }
        constexpr double kMost = 1e12;
        if (static_cast<double>(mesh_.x) * static_cast<double>(mesh_.y) > kMost)
            throw InputError(ErrorCode::unsupported, component.where, "more than 1e12 instances");
    }
    void add_backing(const Component& first);
    void take_toll(const Component& toll);
    void add_passages(const Component& toll);
    bool keeps_up(const Component& toll) const;
    void add_leak_and_area(const Component& toll, Memory& level) const;
    [[noreturn]] static void refuse_toll(const Component& toll, const std::string& problem);
    void add_memory(const Component& component);
    void set_compute(const Component& component);

    const MachineSpec& machine_;
    const EinsumSpec& einsum_;
    Notes& notes_;
    double word_bits_;
    Mesh mesh_;
    int compute_ = -1;                ///< the component that runs the products
    std::uint64_t kept_outside_ = 0;  ///< tensors that some memory of the file so far may hold
    double hidden_ = 1.0;             ///< instances behind each counted one (usage_scale)
    Architecture made_;
};

// Reason why a toll's energy does not belong to the outermost memory's reads and writes; "" if all its traffic is read
// there on the way in and written there on the way out.
std::string problem_with_toll(const Component& toll, const EinsumSpec& einsum, const std::vector<Memory>& memories,
                              const Mesh& mesh) {
    const std::uint64_t all = all_tensors(einsum);
    if (memories.size() != 1) return "it does not stand directly inside the outermost memory";
    if (memories.front().mesh != mesh) return "a fan-out lies between the outermost memory and it";
    if ((toll.keep & all) != all) return "not every tensor has to pass it (tensors: {keep: All})";
    if (toll.latency && toll.latency({{"read", kProbe}}) > 0.0) return "it takes time";
    for (std::size_t t = 1; t < toll.directions.size(); ++t)
        if (toll.directions[t] != toll.directions[0]) return "its direction is not the same for all tensors";
    return "";
}

// The role of a tensor, or its name.
std::string passing_tensor(const EinsumSpec& einsum, std::size_t tensor) {
    for (const auto& [role, name] : {std::pair{"input", "Inputs"}, {"weight", "Weights"}, {"output", "Outputs"}}) {
        const Value* value = einsum.names.find(role);
        if (value != nullptr && value->set() != nullptr && value->set()->has(static_cast<int>(tensor))) return name;
    }
    return einsum.accesses[tensor].output ? "Outputs" : einsum.accesses[tensor].tensor;
}

// A macro alone: what feeds it is free. AccelForge's mappings need no outer memory.
void ArchitectureMaker::add_backing(const Component& first) {
    const std::uint64_t all = all_tensors(einsum_);
    if (first.kind == ComponentKind::memory && ((first.keep | first.may_keep) & all) == all) return;
    Memory outside;
    outside.name = "outside";
    outside.word_bits = static_cast<std::int64_t>(word_bits_);
    for (Sourced* price : {&outside.energy.read_pj, &outside.energy.fill_pj, &outside.energy.update_pj,
                           &outside.energy.leak_pj_per_cycle, &outside.area_um2})
        price->source = "none: outside of the machine";
    made_.memories.push_back(std::move(outside));
    notes_.add("no memory of the file holds all tensors: a free one outside does");
}

// A toll on all traffic of the outermost memory is a part of that; others are passages of the level that they stand in.
void ArchitectureMaker::take_toll(const Component& toll) {
    const std::uint64_t all = all_tensors(einsum_);
    if ((toll.keep & all) == 0) return add_passages(toll);  // leaks
    if (!problem_with_toll(toll, einsum_, made_.memories, mesh_).empty()) return add_passages(toll);
    Memory& outermost = made_.memories.front();
    const double bits = own_bits(toll).value_or(word_bits_) * toll.actions_scale;
    const double energy = word_energy(toll, "read", bits).value;
    const auto add = [&](Sourced& to, double value) {
        to.value += value;
        to.source += (to.source.empty() ? "" : ", with ") + ("'" + toll.name + "' " + place_of(toll));
    };
    const TollDirection direction = toll.directions.empty() ? TollDirection::both : toll.directions.front();
    if (direction != TollDirection::up) add(outermost.energy.read_pj, energy);
    if (direction != TollDirection::down) add(outermost.energy.update_pj, energy);
    add_leak_and_area(toll, outermost);
}

void ArchitectureMaker::refuse_toll(const Component& toll, const std::string& problem) {
    throw InputError(ErrorCode::unsupported, toll.where,
                     "`map` cannot count the toll '" + toll.name + "': " + problem + "; `evaluate` counts every toll");
}

void ArchitectureMaker::add_leak_and_area(const Component& toll, Memory& level) const {
    level.energy.leak_pj_per_cycle.value += toll.leak_w * hidden_ * made_.cycle_seconds * kPicojoules;
    level.area_um2.value += toll.area_m2 * hidden_ * kSquareMicrometres;
    for (Sourced* to : {&level.energy.leak_pj_per_cycle, &level.area_um2})
        to->source += (to->source.empty() ? "" : ", with ") + ("'" + toll.name + "' " + place_of(toll));
}

// Whether no mapping waits for a toll: it takes its words as fast as all units inside it make them, each one after an
// access of the memory at the unit; copies that have to share a word of the tensor make one together.
bool ArchitectureMaker::keeps_up(const Component& toll) const {
    const double seconds = toll.latency ? toll.latency({{"read", kProbe}}) / kProbe : 0.0;
    if (!(seconds > 0.0)) return true;
    double unit_seconds = made_.cycle_seconds * (made_.clock_assumed ? 0.0 : 1.0);
    std::uint64_t alone = toll.keep & all_tensors(einsum_);
    double copies = 1.0;
    bool inside = false;
    for (const int index : machine_.path_to(compute_)) {
        const Component& one = machine_.components[index];
        if (inside)
            for (const Fanout& fanout : one.fanouts)
                if ((fanout.reuse & alone) != alone) copies *= usable(fanout);
        inside = inside || one.name == toll.name;
        if (!inside || one.kind != ComponentKind::memory) continue;
        const std::optional<std::size_t> tensor = counted_tensor(one, einsum_);
        if (tensor) unit_seconds = std::max(unit_seconds, port_times(one, word_bits_, tensor).read_s);
    }
    double actions = 1.0;
    const Action* action = toll.action("read");
    for (std::size_t t = 0; action != nullptr && t < action->values.size(); ++t)
        if ((alone >> t & 1U) != 0)
            actions = std::max(actions, action->values[t] > 0.0 ? 1.0 / action->values[t] : word_bits_ / action->bits);
    return seconds * actions * toll.actions_scale * copies <= unit_seconds * (1.0 + 1e-9);
}

void ArchitectureMaker::add_passages(const Component& toll) {
    const std::uint64_t all = all_tensors(einsum_);
    if ((toll.keep & all) != 0 && !keeps_up(toll)) refuse_toll(toll, "it takes time");
    if (made_.memories.back().mesh != mesh_) {
        Memory spread;
        spread.name = toll.name;
        spread.spreads_only = true;
        spread.word_bits = static_cast<std::int64_t>(word_bits_);
        spread.mesh = mesh_;
        spread.instances = mesh_.size();
        made_.memories.push_back(std::move(spread));
    }
    Memory& level = made_.memories.back();
    add_leak_and_area(toll, level);
    const Action* action = toll.action("read");
    for (std::size_t t = 0; action != nullptr && t < einsum_.accesses.size(); ++t) {
        const bool written = einsum_.accesses[t].output;
        const TollDirection direction = t < toll.directions.size() ? toll.directions[t] : TollDirection::both;
        if ((toll.keep >> t & 1U) == 0 || direction == (written ? TollDirection::down : TollDirection::up)) continue;
        if (written && direction == TollDirection::both)
            notes_.add("partial sums that return inwards pass tolls for nothing", toll.name, "");
        const double bits = toll.bits.empty() || toll.bits[t] <= 0.0 ? einsum_.bits[t] : toll.bits[t];
        const double actions = action->values[t] > 0.0 ? 1.0 / action->values[t] : bits / action->bits;
        level.link.passages.push_back({toll.name,
                                       passing_tensor(einsum_, t),
                                       {action->energy_j * kPicojoules, place_of(toll)},
                                       actions * toll.actions_scale});
    }
}

void ArchitectureMaker::add_memory(const Component& component) {
    Memory memory;
    memory.name = component.name;
    memory.component_class = component.component_class;
    memory.is_dram = made_.memories.empty();
    memory.word_bits = static_cast<std::int64_t>(word_bits_);
    constexpr double kUnlimited = 9e18;
    const std::optional<double> own = own_bits(component);
    if (component.has_own_bits && !own)
        notes_.add("'bits_per_value' of a memory's own is not carried over: words are as wide as the einsum's",
                   component.name, text_of(component.where));
    const std::optional<std::size_t> counted = counted_tensor(component, einsum_);
    if (counted) memory.word_bits = static_cast<std::int64_t>(einsum_.bits[*counted]);
    const double bits = own.value_or(static_cast<double>(memory.word_bits));
    const double words = std::floor(component.size_bits / bits);
    if (words < 1.0) {  // e.g. a register of an einsum without weights
        notes_.add("memories without room for this einsum's words are left out", component.name, "");
        return;
    }
    if (words < kUnlimited) memory.capacity_words = static_cast<std::int64_t>(words);
    memory.instances = mesh_.size();
    memory.mesh = mesh_;
    const double scale = component.actions_scale;
    const auto energy = [&](const char* name) -> Sourced {
        const Action* action = component.action(name);
        if (!counted || action == nullptr) return word_energy(component, name, bits * scale);
        return {action->energy_j * kPicojoules * actions_of(component, name, bits, counted), place_of(component)};
    };
    memory.energy.read_pj = energy("read");
    memory.energy.fill_pj = energy("write");
    if (counted && (kept_outside_ >> *counted & 1U) == 0) {
        memory.energy.fill_pj = {0.0, "none: the tensor stays here"};
        notes_.add("a tensor that no memory of the file holds farther out stays: writing it costs nothing, as there",
                   component.name, "");
    }
    kept_outside_ |= component.keep | component.may_keep;
    memory.energy.update_pj = energy("write");
    memory.energy.leak_pj_per_cycle = {component.leak_w * hidden_ * made_.cycle_seconds * kPicojoules,
                                       place_of(component)};
    memory.area_um2 = {component.area_m2 * hidden_ * kSquareMicrometres, place_of(component)};
    set_rates(port_times(component, bits * scale, counted), made_.cycle_seconds, component.name, memory, notes_);
    made_.memories.push_back(std::move(memory));
}

void ArchitectureMaker::set_compute(const Component& component) {
    made_.compute.name = component.name;
    made_.compute.component_class = component.component_class;
    made_.compute.word_bits = static_cast<std::int64_t>(word_bits_);
    made_.compute.instances = mesh_.size();
    made_.compute.mesh = mesh_;
    const Action* compute = component.action("compute");
    const double energy = compute == nullptr ? 0.0 : compute->energy_j * component.actions_scale;
    made_.compute.energy_pj = {energy * kPicojoules, place_of(component)};
    made_.compute.leak_pj_per_cycle = {component.leak_w * hidden_ * made_.cycle_seconds * kPicojoules,
                                       place_of(component)};
    made_.compute.area_um2 = {component.area_m2 * hidden_ * kSquareMicrometres, place_of(component)};
}

/// An einsum tensor's operand role for a machine's expressions.
std::string role_name(const Einsum& einsum, std::size_t tensor) {
    const OperandRole role = layer_roles(einsum).operands[tensor];
    return role == OperandRole::outputs ? "output" : role == OperandRole::inputs ? "input" : "weight";
}

}  // namespace

// Tensors T0, T1, .. with ranks R0, R1, ..; variables v0, v1, .. by dimension, used ones only.
EinsumSpec spec_of(const Einsum& einsum, double bits) {
    Workload workload;
    EinsumSpec& spec = workload.einsums.emplace_back();
    spec.name = spec.where.file = einsum.name;
    std::vector<int> variables(einsum.dimensions.size(), -1);
    std::map<std::string, std::uint64_t> roles{{"input", 0}, {"weight", 0}, {"output", 0}};
    for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
        const Tensor& tensor = einsum.tensors[t];
        TensorAccess access{"T" + std::to_string(t), {}, tensor.written, false, spec.where};
        for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
            Projection& rank = access.ranks.emplace_back("R" + std::to_string(r));
            for (const Term& term : tensor.ranks[r].terms) {
                int& variable = variables[term.dimension];
                if (variable < 0) {
                    variable = static_cast<int>(spec.variables.size());
                    spec.variables.push_back("v" + std::to_string(term.dimension));
                    spec.extents.push_back(einsum.dimensions[term.dimension].extent);
                }
                rank.terms.push_back({variable, term.coefficient});
            }
        }
        spec.accesses.push_back(std::move(access));
        spec.bits.push_back(tensor.bits > 0 ? static_cast<double>(tensor.bits) : std::floor(bits));
        roles[role_name(einsum, t)] |= std::uint64_t{1} << t;
    }
    const std::shared_ptr<Universe> tensors = name_sets(workload, spec);
    tensors->bits = spec.bits;
    for (const auto& [role, members] : roles) spec.names.own[role] = Value{SetValue{tensors, members}};
    for (std::size_t d = 0; d < variables.size(); ++d) {  // rules of a search may say p, or its rank P
        std::string name = einsum.dimensions[d].name;
        const Value one{SetValue{tensors->variables, variables[d] < 0 ? 0 : std::uint64_t{1} << variables[d]}};
        spec.names.own.try_emplace(name, one);
        for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        spec.names.own.try_emplace(name, one);
    }
    return std::move(spec);
}

const EinsumSpec& typical_einsum(const Workload& workload) {
    const auto found =
        std::ranges::find_if(workload.einsums, [](const EinsumSpec& one) { return one.accesses.size() == 3; });
    return found == workload.einsums.end() ? workload.einsums.front() : *found;
}

Architecture architecture_of(const yaml::Node& root, const EinsumSpec& einsum, const std::string& name,
                             const Figures& figures, Notes& notes) {
    const MachineSpec machine = read_machine(root, einsum, figures, &notes);
    return ArchitectureMaker(machine, einsum, notes).make(name);
}

}  // namespace tilewright::accelforge
