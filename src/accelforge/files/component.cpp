#include "accelforge/files/machine.hpp"

#include <algorithm>
#include <cctype>

#include "accelforge/expression/evaluate.hpp"
#include "accelforge/files/einsum.hpp"

namespace tilewright::accelforge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kDefaultLatency = "sum(a.n_calls / a.throughput for a in actions)";

// All names in one map, for evaluation beyond the reader's lifetime.
Names flattened(const Names& names) {
    Names flat;
    for (const Names* at = &names; at != nullptr; at = at->outer)
        for (const auto& [name, value] : at->own) flat.own.emplace(name, value);
    return flat;
}

bool is_dummy(const std::string& component_class) {
    std::string lower = component_class;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower == "dummy";
}

// Circuits of arrays computing in memory, priced by forms/estimates.cpp.
bool is_array_class(const std::string& component_class) {
    static const std::vector<std::string> kClasses{"ADC",
                                                   "ArrayRowDrivers",
                                                   "ArrayColumnDrivers",
                                                   "MemoryCell",
                                                   "Capacitor",
                                                   "NeurramShiftAdd",
                                                   "NeurramVariablePrecisionADC",
                                                   "NeurramAnalogIntegrator",
                                                   "NeurramAnalogSample"};
    return std::ranges::find(kClasses, component_class) != kClasses.end();
}

class ComponentReader {
   public:
    ComponentReader(const yaml::Node& node, const ComponentContext& context)
        : node_(node), context_(context), tensors_(context.einsum.accesses.size()), names_{{}, &context.names} {}

    Component read();

   private:
    void read_kind();
    void expect_known_keys() const;
    void name_siblings();
    double number(const char* key, double otherwise) const;
    double positive(const char* key, double otherwise) const;
    std::uint64_t set(const yaml::Node& map, const char* key, const Names& names, std::uint64_t otherwise) const;
    void read_fanouts();
    void read_actions();
    Action read_action(const std::string& name, const yaml::Node& given);
    double energy_of(const std::string& action, const yaml::Node& given);
    double throughput_of(const std::string& action, const yaml::Node& given);
    const ActionFigures* figures_of(const std::string& action) const;
    double missing(const std::string& what, double value);
    void read_attributes(const yaml::Node* section);
    void add_search_rule(const yaml::Node& map, const char* key);
    void check_comparisons(const yaml::Node& list) const;
    void check_orders(const yaml::Node& list) const;
    void read_leak_and_area();
    void read_latency();
    void read_storage();
    void read_tensors();
    void read_directions();

    const yaml::Node& node_;
    const ComponentContext& context_;
    std::size_t tensors_;
    Names names_;
    Component made_;
};

void ComponentReader::read_kind() {
    static const std::map<std::string, ComponentKind> kKinds{{"!Memory", ComponentKind::memory},
                                                             {"!Toll", ComponentKind::toll},
                                                             {"!Compute", ComponentKind::compute},
                                                             {"!Container", ComponentKind::container}};
    made_.kind = kKinds.at(node_.tag());
    made_.name = node_.at("name").text();
    made_.where = node_.at("name").where();
    if (const yaml::Node* found = node_.find("component_class")) made_.component_class = found->text();
}

void ComponentReader::expect_known_keys() const {
    std::vector<std::string> known{"name", "spatial", "enabled"};
    const auto add = [&](std::initializer_list<const char*> more) {
        known.insert(known.end(), more.begin(), more.end());
    };
    if (made_.kind != ComponentKind::container)
        add({"component_class", "actions", "area", "leak_power", "area_scale", "leak_power_scale", "energy_scale",
             "throughput_scale", "latency_scale", "actions_scale", "n_parallel_instances", "total_latency",
             "extra_attributes_for_component_model", "component_model"});
    if (made_.kind == ComponentKind::memory) add({"size", "tensors", "skip_initial_output_write"});
    if (made_.kind == ComponentKind::toll) add({"direction", "tensors"});
    if (made_.kind == ComponentKind::compute) add({"skip_initial_output_write"});
    if (made_.kind == ComponentKind::memory || made_.kind == ComponentKind::toll)
        add({"bits_per_value", "bits_per_action", "values_per_action"});
    node_.expect_keys(known);
}

// Fields of the same component that are plain numbers, and its scales.
void ComponentReader::name_siblings() {
    for (const yaml::Node::Entry& entry : node_.entries())
        if (const std::optional<double> value = entry.value.try_real(); value && !entry.value.is_quoted())
            names_.own[entry.key] = Value{*value};
    for (const yaml::Node::Entry& entry : node_.entries())
        if (entry.key.ends_with("_scale") && !names_.own.contains(entry.key))
            names_.own[entry.key] = evaluate(entry.value, context_.names);
    for (const char* scale : {"energy_scale", "area_scale", "leak_power_scale", "throughput_scale", "latency_scale"})
        names_.own.try_emplace(scale, Value{1.0});
}

double ComponentReader::number(const char* key, double otherwise) const {
    const yaml::Node* found = node_.find(key);
    return found == nullptr ? otherwise : number_at(*found, names_);
}

double ComponentReader::positive(const char* key, double otherwise) const {
    const double value = number(key, otherwise);
    if (!(value > 0.0)) node_.at(key).fail(ErrorCode::bad_value, std::string("'") + key + "' has to be above 0");
    return value;
}

std::uint64_t ComponentReader::set(const yaml::Node& map, const char* key, const Names& names,
                                   std::uint64_t otherwise) const {
    const yaml::Node* found = map.find(key);
    if (found == nullptr) return otherwise;
    const SetValue value = set_at(*found, names);
    if (value.universe->bits.empty())
        found->fail(ErrorCode::wrong_type, "expected a set of tensors, found rank variables");
    return value.members;
}

void ComponentReader::read_fanouts() {
    const yaml::Node* list = node_.find("spatial");
    if (list == nullptr) return;
    for (const yaml::Node& one : list->items()) {
        one.expect_keys(
            {"name", "fanout", "reuse", "may_reuse", "min_usage", "loop_bounds", "usage_scale", "power_gateable"});
        Fanout fanout{one.at("name").text(), number_at(one.at("fanout"), names_)};
        if (!(fanout.size >= 1.0 && fanout.size < 1e9))
            one.at("fanout").fail(ErrorCode::bad_value, "a fan-out has to be at least 1");
        fanout.reuse = set(one, "reuse", names_, 0);
        fanout.may_reuse = set(one, "may_reuse", names_, one.has("reuse") ? fanout.reuse : ~0ULL);
        if (one.has("min_usage")) fanout.min_usage = number_at(one.at("min_usage"), names_);
        if (one.has("usage_scale")) fanout.usage_scale = number_at(one.at("usage_scale"), names_);
        if (one.has("power_gateable")) fanout.power_gateable = truth_at(one.at("power_gateable"), names_);
        if (one.has("loop_bounds")) check_comparisons(one.at("loop_bounds"));
        for (const char* key : {"min_usage", "loop_bounds"}) add_search_rule(one, key);
        made_.fanouts.push_back(std::move(fanout));
    }
}

// Keys of the search alone must be sound, too.
void ComponentReader::check_comparisons(const yaml::Node& list) const {
    static const std::vector<std::string> kOperators{"==", "<=", ">=", "<", ">"};
    for (const yaml::Node& one : list.items()) {
        one.expect_keys({"expression", "operator", "value"});
        const yaml::Node& set = one.at("expression");  // in quotes where it begins with a brace
        if (!set_of(set.text(), set, context_.kept).universe->bits.empty())
            set.fail(ErrorCode::wrong_type, "expected a set of rank variables, found tensors");
        std::string sign = one.at("operator").text();
        if (sign.starts_with("product")) sign.erase(0, std::string("product").size());
        if (std::ranges::find(kOperators, sign) == kOperators.end())
            one.at("operator")
                .fail(ErrorCode::bad_value, "expected " + list_words(kOperators) + ", or product and one");
        (void)number_at(one.at("value"), names_);
    }
}

void ComponentReader::check_orders(const yaml::Node& list) const {
    for (const yaml::Node& order : list.items())
        for (const yaml::Node& tensors : order.items()) (void)set_at(tensors, context_.kept);
}

void ComponentReader::add_search_rule(const yaml::Node& map, const char* key) {
    if (const yaml::Node* found = map.find(key)) made_.search_rules.push_back({key, found->where()});
}

// First the attributes of all components, then a component's own over them. Tables take plain numbers, circuits of
// arrays expressions, too, with the attributes before them.
void ComponentReader::read_attributes(const yaml::Node* section) {
    if (section == nullptr) return;
    const bool computed = is_array_class(made_.component_class);
    for (const yaml::Node::Entry& entry : section->entries()) {
        if (!computed) {
            const std::optional<double> plain = entry.value.is_scalar() ? entry.value.try_real() : std::nullopt;
            if (plain) made_.attributes[entry.key] = *plain;
            continue;
        }
        Names known{{}, &names_};
        for (const auto& [name, value] : made_.attributes) known.own[name] = Value{value};
        const Value value = evaluate(entry.value, known);
        if (value.is_number()) made_.attributes[entry.key] = value.number();
        if (const auto* text = std::get_if<std::string>(&value.data)) made_.texts[entry.key] = *text;
    }
}

double ComponentReader::missing(const std::string& what, double value) {
    if (!is_dummy(made_.component_class)) made_.missing.push_back(what);
    if (context_.notes != nullptr && !is_dummy(made_.component_class))
        context_.notes->add("AccelForge would ask its component library; counted as free and without limits here",
                            made_.name + " " + what, "");
    return value;
}

const ActionFigures* ComponentReader::figures_of(const std::string& action) const {
    if (context_.figures == nullptr || is_dummy(made_.component_class)) return nullptr;
    const auto found = context_.figures->actions.find(action);
    return found == context_.figures->actions.end() ? nullptr : &found->second;
}

double ComponentReader::energy_of(const std::string& action, const yaml::Node& given) {
    if (const yaml::Node* energy = given.find("energy")) return number_at(*energy, names_);
    const ActionFigures* figures = figures_of(action);
    return figures != nullptr ? figures->energy_j : missing(action + " energy", 0.0);
}

double ComponentReader::throughput_of(const std::string& action, const yaml::Node& given) {
    if (const yaml::Node* rate = given.find("throughput")) {
        const double value = number_at(*rate, names_);
        if (!(value > 0.0)) rate->fail(ErrorCode::bad_value, "a throughput has to be above 0");
        return value;
    }
    if (const yaml::Node* latency = given.find("latency")) {
        const double value = number_at(*latency, names_);
        return value == 0.0 ? kInfinity : 1.0 / value;
    }
    const ActionFigures* figures = figures_of(action);
    return figures != nullptr && figures->per_second > 0.0 ? figures->per_second
                                                           : missing(action + " throughput", kInfinity);
}

Action ComponentReader::read_action(const std::string& name, const yaml::Node& given) {
    given.expect_keys({"name", "energy", "throughput", "latency", "energy_scale", "throughput_scale", "bits_per_action",
                       "values_per_action", "extra_attributes_for_component_model"});
    const auto own = [&](const char* key) { return given.has(key) ? number_at(given.at(key), names_) : 1.0; };
    Action action{name, energy_of(name, given), throughput_of(name, given), 1.0, std::vector<double>(tensors_, 0.0)};
    action.energy_j *= number("energy_scale", 1.0) * own("energy_scale");
    const double latency_scale = positive("latency_scale", 1.0);
    action.per_second *=
        number("throughput_scale", 1.0) * own("throughput_scale") * number("n_parallel_instances", 1.0) / latency_scale;
    action.bits = given.has("bits_per_action") ? number_at(given.at("bits_per_action"), names_)
                                               : positive("bits_per_action", 1.0);
    if (!(action.bits > 0.0)) given.fail(ErrorCode::bad_value, "'bits_per_action' has to be above 0");
    if (const yaml::Node* values = node_.find("values_per_action"))
        action.values = values_by_tensor(*values, names_, tensors_, 0.0);
    if (const yaml::Node* values = given.find("values_per_action")) {
        const std::vector<double> nearer = values_by_tensor(*values, names_, tensors_, 0.0);
        for (std::size_t t = 0; t < tensors_; ++t)
            if (nearer[t] > 0.0) action.values[t] = nearer[t];
    }
    return action;
}

void ComponentReader::read_actions() {
    std::vector<std::string> needed{"read"};
    if (made_.kind == ComponentKind::memory) needed.emplace_back("write");
    if (made_.kind == ComponentKind::compute) needed = {"compute"};
    if (const yaml::Node* list = node_.find("actions"))
        for (const yaml::Node& one : list->items()) {
            const std::string& name = one.at("name").text();
            if (made_.action(name) != nullptr)
                one.at("name").fail(ErrorCode::duplicate_key, "action '" + name + "' comes twice");
            made_.actions.push_back(read_action(name, one));
            std::erase(needed, name);
        }
    for (const std::string& name : needed) made_.actions.push_back(read_action(name, yaml::Node::map({}, node_)));
}

void ComponentReader::read_leak_and_area() {
    const ComponentFigures none;
    const ComponentFigures& figures = context_.figures == nullptr ? none : *context_.figures;
    const double parallel = positive("n_parallel_instances", 1.0);
    double leak = 0.0;
    if (node_.has("leak_power") || is_dummy(made_.component_class))
        leak = number("leak_power", 0.0);
    else
        leak = figures.leak_w ? *figures.leak_w : missing("leak_power", 0.0);
    made_.leak_w = leak * number("leak_power_scale", 1.0) * parallel;
    made_.area_m2 = number("area", figures.area_m2.value_or(0.0)) * number("area_scale", 1.0) * parallel;
    made_.actions_scale = number("actions_scale", 1.0);
}

Value records_of(const std::vector<Action>& actions, const std::vector<ActionCalls>& calls) {
    std::vector<Value> all;
    for (const Action& action : actions) {
        const auto found = std::ranges::find(calls, action.name, &ActionCalls::name);
        std::map<std::string, Value, std::less<>> record;
        record["name"] = Value{action.name};
        record["n_calls"] = Value{found == calls.end() ? 0.0 : found->calls};
        record["throughput"] = Value{action.per_second};
        record["latency"] = Value{1.0 / action.per_second};
        record["energy"] = Value{action.energy_j};
        all.push_back(Value{std::make_shared<const std::map<std::string, Value, std::less<>>>(std::move(record))});
    }
    return Value{std::make_shared<const std::vector<Value>>(std::move(all))};
}

// Until April 2026 rules had read_latency, the time of all reads, and read_actions, their number; likewise for every
// action.
void name_as_in_spring(const Action& action, const std::vector<ActionCalls>& calls, Names& names) {
    const auto found = std::ranges::find(calls, action.name, &ActionCalls::name);
    const double number = found == calls.end() ? 0.0 : found->calls;
    names.own[action.name + "_actions"] = Value{number};
    names.own[action.name + "_latency"] = Value{number / action.per_second};
}

void ComponentReader::read_latency() {
    const yaml::Node* given = node_.find("total_latency");
    const yaml::Node rule = given != nullptr ? *given : yaml::Node::scalar(kDefaultLatency, node_);
    made_.latency = [rule, names = flattened(names_), actions = made_.actions](const std::vector<ActionCalls>& calls) {
        Names with_actions{{{"actions", records_of(actions, calls)}}, &names};
        for (const Action& action : actions) name_as_in_spring(action, calls, with_actions);
        return number_at(rule, with_actions);
    };
}

void ComponentReader::read_tensors() {
    const yaml::Node* tensors = node_.find("tensors");
    if (tensors == nullptr) {
        made_.may_keep = ~0ULL;
        return;
    }
    tensors->expect_keys({"keep", "may_keep", "back", "no_refetch_from_above", "no_resend_to_below", "tile_shape",
                          "tensor_order_options", "force_memory_hierarchy_order"});
    (void)set(*tensors, "no_refetch_from_above", context_.kept, 0);
    made_.sends_once = set(*tensors, "no_resend_to_below", context_.kept, 0);
    if (const yaml::Node* shapes = tensors->find("tile_shape")) check_comparisons(*shapes);
    if (const yaml::Node* orders = tensors->find("tensor_order_options")) check_orders(*orders);
    for (const char* key :
         {"no_refetch_from_above", "tile_shape", "tensor_order_options", "force_memory_hierarchy_order"})
        add_search_rule(*tensors, key);
    made_.keep = set(*tensors, "keep", context_.kept, 0) | set(*tensors, "back", context_.kept, 0);
    made_.may_keep = set(*tensors, "may_keep", context_.kept, tensors->has("keep") ? 0 : ~0ULL) & ~made_.keep;
}

void ComponentReader::read_directions() {
    static const std::map<std::string, TollDirection> kDirections{
        {"up", TollDirection::up}, {"down", TollDirection::down}, {"up_and_down", TollDirection::both}};
    made_.directions.assign(tensors_, TollDirection::both);
    const yaml::Node* given = node_.find("direction");
    if (given == nullptr) return;
    const auto read = [](const yaml::Node& node) {
        const auto found = kDirections.find(node.text());
        if (found == kDirections.end()) node.fail(ErrorCode::bad_value, "expected up, down or up_and_down");
        return found->second;
    };
    if (given->is_scalar()) {
        made_.directions.assign(tensors_, read(*given));
        return;
    }
    const std::vector<const yaml::Node*> entries = entries_by_tensor(*given, names_, tensors_);
    for (std::size_t t = 0; t < tensors_; ++t) {
        if (entries[t] == nullptr) given->fail(ErrorCode::missing_key, "a direction for every tensor is needed");
        made_.directions[t] = read(*entries[t]);
    }
}

void ComponentReader::read_storage() {
    made_.bits.assign(tensors_, 0.0);
    if (const yaml::Node* bits = node_.find("bits_per_value"))
        made_.bits = values_by_tensor(*bits, names_, tensors_, 0.0);
    made_.has_own_bits = node_.has("bits_per_value");
    if (made_.kind == ComponentKind::memory) made_.size_bits = number_at(node_.at("size"), names_);
    read_tensors();
    read_directions();
    // Nothing for a tensor that never comes here, else a number.
    for (const char* key : {"bits_per_value", "values_per_action"})
        if (const yaml::Node* given = node_.find(key)) {
            const std::vector<const yaml::Node*> entries = entries_by_tensor(*given, names_, tensors_);
            for (std::size_t t = 0; t < tensors_; ++t)
                if (((made_.keep | made_.may_keep) >> t & 1U) != 0 && entries[t] != nullptr &&
                    number_at(*entries[t], names_) == 0.0)
                    entries[t]->fail(ErrorCode::bad_value, "expected a number above 0");
        }
}

Component ComponentReader::read() {
    read_kind();
    expect_known_keys();
    name_siblings();
    if (const yaml::Node* enabled = node_.find("enabled")) made_.enabled = truth_at(*enabled, names_);
    read_fanouts();
    if (made_.kind == ComponentKind::container) return std::move(made_);
    if (const yaml::Node* skips = node_.find("skip_initial_output_write"))
        made_.skips_first_read = truth_at(*skips, names_);
    read_attributes(context_.attributes);
    read_attributes(node_.find("extra_attributes_for_component_model"));
    read_actions();
    read_leak_and_area();
    if (made_.kind != ComponentKind::compute) read_storage();
    read_latency();
    return std::move(made_);
}

}  // namespace

Component read_component(const yaml::Node& node, const ComponentContext& context) {
    return ComponentReader(node, context).read();
}

}  // namespace tilewright::accelforge
