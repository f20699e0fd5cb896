#include "timeloop/components/attributes.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace tilewright::timeloop {
namespace {

constexpr std::size_t kMaxChain = 100;  // bound on chains of references

const yaml::Node* own(const Scope& scope, std::string_view key) {
    if (!scope.attributes.is_map()) return nullptr;
    const yaml::Node* found = scope.attributes.find(key);
    return found == nullptr || found->is_null() ? nullptr : found;
}

std::string name_of(Attributes::Keys keys) { return "'" + std::string(*keys.begin()) + "'"; }

std::shared_ptr<const Scope> variables_of(const yaml::Node& root) {
    const yaml::Node* variables = root.find("variables");
    return std::make_shared<Scope>(Scope{variables == nullptr ? yaml::Node() : *variables, nullptr, false});
}

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

// Factors of an array's size over the nodes of a machine.
void add_array_factors(const yaml::Node& nodes, std::string_view name, std::string& factors, int depth) {
    constexpr int kMaxDepth = 200;
    if (!nodes.is_sequence() || depth > kMaxDepth) return;
    for (const yaml::Node& node : nodes.items()) {
        if (!node.is_map()) continue;
        if (const yaml::Node* inside = node.find("nodes")) add_array_factors(*inside, name, factors, depth + 1);
        const yaml::Node* mesh = node.tag() == "!ArrayContainer" ? node.find("spatial") : nullptr;
        if (mesh == nullptr || !mesh->is_map()) continue;
        const auto multiply = [&](const char* side) {
            if (const yaml::Node* given = mesh->find(side)) factors += " * (" + given->text() + ")";
        };
        if (name == "ARRAY_WORDLINES") multiply("meshY");
        if (name == "ARRAY_BITLINES") multiply("meshX");
        const yaml::Node* alone = &node;
        for (const char* key : {"constraints", "spatial", "no_reuse"})
            alone = alone != nullptr && alone->is_map() ? alone->find(key) : nullptr;
        if (alone == nullptr || !alone->is_sequence()) continue;
        for (const yaml::Node& tensor : alone->items()) {
            const bool is_meant = "ARRAY_PARALLEL_" + upper(tensor.text()) == name || tensor.text() == "*";
            if (name.starts_with("ARRAY_PARALLEL_") && is_meant) multiply("meshX"), multiply("meshY");
        }
    }
}

// An expression of CiMLoop's sizes of an array, which its front end sets; "": `name` is none of them, or the machine
// has no !ArrayContainer.
std::string array_size(const yaml::Node& root, std::string_view name) {
    if (!name.starts_with("ARRAY_")) return "";
    const yaml::Node* architecture = root.find("architecture");
    const yaml::Node* nodes = architecture == nullptr ? nullptr : architecture->find("nodes");
    std::string factors;
    if (nodes != nullptr) add_array_factors(*nodes, name, factors, 0);
    if (factors.empty()) return "";
    return (name == "ARRAY_WORDLINES"  ? "variables.get('CIM_UNIT_DEPTH_CELLS', 1)"
            : name == "ARRAY_BITLINES" ? "variables.get('CIM_UNIT_WIDTH_CELLS', 1)"
                                       : "1") +
           factors;
}

// meshX and meshY of a fan-out, 1 if it does not say.
Value fanout_of(const Value& spatial) {
    const auto* given = std::get_if<Parts>(&spatial.data);
    Parts parts;
    parts.size = 2;
    parts.find = [given = given == nullptr ? Parts{} : *given](std::string_view side) -> std::optional<Value> {
        std::optional<Value> mesh = given.find ? given.find(side) : std::nullopt;
        return mesh || (side != "meshX" && side != "meshY") ? mesh : std::optional(Value{std::int64_t{1}});
    };
    return {std::move(parts)};
}

// INPUTS_HIST is the histogram of the problem's Inputs, if the problem has it.
const yaml::Node* histogram_of(const yaml::Node& root, std::string_view name) {
    const yaml::Node* histograms = root.find("problem");
    if (histograms != nullptr) histograms = histograms->is_map() ? histograms->find("histograms") : nullptr;
    if (histograms == nullptr || !histograms->is_map() || !name.ends_with("_HIST")) return nullptr;
    for (const yaml::Node::Entry& entry : histograms->entries())
        if (upper(entry.key) + "_HIST" == name) return &entry.value;
    return nullptr;
}

[[noreturn]] void refuse_cycle(const yaml::Node& node, std::string_view name) {
    node.fail(ErrorCode::cyclic_inheritance, "the value of '" + std::string(name) + "' depends on itself");
}

}  // namespace

void Evaluator::add_component(const std::string& name, const yaml::Node& node, std::shared_ptr<const Scope> scope) {
    components_.emplace(name, std::make_pair(node, std::move(scope)));
}

Value Evaluator::value(const yaml::Node& node, const std::shared_ptr<const Scope>& scope) {
    const NameLookup lookup = [this, scope](std::string_view name) { return named(name, scope); };
    return evaluate_node(node, lookup, known_names(scope));
}

std::optional<Value> Evaluator::named(std::string_view name, const std::shared_ptr<const Scope>& scope) {
    const yaml::Node* cyclic = nullptr;
    for (std::shared_ptr<const Scope> at = scope; at != nullptr; at = at->outer) {
        const yaml::Node* node = own(*at, name);
        if (node == nullptr) continue;
        const Key key{at.get(), std::string(name)};
        if (at->outer == nullptr) {  // variables
            if (const yaml::Node* histogram = histogram_of(root_, name)) node = histogram;
            if (const std::string size = array_size(root_, name); !size.empty())
                return evaluate_text(size, *node, [this, at](std::string_view one) { return named(one, at); });
        }
        if (const auto known = computed_.find(key); known != computed_.end()) return known->second;
        if (in_progress_.size() >= kMaxChain) refuse_cycle(*node, name);
        if (!in_progress_.insert(key).second) {  // `width: width` means the width of the container
            cyclic = node;
            continue;
        }
        std::optional<Value> found;
        try {
            found = value(*node, at);
        } catch (...) {
            in_progress_.erase(key);
            throw;
        }
        Value computed = *std::move(found);
        in_progress_.erase(key);
        return computed_.emplace(key, std::move(computed)).first->second;
    }
    if (cyclic != nullptr) refuse_cycle(*cyclic, name);
    return component(name, scope);
}

std::optional<Value> Evaluator::component(std::string_view name, const std::shared_ptr<const Scope>& scope) {
    Parts parts;
    if (name == "attributes" && scope != nullptr) {
        parts.size = scope->attributes.is_map() ? scope->attributes.entries().size() : 0;
        parts.find = [this, scope](std::string_view key) { return named(key, scope); };
        return Value{std::move(parts)};
    }
    const auto variables = [this]() -> std::optional<Value> {
        Parts all;
        const std::shared_ptr<const Scope> own_scope = variables_of(root_);
        all.size = own_scope->attributes.is_map() ? own_scope->attributes.entries().size() : 0;
        all.find = [this, own_scope](std::string_view key) -> std::optional<Value> {
            return own(*own_scope, key) == nullptr ? std::nullopt : named(key, own_scope);
        };
        return Value{std::move(all)};
    };
    if (name == "variables") return variables();  // CiMLoop's expressions omit `spec`
    if (name == "spec") {
        parts.size = root_.entries().size();
        parts.find = [this, variables](std::string_view part) -> std::optional<Value> {
            const yaml::Node* found = root_.find(part);
            if (part == "variables") return variables();
            if (found == nullptr) return std::nullopt;
            return value(*found, variables_of(root_));
        };
        return Value{std::move(parts)};
    }
    const auto known = components_.find(name);
    if (known == components_.end()) return std::nullopt;
    parts.size = known->second.first.entries().size();
    parts.find = [this, node = known->second.first,
                  own_scope = known->second.second](std::string_view part) -> std::optional<Value> {
        if (part != "attributes") {
            const yaml::Node* found = node.find(part);
            if (part == "spatial") return fanout_of(found == nullptr ? Value{Parts{}} : value(*found, own_scope));
            if (found == nullptr) return std::nullopt;
            return value(*found, own_scope);
        }
        Parts attributes;
        attributes.size = own_scope->attributes.entries().size();
        attributes.find = [this, own_scope](std::string_view key) { return named(key, own_scope); };
        return Value{std::move(attributes)};
    };
    return Value{std::move(parts)};
}

std::vector<std::string> Evaluator::known_names(const std::shared_ptr<const Scope>& scope) const {
    std::vector<std::string> names;
    for (const Scope* at = scope.get(); at != nullptr; at = at->outer.get())
        if (at->attributes.is_map())
            for (const yaml::Node::Entry& entry : at->attributes.entries()) names.push_back(entry.key);
    for (const auto& [name, component] : components_) names.push_back(name);
    return names;
}

std::pair<const yaml::Node*, std::shared_ptr<const Scope>> Attributes::locate(Keys keys) const {
    for (std::shared_ptr<const Scope> at = scope_; at != nullptr; at = at->outer) {
        if (!at->inherits) continue;
        const yaml::Node* found = nullptr;
        std::string_view first;
        for (const std::string_view key : keys) {
            const yaml::Node* node = own(*at, key);
            if (node == nullptr) continue;
            if (found != nullptr && found->is_scalar() && node->is_scalar() && found->text() != node->text())
                node->fail(ErrorCode::bad_value, "'" + std::string(key) + "' (" + node->text() + ") contradicts '" +
                                                     std::string(first) + "' (" + found->text() +
                                                     "): they are two names of one attribute");
            if (found == nullptr) first = key;
            if (found == nullptr) found = node;
        }
        if (found != nullptr) return {found, at};
    }
    return {nullptr, nullptr};
}

const yaml::Node* Attributes::find(Keys keys) const { return locate(keys).first; }

std::optional<Value> Attributes::value(Keys keys) const {
    const auto [node, scope] = locate(keys);
    if (node == nullptr) return std::nullopt;
    const bool by_name = node->is_scalar() && !node->is_quoted() && !node->try_real();
    if (!by_name) return evaluator_->value(*node, scope);
    for (const std::string_view key : keys)
        if (own(*scope, key) == node) return evaluator_->named(key, scope);  // guards against cyclic values
    return std::nullopt;
}

void refuse_boolean(const yaml::Node& node, const std::string& what) {
    if (!node.is_scalar() || node.is_quoted()) return;
    for (const char* word : {"true", "True", "TRUE", "false", "False", "FALSE"})
        if (node.text() == word) node.fail(ErrorCode::wrong_type, what + " needs a number, found " + node.text());
}

std::int64_t whole_of(const Value& value, const yaml::Node& place, const std::string& what) {
    if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return *whole;
    const auto* real = std::get_if<double>(&value.data);
    if (real == nullptr || *real != std::floor(*real))
        place.fail(ErrorCode::wrong_type, what + " needs a whole number, found " + to_text(value));
    if (std::abs(*real) > 9.0e18) place.fail(ErrorCode::overflow, what + " does not fit in 64 bits");
    return static_cast<std::int64_t>(*real);
}

std::optional<std::int64_t> Attributes::whole(Keys keys) const {
    if (const yaml::Node* node = find(keys)) refuse_boolean(*node, name_of(keys));
    const std::optional<Value> found = value(keys);
    if (!found) return std::nullopt;
    return whole_of(*found, *find(keys), name_of(keys));
}

std::optional<std::int64_t> Attributes::not_negative(Keys keys) const {
    const std::optional<std::int64_t> found = whole(keys);
    if (found && *found < 0)
        find(keys)->fail(ErrorCode::bad_value, name_of(keys) + " cannot be negative, found " + std::to_string(*found));
    return found;
}

std::optional<std::int64_t> Attributes::positive(Keys keys) const {
    const std::optional<std::int64_t> found = whole(keys);
    if (found && *found < 1)
        find(keys)->fail(ErrorCode::bad_value,
                         name_of(keys) + " has to be at least 1, found " + std::to_string(*found));
    return found;
}

std::optional<double> Attributes::real(Keys keys) const {
    if (const yaml::Node* node = find(keys)) refuse_boolean(*node, name_of(keys));
    const std::optional<Value> found = value(keys);
    if (!found) return std::nullopt;
    if (!found->is_number())
        find(keys)->fail(ErrorCode::wrong_type, name_of(keys) + " needs a number, found " + to_text(*found));
    return found->real();
}

std::optional<double> Attributes::real_from(Keys keys, double least) const {
    const std::optional<double> found = real(keys);
    if (found && *found < least)
        find(keys)->fail(ErrorCode::bad_value, name_of(keys) + " has to be at least " + to_text(Value{least}) +
                                                   ", found " + to_text(Value{*found}));
    return found;
}

std::optional<bool> Attributes::boolean(Keys keys) const {
    const yaml::Node* node = find(keys);
    if (node == nullptr) return std::nullopt;
    const std::string& written = node->text();
    const std::optional<Value> variable =
        written.find_first_not_of("01") == std::string::npos ? value(keys) : evaluator_->named(written, scope_);
    if (variable && variable->is_whole()) return std::get<std::int64_t>(variable->data) != 0;
    return node->boolean();
}

std::optional<std::string> Attributes::text(Keys keys) const {
    const auto [node, scope] = locate(keys);
    if (node == nullptr) return std::nullopt;
    if (!node->is_quoted()) {
        bool names_itself = false;
        for (const std::string_view key : keys) names_itself = names_itself || node->text() == key;
        const std::optional<Value> variable = names_itself ? std::nullopt : evaluator_->named(node->text(), scope);
        if (variable && variable->is_text()) return std::get<std::string>(variable->data);
        if (variable && variable->is_number()) return to_text(*variable);
    }
    return node->text();
}

}  // namespace tilewright::timeloop
