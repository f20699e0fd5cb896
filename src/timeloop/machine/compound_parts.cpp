#include "timeloop/machine/part_costs.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "arch/estimation/technology.hpp"
#include "base/numbers/checked.hpp"
#include "cim/component.hpp"
#include "timeloop/components/component_classes.hpp"
#include "timeloop/machine/component_attributes.hpp"
#include "timeloop/machine/tables.hpp"

namespace tilewright::timeloop {
namespace {

using Names = std::vector<std::string>;

constexpr int kMostSteps = 2'000;  // nested parts, every path counted
constexpr std::size_t kLeftOut = static_cast<std::size_t>(-1);

// An action of the whole, with the count of each part's actions in it.
struct Whole {
    Names names;  // in order of preference
    PartUse Part::* use;
    const char* what;
};

const std::vector<Whole>& wholes_of(bool memory) {
    static const std::vector<Whole> kWholesOfMemory{{read_actions(), &Part::read, "reads"},
                                                    {fill_actions(), &Part::fill, "fills"},
                                                    {update_actions(), &Part::update, "updates"},
                                                    {{"leak"}, &Part::leak, "leakage"}};
    static const std::vector<Whole> kWholesOfCompute{{compute_actions(), &Part::read, "operations"},
                                                     {{"leak"}, &Part::leak, "leakage"}};
    return memory ? kWholesOfMemory : kWholesOfCompute;
}

bool contains(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

const std::vector<yaml::Node>& items_of(const yaml::Node& node, const char* key) {
    static const std::vector<yaml::Node> kNone;
    const yaml::Node* found = node.find(key);
    return found == nullptr ? kNone : found->items();
}

const yaml::Node* action_of(const yaml::Node& definition, const Names& names) {
    for (const std::string& name : names)
        for (const yaml::Node& action : items_of(definition, "actions"))
            if (action.at("name").text() == name) return &action;
    return nullptr;
}

std::string without_range(const std::string& ranged) { return ranged.substr(0, ranged.find('[')); }

// One class of parts and the scope of its expressions.
struct Class {
    yaml::Node definition;
    std::shared_ptr<const Scope> scope;
    std::string prefix;  // "storage." of the parts inside the part `storage`
    Names path;          // classes around it
    double area = 1.0;   // multiplicity of its area
    double energy = 1.0;
};

class PartsReader {
   public:
    PartsReader(const Component& component, const MachineFile& machine)
        : machine_(machine), evaluator_(std::make_shared<Evaluator>(*machine.evaluator)), component_(component) {}

    CompoundParts read(const yaml::Node& definition, const std::string& name, bool memory);
    /// Of a component whose class has a table itself: one part.
    CompoundParts alone(const std::string& name);

   private:
    void add_area(const Class& whole);
    void add_action(const Class& whole, const Names& names, double times, const Whole& of);
    void add_part_action(const Class& whole, const yaml::Node& part, const yaml::Node& action, double times,
                         const Whole& of);
    void note_unused_actions(const yaml::Node& definition, bool memory);
    void act_as_central(const Class& whole, bool memory);
    std::int64_t first(const Attributes& own, std::initializer_list<std::string_view> keys, std::int64_t otherwise);
    std::optional<SramEstimate> circuit(const Class& whole, const yaml::Node& part);
    Part* primitive(const Class& whole, const yaml::Node& part);
    Class inner(const Class& whole, const yaml::Node& part, const yaml::Node& definition);
    std::optional<yaml::Node> definition_of(const Class& whole, const yaml::Node& part) const;
    std::shared_ptr<const Scope> part_scope(const yaml::Node* attributes, std::shared_ptr<const Scope> outer);
    std::vector<yaml::Node::Entry> said(const std::shared_ptr<const Scope>& scope, bool whole);
    std::shared_ptr<const Scope> class_scope(const yaml::Node& definition, std::shared_ptr<const Scope> given,
                                             bool whole);
    double number(const yaml::Node& node, const char* key, const std::shared_ptr<const Scope>& scope);
    double copies(const yaml::Node& name, const std::shared_ptr<const Scope>& scope);
    double of_text(const std::string& text, const yaml::Node& place, const std::shared_ptr<const Scope>& scope);
    Geometry geometry_of(const Class& whole, const yaml::Node& part, PartKind block);
    void set_technology(const Class& whole, const yaml::Node& part, Geometry& geometry);
    void set_sizes(const Attributes& own, PartKind block, Geometry& geometry);
    void leave_out(const yaml::Node& place, const std::string& what);
    void step(const yaml::Node& place);
    template <typename Read>
    void leaving_out(const Class& whole, const yaml::Node& part, const Read& read);

    const MachineFile& machine_;
    std::shared_ptr<Evaluator> evaluator_;  // of its own: it outlives none of the scopes below
    const Component& component_;
    std::vector<std::shared_ptr<const Scope>> scopes_;
    std::map<std::string, std::size_t> known_;  // parts by their names
    CompoundParts found_;
    int steps_ = 0;
};

void PartsReader::step(const yaml::Node& place) {
    if (++steps_ > kMostSteps) place.fail(ErrorCode::overflow, "more than 2,000 parts of parts");
}

void PartsReader::leave_out(const yaml::Node& place, const std::string& what) {
    const auto same = [&](const Uncounted& other) { return other.what == what; };
    if (std::none_of(found_.uncounted.begin(), found_.uncounted.end(), same)) found_.uncounted.push_back({place, what});
}

bool is_unsaid(const yaml::Node& value) {
    return value.is_null() || (value.is_scalar() && value.text() == "must_specify");
}

// A part's attributes, with all outer scopes for its expressions.
std::shared_ptr<const Scope> PartsReader::part_scope(const yaml::Node* attributes, std::shared_ptr<const Scope> outer) {
    std::vector<yaml::Node::Entry> entries;
    if (attributes != nullptr)
        for (const yaml::Node::Entry& entry : attributes->entries())
            if (!is_unsaid(entry.value)) entries.push_back(entry);
    const yaml::Node place = attributes == nullptr ? component_.node : *attributes;
    scopes_.push_back(std::make_shared<Scope>(Scope{yaml::Node::map(std::move(entries), place), std::move(outer)}));
    return scopes_.back();
}

// Attributes of a component or part, by any spelling: a class's `width` may be a component's `data_storage_width`.
// Nested parts inherit only the technology.
std::vector<yaml::Node::Entry> PartsReader::said(const std::shared_ptr<const Scope>& scope, bool whole) {
    const Attributes attributes(scope, evaluator_);
    std::vector<yaml::Node::Entry> entries;
    const auto find = [&](const std::string& key) {
        return whole ? attributes.find({std::string_view(key)}) : scope->attributes.find(key);
    };
    for (const Names& spellings :
         {Names{"width", "memory_width", "data_storage_width"}, Names{"depth", "memory_depth", "data_storage_depth"},
          Names{"datawidth", "word_bits", "word_width"}, Names{"n_banks", "num_banks", "nbanks", "banks"}}) {
        const auto given =
            std::ranges::find_if(spellings, [&](const std::string& one) { return find(one) != nullptr; });
        if (given == spellings.end()) continue;
        const yaml::Node node = *find(*given);
        for (const std::string& one : spellings)
            if (find(one) == nullptr) entries.push_back({one, node, node});
    }
    return entries;
}

// A class's attributes are the component's, else the class's own; mandatory ones have no default.
std::shared_ptr<const Scope> PartsReader::class_scope(const yaml::Node& definition, std::shared_ptr<const Scope> given,
                                                      bool whole) {
    const Attributes attributes(given, evaluator_);
    std::vector<yaml::Node::Entry> entries = said(given, whole);
    const auto is_said = [&](const std::string& key) {
        const bool around = whole || key == "technology" || key == "global_cycle_seconds";
        const auto same = [&](const yaml::Node::Entry& entry) { return entry.key == key; };
        return (around ? attributes.find({std::string_view(key)}) : given->attributes.find(key)) != nullptr ||
               std::ranges::any_of(entries, same);
    };
    const std::int64_t block = whole ? attributes.positive({"block_size", "n_words"}).value_or(0) : 0;
    if (block > 0 && !is_said("width")) {  // default: one row per block
        const std::int64_t word = attributes.positive({"word_bits", "word_width", "datawidth"}).value_or(16);
        const yaml::Node row = yaml::Node::scalar(std::to_string(saturating_mul(block, word)), component_.node);
        for (const char* key : {"width", "memory_width", "data_storage_width"})
            entries.push_back({key, component_.node, row});
    }
    const yaml::Node* defaults = definition.find("attributes");
    if (defaults != nullptr)
        for (const yaml::Node::Entry& entry : defaults->entries())
            if (!is_unsaid(entry.value) && !is_said(entry.key)) entries.push_back(entry);
    scopes_.push_back(
        std::make_shared<Scope>(Scope{yaml::Node::map(std::move(entries), definition), std::move(given)}));
    return scopes_.back();
}

double PartsReader::of_text(const std::string& text, const yaml::Node& place,
                            const std::shared_ptr<const Scope>& scope) {
    const Value value = evaluator_->value(yaml::Node::scalar(text, place), scope);
    if (!value.is_number() || value.real() < 0.0)
        place.fail(ErrorCode::wrong_type, "expected a number of at least 0, found " + to_text(value));
    return value.real();
}

double PartsReader::number(const yaml::Node& node, const char* key, const std::shared_ptr<const Scope>& scope) {
    const yaml::Node* given = node.find(key);
    return given == nullptr || given->is_null() ? 1.0 : of_text(given->text(), *given, scope);
}

// "cell[0..n-1]" are n, "cell[3]" and "cell" are one.
double PartsReader::copies(const yaml::Node& name, const std::shared_ptr<const Scope>& scope) {
    const std::string& text = name.text();
    const std::size_t open = text.find('[');
    const std::size_t dots = text.find("..");
    if (open == std::string::npos || dots == std::string::npos || text.back() != ']') return 1.0;
    const double low = of_text(text.substr(open + 1, dots - open - 1), name, scope);
    const double high = of_text(text.substr(dots + 2, text.size() - dots - 3), name, scope);
    if (high < low - 1.0) name.fail(ErrorCode::bad_value, "the range '" + text + "' ends before it begins");
    return std::floor(high) - std::floor(low) + 1.0;
}

std::optional<yaml::Node> PartsReader::definition_of(const Class& whole, const yaml::Node& part) const {
    const std::string& name = part.at("class").text();
    std::optional<yaml::Node> definition = find_compound(machine_.root, name);
    if (!definition || !contains(whole.path, name)) return definition;
    if (block_of(name) == PartKind::unknown)
        part.at("class").fail(ErrorCode::cyclic_inheritance, "the class '" + name + "' is made of itself");
    return std::nullopt;  // a table covers its parts
}

Class PartsReader::inner(const Class& whole, const yaml::Node& part, const yaml::Node& definition) {
    const std::shared_ptr<const Scope> own = part_scope(part.find("attributes"), whole.scope);
    Class one{definition, class_scope(definition, own, false),
              whole.prefix + without_range(part.at("name").text()) + ".", whole.path};
    one.path.push_back(part.at("class").text());
    one.area = whole.area * copies(part.at("name"), whole.scope) * number(part, "area_scale", whole.scope);
    one.energy = whole.energy * number(part, "energy_scale", whole.scope);
    return one;
}

void PartsReader::set_technology(const Class& whole, const yaml::Node& part, Geometry& geometry) {
    const yaml::Node* attributes = part.find("attributes");
    const yaml::Node* given = attributes == nullptr ? nullptr : attributes->find("technology");
    const std::string name = given == nullptr ? "technology" : given->text();
    const Attributes around(whole.scope, evaluator_);
    geometry.technology = around.text({std::string_view(name)}).value_or(given == nullptr ? "" : name);
    if (geometry.technology.empty() || geometry.technology == "technology")
        geometry.technology = technology_of(component_.attributes, machine_);
    if (geometry.technology.find_first_not_of("0123456789.") == std::string::npos && !geometry.technology.empty())
        geometry.technology += "nm";
    if (technology_nm(geometry.technology)) return;
    if (given != nullptr && name != "technology")
        given->fail(ErrorCode::bad_value, "'" + geometry.technology + "' is no number of nanometres");
    geometry.technology.clear();
}

// Attributes of the part alone: outer ones only serve its expressions. Bits and rows are integers.
std::int64_t PartsReader::first(const Attributes& own, std::initializer_list<std::string_view> keys,
                                std::int64_t otherwise) {
    for (const std::string_view key : keys) {
        if (own.scope()->attributes.find(key) == nullptr) continue;
        const double value = std::ceil(own.real_from({key}, 0.0).value_or(0.0));
        if (value > 1e12) own.find({key})->fail(ErrorCode::overflow, "more than 10^12");
        return std::max<std::int64_t>(static_cast<std::int64_t>(value), 1);
    }
    return otherwise;
}

void PartsReader::set_sizes(const Attributes& own, PartKind block, Geometry& geometry) {
    const bool one_bit = geometry.kind == "aladdin_register" || geometry.kind == "flip_flop";
    geometry.width_bits = first(
        own, {"width", "memory_width", "data_storage_width", "datawidth", "n_bits", "precision"}, one_bit ? 1 : 0);
    geometry.depth = first(own, {"depth", "memory_depth", "data_storage_depth"}, 0);
    geometry.banks = first(own, {"n_banks", "num_banks", "nbanks", "banks"}, 1);
    geometry.ports = first(own, {"n_ports", "num_ports", "nports", "ports", "n_rdwr_ports", "n_rw_ports"}, 1);
    const Attributes whole(component_.attributes.scope(), evaluator_);
    const std::int64_t bits = geometry.width_bits > 0
                                  ? geometry.width_bits
                                  : whole.positive({"word_bits", "word_width", "datawidth"}).value_or(16);
    geometry.adder_bits = block == PartKind::adder ? bits : first(own, {"adder_width"}, 0);
    geometry.multiplier_bits = first(own, {"multiplier_width", "width_a"}, bits);
    if (own.scope()->attributes.has("width_b"))
        geometry.multiplier_bits = std::llround(std::sqrt(static_cast<double>(geometry.multiplier_bits) *
                                                          static_cast<double>(first(own, {"width_b"}, bits))));
}

Geometry PartsReader::geometry_of(const Class& whole, const yaml::Node& part, PartKind block) {
    Geometry geometry;
    geometry.kind = part.at("class").text();
    set_technology(whole, part, geometry);
    const Attributes own(part_scope(part.find("attributes"), whole.scope), evaluator_);
    set_sizes(own, block, geometry);
    if (block == PartKind::dram) geometry.dram_type = own.text({"type"}).value_or("");
    const double real_ones = own.scope()->attributes.has("n_instances") ? *own.real_from({"n_instances"}, 0.0) : 1.0;
    geometry.energy_scale = whole.energy * number(part, "energy_scale", whole.scope) * real_ones;
    geometry.area_scale = number(part, "area_scale", whole.scope) * real_ones;
    return geometry;
}

// A circuit of an array computing in memory, in the component's surroundings.
std::optional<SramEstimate> PartsReader::circuit(const Class& whole, const yaml::Node& part) {
    const std::string& name = part.at("class").text();
    if (!cim::is_array_component(name)) return std::nullopt;
    const Attributes own(part_scope(part.find("attributes"), whole.scope), evaluator_);
    Geometry geometry;
    set_technology(whole, part, geometry);
    cim::ComponentAttributes attributes;
    // `voltage: voltage` of a class whose own voltage is null says nothing.
    const Attributes around(whole.scope, evaluator_);
    const auto value_of = [&](const char* key) -> std::optional<Value> {
        const yaml::Node* given = own.find({key});
        const bool of_whole = given != nullptr && given->is_scalar() && given->text() == key;
        if (given == nullptr || (of_whole && !around.has({key}))) return std::nullopt;
        return own.value({key});
    };
    attributes.number = [&](const char* key) {
        const std::optional<Value> value = value_of(key);
        return value && value->is_number() ? std::optional(value->real()) : std::nullopt;
    };
    attributes.text = [&](const char* key) -> std::optional<std::string> {
        const std::optional<Value> value = value_of(key);
        return value && value->is_text() ? std::optional(std::get<std::string>(value->data)) : std::nullopt;
    };
    attributes.technology_nm = technology_nm(geometry.technology).value_or(0.0);
    attributes.cycle_seconds = attributes.number("cycle_seconds").value_or(0.0);
    const std::optional<cim::ComponentCost> cost = cim::component_cost(name, attributes);
    if (!cost) return std::nullopt;
    SramEstimate estimate;
    estimate.read_pj = cost->read_pj;
    estimate.write_pj = cost->write_pj;
    estimate.leak_mw = cost->leak_w * 1e3;
    estimate.area_um2 = cost->area_um2;
    estimate.source = cost->source;
    return estimate;
}

// The entry of a part with a tabulated class, made on first use; null if left out.
Part* PartsReader::primitive(const Class& whole, const yaml::Node& part) {
    const std::string name = whole.prefix + without_range(part.at("name").text());
    if (const auto known = known_.find(name); known != known_.end())
        return known->second == kLeftOut ? nullptr : &found_.parts[known->second];
    const yaml::Node& part_class = part.at("class");
    const PartKind block = block_of(part_class.text());
    known_[name] = kLeftOut;
    const std::optional<SramEstimate> known = circuit(whole, part);
    if (block == PartKind::unknown && !known) {
        leave_out(part_class, "part '" + name + "' of class '" + part_class.text() + "'");
        return nullptr;
    }
    const double all = whole.area * copies(part.at("name"), whole.scope);
    found_.parts.push_back({name, geometry_of(whole, part, block), all, {}, {}, {}, {}, known});
    known_[name] = found_.parts.size() - 1;
    return &found_.parts.back();
}

// Uncomputable values are left out; senseless ones are errors.
template <typename Read>
void PartsReader::leaving_out(const Class& whole, const yaml::Node& part, const Read& read) {
    try {
        read();
    } catch (const InputError& error) {
        if (error.code() == ErrorCode::cyclic_inheritance || error.code() == ErrorCode::overflow) throw;
        leave_out(part, "part '" + whole.prefix + part.at("name").text() + "' (" + error.message() + ")");
    }
}

void PartsReader::add_area(const Class& whole) {
    for (const yaml::Node& part : items_of(whole.definition, "subcomponents")) {
        step(part);
        leaving_out(whole, part, [&] {
            if (const std::optional<yaml::Node> definition = definition_of(whole, part))
                add_area(inner(whole, part, *definition));
            else
                (void)primitive(whole, part);
        });
    }
}

void PartsReader::add_part_action(const Class& whole, const yaml::Node& part, const yaml::Node& action, double times,
                                  const Whole& of) {
    const std::string& name = action.at("name").text();
    times *= number(action, "energy_scale", whole.scope) * number(action, "repeat", whole.scope) *
             number(action, "action_share", whole.scope);
    if (const std::optional<yaml::Node> definition = definition_of(whole, part))
        return add_action(inner(whole, part, *definition), {name}, times, of);
    Part* found = name == "idle" ? nullptr : primitive(whole, part);
    if (found == nullptr) return;
    PartUse& use = found->*of.use;
    const PartKind block = block_of(found->geometry.kind);
    const bool memory = block == PartKind::sram || block == PartKind::registers || block == PartKind::dram ||
                        (found->known && name != "leak" && contains(fill_actions(), name));
    if (name == "leak")
        use.leaks += times;
    else if (!memory || contains(read_actions(), name))
        use.reads += times;
    else if (contains(fill_actions(), name) || contains(update_actions(), name))
        use.writes += times;
    else
        leave_out(action.at("name"), "action '" + name + "' of part '" + found->name + "'");
}

void PartsReader::add_action(const Class& whole, const Names& names, double times, const Whole& of) {
    const yaml::Node* action = action_of(whole.definition, names);
    if (action == nullptr) {
        if (names.front() != "leak" && names.front() != "idle")
            leave_out(whole.definition.at("name"), "the " + std::string(of.what) + " of class '" +
                                                       whole.definition.at("name").text() +
                                                       "', which lists no action for them");
        return;
    }
    for (const yaml::Node& used : items_of(*action, "subcomponents")) {
        step(used);
        const std::string name = without_range(used.at("name").text());
        const std::vector<yaml::Node>& parts = items_of(whole.definition, "subcomponents");
        const auto part = std::find_if(parts.begin(), parts.end(), [&](const yaml::Node& one) {
            return without_range(one.at("name").text()) == name;
        });
        if (part == parts.end()) used.at("name").fail(ErrorCode::unknown_name, "the class has no part '" + name + "'");
        leaving_out(whole, used, [&] {
            const double so_many = times * copies(used.at("name"), whole.scope);
            for (const yaml::Node& one : items_of(used, "actions")) add_part_action(whole, *part, one, so_many, of);
        });
    }
}

// A class without actions has those of its memory or compute unit.
void PartsReader::act_as_central(const Class& whole, bool memory) {
    const auto central = std::find_if(found_.parts.begin(), found_.parts.end(), [&](const Part& part) {
        const PartKind block = block_of(part.geometry.kind);
        return memory ? block == PartKind::sram || block == PartKind::registers || block == PartKind::dram
                      : block == PartKind::mac;
    });
    if (central == found_.parts.end()) {
        found_.parts.clear();
        return;
    }
    central->read.reads = 1.0;
    central->fill.writes = central->update.writes = memory ? 1.0 : 0.0;
    for (const Part& part : found_.parts)
        if (&part != &*central)
            leave_out(whole.definition.at("name"), "part '" + part.name + "', which no action uses");
}

void PartsReader::note_unused_actions(const yaml::Node& definition, bool memory) {
    Names used{"idle"};
    for (const Whole& whole : wholes_of(memory)) used.insert(used.end(), whole.names.begin(), whole.names.end());
    for (const yaml::Node& action : items_of(definition, "actions")) {
        const std::string& name = action.at("name").text();
        if (!contains(used, name)) found_.unused_actions.push_back(action.at("name"));
    }
}

CompoundParts PartsReader::read(const yaml::Node& definition, const std::string& name, bool memory) {
    Class whole{definition, class_scope(definition, component_.attributes.scope(), true), "", {name}};
    add_area(whole);
    if (items_of(definition, "actions").empty()) {
        act_as_central(whole, memory);
    } else {
        for (const Whole& of : wholes_of(memory)) add_action(whole, of.names, 1.0, of);
        note_unused_actions(definition, memory);
    }
    // Parts leak even if the class does not mention it.
    if (action_of(definition, {"leak"}) == nullptr)
        for (Part& part : found_.parts) part.leak.leaks = part.copies;
    const auto is_used = [](const Part& part) { return !(part.read == PartUse{} && part.fill == PartUse{}); };
    if (std::none_of(found_.parts.begin(), found_.parts.end(), is_used)) found_.parts.clear();
    return std::move(found_);
}

CompoundParts PartsReader::alone(const std::string& name) {
    const yaml::Node& place = component_.node;
    const std::shared_ptr<const Scope>& scope = component_.attributes.scope();
    const yaml::Node text = yaml::Node::scalar(name, place);
    std::vector<yaml::Node::Entry> entries{{"name", place, text}, {"class", place, text}};
    if (scope->attributes.is_map()) entries.push_back({"attributes", place, scope->attributes});
    const Class whole{place, scope, "", {}};
    const yaml::Node part = yaml::Node::map(std::move(entries), place);
    leaving_out(whole, part, [&] {
        const std::optional<SramEstimate> known = circuit(whole, part);
        if (!known) return leave_out(place, "class '" + name + "', whose attributes no table has");
        found_.parts.push_back({name, {}, 1.0, {1.0, 0.0, 0.0}, {}, {}, {0.0, 0.0, 1.0}, known});
    });
    return std::move(found_);
}

}  // namespace

std::string class_name(const Component& component) {
    return component.subclass.empty() ? component.component_class : component.subclass;
}

CompoundParts parts_of(const Component& component, const MachineFile& machine) {
    const std::string name = class_name(component);
    const std::optional<yaml::Node> definition = find_compound(machine.root, name);
    if (!definition && cim::is_array_component(name)) return PartsReader(component, machine).alone(name);
    if (!definition || items_of(*definition, "subcomponents").empty()) return {};
    return PartsReader(component, machine).read(*definition, name, role_of(component.component_class) == Role::memory);
}

}  // namespace tilewright::timeloop
