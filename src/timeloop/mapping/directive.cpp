#include "timeloop/mapping/directive.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/numbers/checked.hpp"
#include "base/scanner.hpp"
#include "timeloop/files/sections.hpp"
#include "timeloop/mapping/nest.hpp"

namespace tilewright::timeloop {
namespace {

// Scans "R=1,S1 C <= 4".
class FactorScanner {
   public:
    FactorScanner(const yaml::Node& place, std::string_view text, const ConstraintNames& names)
        : place_(place), scanner_(text), names_(names) {}

    std::vector<FactorBound> scan() {
        std::vector<FactorBound> factors;
        for (skip_separators(); !scanner_.at_end(); skip_separators())
            if (const std::optional<FactorBound> factor = next()) factors.push_back(*factor);
        return factors;
    }

   private:
    std::optional<FactorBound> next();
    std::string name();
    std::int64_t number();
    void skip_separators() { scanner_.skip(" \t\n\r,"); }
    [[noreturn]] void fail() const {
        place_.fail(ErrorCode::bad_value,
                    "expected factors like 'C=4', 'C<=4' or 'C4', found '" + std::string(scanner_.text()) + "'");
    }

    const yaml::Node& place_;
    Scanner scanner_;
    const ConstraintNames& names_;
};

// "C4" is C = 4, but "M0 = 4" is about a dimension M0.
std::string FactorScanner::name() {
    const std::string_view longer = scanner_.name_here();
    if (longer.empty()) fail();
    Scanner behind = scanner_;
    behind.name();
    behind.skip(" \t");
    const bool related = !behind.skip("<>=").empty();
    const std::string_view letters = longer.substr(0, longer.find_first_of("0123456789"));
    const std::string_view name = related ? longer : letters;
    scanner_.seek(scanner_.place() + name.size());
    return std::string(name);
}

std::int64_t FactorScanner::number() {
    std::int64_t value = 0;
    const std::errc problem = scanner_.number(value);
    if (problem == std::errc::result_out_of_range) place_.fail(ErrorCode::overflow, "a factor does not fit in 64 bits");
    if (problem != std::errc{} || value < 0) fail();
    return value;
}

std::optional<FactorBound> FactorScanner::next() {
    FactorBound factor;
    const std::optional<int> dimension = names_.dimension(place_, name());
    factor.dimension = dimension.value_or(0);
    scanner_.skip(" \t");
    const std::string_view relation = scanner_.skip("<>=");
    scanner_.skip(" \t");
    const bool negative = relation == "=" && !scanner_.skip("-").empty();
    factor.value = number();
    if (negative && factor.value != 1) fail();
    if (negative) {
        factor.relation = Relation::rest;
        return dimension ? std::optional(factor) : std::nullopt;
    }
    if (relation == "<=" || relation == "<")
        factor.relation = Relation::at_most;
    else if (relation == ">=" || relation == ">")
        factor.relation = Relation::at_least;
    else if (!relation.empty() && relation != "=" && relation != "==")
        fail();
    if (relation == "<") --factor.value;
    if (relation == ">") factor.value = checked_add(factor.value, 1);
    if (factor.relation == Relation::equal && factor.value == 0)  // the whole remaining extent; of a void name: nothing
        factor.value = dimension ? names_.einsum().dimensions[*dimension].extent : 1;
    if (factor.value < 1)
        place_.fail(ErrorCode::bad_value,
                    "a bound of a factor has to be at least 1: '" + std::string(scanner_.text()) + "'");
    return dimension ? std::optional(factor) : std::nullopt;
}

// The unknown name at the start of a text: one of the capitals of "RSP", else a whole word.
std::string unknown_name(const std::string& text, std::size_t place) {
    const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    std::size_t end = place;
    while (end < text.size() && is_part(text[end])) ++end;
    const std::string word = text.substr(place, std::max<std::size_t>(end - place, 1));
    const bool capitals =
        std::all_of(word.begin(), word.end(), [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; });
    return capitals ? word.substr(0, 1) : word;
}

// Names without separators ("RSP"), some possibly void.
std::vector<int> read_partial_order(const yaml::Node& node, const std::string& text, const ConstraintNames& names) {
    const Einsum& einsum = names.einsum();
    std::vector<int> order;
    for (std::size_t place = 0; place < text.size();) {
        if (std::string_view(" \t\n\r,").find(text[place]) != std::string_view::npos) {
            ++place;
            continue;
        }
        int best = -1;
        for (int d = 0; d < einsum.dimension_count(); ++d) {
            const std::string& name = einsum.dimensions[d].name;
            if (text.compare(place, name.size(), name) != 0) continue;
            if (best < 0 || name.size() > einsum.dimensions[best].name.size()) best = d;
        }
        const std::string unknown = unknown_name(text, place);
        if (best < 0) static_cast<void>(names.dimension(node, unknown));
        if (best >= 0) order.push_back(best);
        place += best < 0 ? unknown.size() : einsum.dimensions[best].name.size();
    }
    return order;
}

std::vector<int> read_order_text(const yaml::Node& node, const std::string& text, const ConstraintNames& names) {
    if (names.may_lack_some_of(node, text)) return read_partial_order(node, text, names);
    return read_permutation(yaml::Node::scalar(text, node), names.einsum());
}

// "RSP", [R, S, P]; a '*' separates the outer part.
void read_order(const yaml::Node& node, const ConstraintNames& names, LoopDirective& directive) {
    std::vector<int>* side = &directive.inner;
    if (node.is_sequence()) {
        for (const yaml::Node& item : node.items()) {
            if (item.text() == "*" && side == &directive.inner)
                side = &directive.outer;
            else if (const std::optional<int> dimension = names.dimension(item, item.text()))
                side->push_back(*dimension);
        }
    } else if (!node.is_null()) {
        const std::string& text = node.text();
        const std::size_t star = text.find('*');
        directive.inner = read_order_text(node, text.substr(0, star), names);
        if (star != std::string::npos) directive.outer = read_order_text(node, text.substr(star + 1), names);
    }
    std::vector<int> all = directive.inner;
    all.insert(all.end(), directive.outer.begin(), directive.outer.end());
    for (auto d = all.begin(); d != all.end(); ++d)
        if (std::find(all.begin(), d, *d) != d)
            node.fail(ErrorCode::bad_value, "the permutation names '" + names.einsum().dimensions[*d].name + "' twice");
    directive.has_permutation = !all.empty();
}

void add_factor(LoopDirective& directive, const FactorBound& factor) {
    if (std::find(directive.factors.begin(), directive.factors.end(), factor) == directive.factors.end())
        directive.factors.push_back(factor);
}

bool has_factor(const LoopDirective& directive, int dimension) {
    return std::any_of(directive.factors.begin(), directive.factors.end(),
                       [&](const FactorBound& factor) { return factor.dimension == dimension; });
}

// Texts such as ("X=" + str(BITS)) and f"X={BITS}", computed.
yaml::Node computed_factors(const yaml::Node& node, const DirectiveContext& context) {
    const auto is_computed = [](const yaml::Node& one) {
        if (!one.is_scalar() || one.is_quoted()) return false;
        const std::string& text = one.text();
        return text.starts_with("(") || text.starts_with("f\"") || text.starts_with("f'");
    };
    if (is_computed(node)) {
        const Value text = context.evaluator->value(node, context.scope);
        if (!text.is_text()) node.fail(ErrorCode::wrong_type, "expected a text such as 'X=8', found " + to_text(text));
        return yaml::Node::scalar(std::get<std::string>(text.data), node);
    }
    if (!node.is_sequence() || std::ranges::none_of(node.items(), is_computed)) return node;
    std::vector<yaml::Node> items;
    for (const yaml::Node& item : node.items()) items.push_back(computed_factors(item, context));
    return yaml::Node::sequence(std::move(items), node);
}

// factors_only, no_iteration_over_dataspaces, must_iterate_over_dataspaces: dimensions with factor 1. A list of void
// names has no effect.
void read_factor_macros(const yaml::Node& node, const DirectiveContext& context, LoopDirective& directive) {
    const ConstraintNames& names = context.names;
    const Einsum& einsum = names.einsum();
    const int count = einsum.dimension_count();
    if (const yaml::Node* only = node.find("factors_only"); only != nullptr && !only->is_null()) {
        const std::vector<FactorBound> factors = read_factor_bounds(computed_factors(*only, context), names);
        const bool nothing = only->is_sequence() ? only->items().empty() : only->text().empty();
        for (const FactorBound& factor : factors) add_factor(directive, factor);
        for (int d = 0; d < count; ++d)
            if ((nothing || !factors.empty()) && !has_factor(directive, d))
                add_factor(directive, {d, Relation::equal, 1});
    }
    const auto moves = [&](const TensorSet& tensors, int dimension) {
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (tensors.has(t) && is_relevant(einsum.tensors[t], dimension)) return true;
        return false;
    };
    const auto fix = [&](const char* key, bool moving) {
        const yaml::Node* given = node.find(key);
        if (given == nullptr || given->is_null()) return;
        const std::optional<TensorSet> tensors = names.tensors(*given);
        for (int d = 0; d < count; ++d)
            if (tensors && moves(*tensors, d) == moving) add_factor(directive, {d, Relation::equal, 1});
    };
    fix("no_iteration_over_dataspaces", true);
    fix("must_iterate_over_dataspaces", false);
}

void read_maximize(const yaml::Node& node, const DirectiveContext& context, LoopDirective& directive) {
    const yaml::Node* maximize = node.find("maximize_dims");
    if (maximize == nullptr || maximize->items().empty()) return;
    const bool nested = maximize->items().front().is_sequence();
    for (const yaml::Node& group : nested ? maximize->items() : std::vector<yaml::Node>{*maximize}) {
        std::vector<int> dimensions;
        for (const yaml::Node& name : group.items())
            if (const std::optional<int> dimension = context.names.dimension(name, name.text()))
                dimensions.push_back(*dimension);
        if (!dimensions.empty()) directive.maximize.push_back(std::move(dimensions));
    }
}

// Switches of Timeloop's counting. The exact model has its own rules (docs/model.md), which a remark says; a fan-out's
// `no_reuse` binds mappings (machine/passing.hpp).
void note_options(const yaml::Node& node, bool in_place, const ConstraintNames& names) {
    for (const char* key :
         {"no_reuse", "no_temporal_reuse", "no_link_transfer", "no_multicast_no_reduction", "rmw_first_update"}) {
        const yaml::Node* option = node.find(key);
        if (option == nullptr || option->is_null() || (option->is_sequence() && option->items().empty())) continue;
        if (!in_place)
            option->fail(ErrorCode::unsupported,
                         std::string("'") + key + "' is not supported in a constraint; a mapping can say it");
        names.remark_once(
            *option, std::string("'") + key + "' is a switch of Timeloop's counting: counts are exact (docs/model.md)");
    }
}

std::optional<std::int64_t> whole(const yaml::Node& node, const char* key, std::int64_t least,
                                  const DirectiveContext& context) {
    const yaml::Node* given = node.find(key);
    if (given == nullptr || given->is_null()) return std::nullopt;
    const std::string what = std::string("'") + key + "'";
    const std::int64_t value = whole_of(context.evaluator->value(*given, context.scope), *given, what);
    if (value < least)
        given->fail(ErrorCode::bad_value,
                    what + " has to be at least " + std::to_string(least) + ", found " + std::to_string(value));
    return value;
}

template <class Number>
void combine_number(std::optional<Number>& first, const std::optional<Number>& later, const yaml::Node& place,
                    const char* what) {
    if (first && later && *first != *later)
        place.fail(ErrorCode::bad_value,
                   std::string("'") + what + "' is already " + std::to_string(*first) + " for this level");
    if (later) first = later;
}

}  // namespace

std::optional<FactorConstraint> bounds(const std::vector<FactorBound>& factors, int dimension) {
    FactorConstraint bound;
    for (const FactorBound& factor : factors) {
        if (factor.dimension != dimension || factor.relation == Relation::rest) continue;
        if (factor.relation == Relation::at_most)
            bound.at_most = std::min(bound.at_most.value_or(factor.value), factor.value);
        if (factor.relation == Relation::at_least) bound.at_least = std::max(bound.at_least, factor.value);
        if (factor.relation != Relation::equal) continue;
        if (bound.exactly && *bound.exactly != factor.value) return std::nullopt;
        bound.exactly = factor.value;
    }
    const std::int64_t least = bound.exactly.value_or(bound.at_least);
    if (least < bound.at_least || (bound.at_most && least > *bound.at_most)) return std::nullopt;
    return bound;
}

std::vector<FactorBound> read_factor_bounds(const yaml::Node& node, const ConstraintNames& names) {
    if (node.is_scalar()) return FactorScanner(node, node.text(), names).scan();
    std::vector<FactorBound> factors;
    for (const yaml::Node& item : node.items()) {
        const std::vector<FactorBound> one = FactorScanner(item, item.text(), names).scan();
        factors.insert(factors.end(), one.begin(), one.end());
    }
    return factors;
}

LoopDirective read_directive(const yaml::Node& node, bool spatial, const DirectiveContext& context) {
    std::vector<std::string> known{"target",
                                   "name",
                                   "type",
                                   "attributes",
                                   "factors",
                                   "permutation",
                                   "remainders",
                                   "default_max_factor",
                                   "default_min_factor",
                                   "factors_only",
                                   "no_iteration_over_dataspaces",
                                   "must_iterate_over_dataspaces",
                                   "maximize_dims",
                                   "maximize_dims_capacity",
                                   "no_reuse"};
    const std::vector<std::string> own =
        spatial ? std::vector<std::string>{"split", "no_link_transfer", "no_multicast_no_reduction"}
                : std::vector<std::string>{"no_temporal_reuse", "rmw_first_update"};
    known.insert(known.end(), own.begin(), own.end());
    node.expect_keys(known);
    note_options(node, context.in_place, context.names);
    LoopDirective directive;
    directive.place = node;
    if (const yaml::Node* factors = node.find("factors"))
        for (const FactorBound& factor : read_factor_bounds(computed_factors(*factors, context), context.names))
            add_factor(directive, factor);
    read_factor_macros(node, context, directive);
    if (const yaml::Node* permutation = node.find("permutation")) read_order(*permutation, context.names, directive);
    if (const auto split = whole(node, "split", 0, context))
        directive.split = static_cast<int>(std::min<std::int64_t>(*split, context.names.einsum().dimension_count()));
    directive.remainders = whole(node, "remainders", 1, context);
    directive.default_most = whole(node, "default_max_factor", 1, context);
    directive.default_least = whole(node, "default_min_factor", 1, context);
    directive.maximize_capacity = whole(node, "maximize_dims_capacity", 1, context);
    read_maximize(node, context, directive);
    return directive;
}

void combine(LoopDirective& first, const LoopDirective& later, const Einsum& einsum) {
    for (const FactorBound& factor : later.factors) add_factor(first, factor);
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (!bounds(first.factors, d))
            later.place.fail(ErrorCode::bad_value,
                             "the factors of '" + einsum.dimensions[d].name + "' contradict each other");
    if (first.has_permutation && later.has_permutation && (first.inner != later.inner || first.outer != later.outer))
        later.place.fail(ErrorCode::bad_value, "this level already has another permutation");
    if (later.has_permutation) {
        first.inner = later.inner;
        first.outer = later.outer;
        first.has_permutation = true;
    }
    combine_number(first.split, later.split, later.place, "split");
    combine_number(first.remainders, later.remainders, later.place, "remainders");
    combine_number(first.default_most, later.default_most, later.place, "default_max_factor");
    combine_number(first.default_least, later.default_least, later.place, "default_min_factor");
    combine_number(first.maximize_capacity, later.maximize_capacity, later.place, "maximize_dims_capacity");
    first.maximize.insert(first.maximize.end(), later.maximize.begin(), later.maximize.end());
    if (first.place.where().line == 0) first.place = later.place;
}

}  // namespace tilewright::timeloop
