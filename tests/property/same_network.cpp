#include "same_network.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "same_machine.hpp"
#include "same_parts.hpp"

namespace tilewright::property {
namespace {

constexpr Relation kSameCost;
constexpr Relation kNoDearer{.equal = false};

std::string text_of(const AxisOfText& axis) {
    std::string text;
    for (const TermOfText& term : axis.terms) {
        if (!text.empty()) text += '+';
        if (term.coefficient != 1) text += std::to_string(term.coefficient) + "*";
        text += term.dimension;
    }
    if (axis.terms.empty() || axis.offset > 0) text += (text.empty() ? "" : "+") + std::to_string(axis.offset);
    if (axis.offset < 0) text += std::to_string(axis.offset);
    return text;
}

std::string text_of(const OperandOfText& operand) {
    std::string text = operand.tensor + "[";
    for (const AxisOfText& axis : operand.axes) text += (text.back() == '[' ? "" : ", ") + text_of(axis);
    return text + "]";
}

std::set<std::string> dimensions_of(const OperandOfText& operand) {
    std::set<std::string> dimensions;
    for (const AxisOfText& axis : operand.axes)
        for (const TermOfText& term : axis.terms) dimensions.insert(term.dimension);
    return dimensions;
}

bool reduces(const StatementOfText& statement) {
    const std::set<std::string> kept = dimensions_of(statement.result);
    return std::ranges::any_of(statement.operands, [&](const OperandOfText& operand) {
        return !std::ranges::includes(kept, dimensions_of(operand));
    });
}

std::string text_of(const StatementOfText& statement) {
    std::string text = text_of(statement.result) + (reduces(statement) ? " += " : " = ");
    for (std::size_t i = 0; i < statement.operands.size(); ++i) {
        if (i > 0) text += " " + std::string(statement.combined) + " ";
        text += text_of(statement.operands[i]);
    }
    return text + ";\n";
}

void for_each_operand(NetworkText& network, const std::function<void(OperandOfText&)>& change) {
    for (StatementOfText& statement : network.statements) {
        for (OperandOfText& operand : statement.operands) change(operand);
        change(statement.result);
    }
}

std::vector<std::string> tensors_of(NetworkText& network) {
    std::set<std::string> names;
    for_each_operand(network, [&](OperandOfText& operand) { names.insert(operand.tensor); });
    return {names.begin(), names.end()};
}

std::optional<Relation> permute_terms(Random& random, NetworkText& network) {
    bool several = false;
    for_each_operand(network, [&](OperandOfText& operand) {
        for (AxisOfText& axis : operand.axes) {
            several = several || axis.terms.size() > 1;
            reorder(axis.terms, random_order(random, axis.terms.size()));
        }
    });
    return several ? std::optional(kSameCost) : std::nullopt;
}

std::optional<Relation> permute_operands(Random& random, NetworkText& network) {
    for (StatementOfText& statement : network.statements)
        reorder(statement.operands, random_order(random, statement.operands.size()));
    return kSameCost;
}

std::optional<Relation> permute_axes(Random& random, NetworkText& network) {
    bool several = false;
    for (const std::string& tensor : tensors_of(network)) {
        std::vector<int> order;
        for_each_operand(network, [&](OperandOfText& operand) {
            if (operand.tensor != tensor) return;
            if (order.empty()) order = random_order(random, operand.axes.size());
            reorder(operand.axes, order);
        });
        several = several || order.size() > 1;
        for (auto& [name, shape] : network.shapes)
            if (name == tensor) reorder(shape, order);
    }
    return several ? std::optional(kSameCost) : std::nullopt;
}

std::optional<Relation> rename_all(Random& random, NetworkText& network) {
    std::map<std::string, std::string> names;
    const auto rename = [&](std::string& name) {
        std::string& fresh = names[name];
        if (fresh.empty()) fresh = std::string(1, "abcxyz"[random.below(6)]) + std::to_string(names.size());
        name = fresh;
    };
    for (auto& [name, size] : network.sizes) rename(name);
    for (auto& [name, shape] : network.shapes) rename(name);
    for (std::string& name : network.weights) rename(name);
    for_each_operand(network, [&](OperandOfText& operand) {
        rename(operand.tensor);
        for (AxisOfText& axis : operand.axes)
            for (TermOfText& term : axis.terms) rename(term.dimension);
    });
    return kSameCost;
}

std::optional<Relation> permute_declarations(Random& random, NetworkText& network) {
    reorder(network.sizes, random_order(random, network.sizes.size()));
    reorder(network.shapes, random_order(random, network.shapes.size()));
    reorder(network.weights, random_order(random, network.weights.size()));
    return kSameCost;
}

std::optional<Relation> add_one_value(Random& random, NetworkText& network) {
    StatementOfText& statement = network.statements[random.below(network.statements.size())];
    OperandOfText& operand = statement.operands[random.below(statement.operands.size())];
    std::vector<TermOfText>& terms = operand.axes[random.below(operand.axes.size())].terms;
    const std::string name = "one" + std::to_string(network.sizes.size());
    network.sizes.emplace_back(name, 1);
    terms.insert(terms.begin() + static_cast<std::ptrdiff_t>(random.below(terms.size() + 1)),
                 {random.between(1, 3), name});
    return kSameCost;
}

// A dimension of one value for each statement that has the tensor, and an axis along it.
std::optional<Relation> add_one_axis(Random& random, NetworkText& network) {
    const std::string tensor = any_of(random, tensors_of(network));
    std::optional<std::size_t> at;
    for (StatementOfText& statement : network.statements) {
        const std::string name = "axis" + std::to_string(network.sizes.size());
        bool has_it = false;
        const auto add = [&](OperandOfText& operand) {
            if (operand.tensor != tensor) return;
            if (!at) at = random.below(operand.axes.size() + 1);
            operand.axes.insert(operand.axes.begin() + static_cast<std::ptrdiff_t>(*at), AxisOfText{{{1, name}}, 0});
            has_it = true;
        };
        for (OperandOfText& operand : statement.operands) add(operand);
        add(statement.result);
        if (has_it) network.sizes.emplace_back(name, 1);
    }
    for (auto& [name, shape] : network.shapes)
        if (name == tensor) shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*at), 1);
    return kSameCost;
}

bool uses(const StatementOfText& statement, const std::string& tensor) {
    return statement.result.tensor == tensor ||
           std::ranges::any_of(statement.operands, [&](const OperandOfText& one) { return one.tensor == tensor; });
}

// Two neighbours of which neither writes what the other reads or writes.
std::optional<Relation> swap_statements(Random& random, NetworkText& network) {
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i + 1 < network.statements.size(); ++i)
        if (!uses(network.statements[i + 1], network.statements[i].result.tensor) &&
            !uses(network.statements[i], network.statements[i + 1].result.tensor))
            free.push_back(i);
    if (free.empty()) return std::nullopt;
    const std::size_t first = any_of(random, free);
    std::swap(network.statements[first], network.statements[first + 1]);
    return kSameCost;
}

std::optional<Relation> rewrite_machine_of(LayerRewriting rewriting, Random& random, NetworkText& network) {
    LayerCase layer{{}, network.architecture};
    const std::optional<Relation> relation = rewrite_machine(rewriting, random, layer);
    network.architecture = layer.architecture;
    return relation;
}

std::optional<Relation> apply(NetworkRewriting rewriting, Random& random, NetworkText& network) {
    switch (rewriting) {
        case NetworkRewriting::terms: return permute_terms(random, network);
        case NetworkRewriting::operands: return permute_operands(random, network);
        case NetworkRewriting::axes: return permute_axes(random, network);
        case NetworkRewriting::names: return rename_all(random, network);
        case NetworkRewriting::declarations: return permute_declarations(random, network);
        case NetworkRewriting::one_value: return add_one_value(random, network);
        case NetworkRewriting::one_axis: return add_one_axis(random, network);
        case NetworkRewriting::array: return rewrite_machine_of(LayerRewriting::axes, random, network);
        case NetworkRewriting::energies: return rewrite_machine_of(LayerRewriting::energies, random, network);
        case NetworkRewriting::statements: return swap_statements(random, network);
        case NetworkRewriting::buffer: *network.architecture.memories[1].capacity_words *= 2; return kNoDearer;
        case NetworkRewriting::bandwidth: return rewrite_machine_of(LayerRewriting::bandwidth, random, network);
    }
    return std::nullopt;
}

}  // namespace

std::string to_text(const NetworkText& network) {
    std::string text;
    for (const auto& [name, size] : network.sizes) text += "size " + name + "=" + std::to_string(size) + ";\n";
    for (const std::string& name : network.weights) text += "weight " + name + ";\n";
    for (const auto& [name, shape] : network.shapes) {
        text += "tensor " + name + "[";
        for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
        text += "];\n";
    }
    for (const StatementOfText& statement : network.statements) text += text_of(statement);
    return text;
}

std::string_view name_of(NetworkRewriting rewriting) {
    static constexpr std::array<std::string_view, kNetworkRewritings> kNames{
        "terms",    "operands",          "axes of tensors", "names",      "declarations", "one value",
        "one axis", "axes of the array", "energies",        "statements", "buffer",       "bandwidth"};
    return kNames[static_cast<std::size_t>(rewriting)];
}

std::optional<Relation> rewrite(NetworkRewriting rewriting, Random& random, NetworkText& network) {
    NetworkText again = network;
    const std::optional<Relation> relation = apply(rewriting, random, again);
    if (relation) network = std::move(again);
    return relation;
}

}  // namespace tilewright::property
