#include "workload/layer_roles.hpp"

#include <algorithm>
#include <cctype>

namespace tilewright {
namespace {

bool is_window(const Rank& rank) { return rank.terms.size() > 1; }

bool has_window(const Tensor& tensor) { return std::ranges::any_of(tensor.ranks, is_window); }

bool is_called_weights(const std::string& name) {
    std::string lower;
    for (const char letter : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return lower == "w" || lower.starts_with("weight") || lower.starts_with("filter");
}

// Of two read tensors: whether the first is Weights.
bool first_is_weights(const Einsum& einsum, int first, int second, std::optional<TensorSet> weights) {
    const auto differ = [&](const auto& is) { return is(first) != is(second); };
    const auto called = [&](const char* name) { return [&, name](int t) { return einsum.tensors[t].name == name; }; };
    const auto declared = [&](int t) { return weights ? weights->has(t) : is_called_weights(einsum.tensors[t].name); };
    const auto slides = [&](int t) { return has_window(einsum.tensors[t]); };
    if (differ(called("Weights"))) return called("Weights")(first);
    if (differ(called("Inputs"))) return called("Inputs")(second);
    if (differ(declared)) return declared(first);
    return differ(slides) && slides(second);
}

std::vector<int> tensors_read(const Einsum& einsum) {
    std::vector<int> read;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (!einsum.tensors[t].written) read.push_back(t);
    return read;
}

std::vector<OperandRole> operand_roles(const Einsum& einsum, std::optional<TensorSet> weights) {
    std::vector<OperandRole> roles(einsum.tensors.size(), OperandRole::none);
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (einsum.tensors[t].written) roles[t] = OperandRole::outputs;
    const std::vector<int> read = tensors_read(einsum);
    const bool swapped = weights_come_first(einsum, weights);
    if (!read.empty()) roles[read[0]] = swapped ? OperandRole::weights : OperandRole::inputs;
    if (read.size() > 1) roles[read[1]] = swapped ? OperandRole::inputs : OperandRole::weights;
    return roles;
}

// A dimension relevant to a tensor without a role is relevant to weights too: it is not shared by all.
int part_of(const Einsum& einsum, const std::vector<OperandRole>& operands, int d) {
    bool inputs = false;
    bool weights = false;
    bool outputs = false;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        if (!is_relevant(einsum.tensors[t], d)) continue;
        bool& moved = operands[t] == OperandRole::inputs    ? inputs
                      : operands[t] == OperandRole::outputs ? outputs
                                                            : weights;
        moved = true;
    }
    if (!outputs) return part_named("C");
    if (inputs && weights) return part_named("G");
    return part_named(weights ? "K" : "N");
}

// The image axis of a window, by its dimensions' names.
std::optional<bool> is_row_by_name(const Einsum& einsum, const Rank& window) {
    for (const Term& term : window.terms) {
        const std::string& name = einsum.dimensions[term.dimension].name;
        if (name == "Q" || name == "S") return true;
        if (name == "P" || name == "R") return false;
    }
    return std::nullopt;
}

// Without telling names, rows are the first window of the first windowed operand, columns the second.
void find_windows(const Einsum& einsum, std::vector<int>& parts) {
    const auto first = std::ranges::find_if(einsum.tensors,
                                            [](const Tensor& tensor) { return !tensor.written && has_window(tensor); });
    if (first == einsum.tensors.end()) return;
    std::vector<const Rank*> windows;
    for (const Rank& rank : first->ranks)
        if (is_window(rank)) windows.push_back(&rank);
    for (std::size_t w = 0; w < windows.size() && w < 2; ++w) {
        const bool is_row = is_row_by_name(einsum, *windows[w]).value_or(w == 0 && windows.size() > 1);
        for (const Term& term : windows[w]->terms) {
            int& part = parts[term.dimension];
            const bool is_summed = part == part_named("C");
            part = part_named(is_summed ? (is_row ? "S" : "R") : (is_row ? "Q" : "P"));
        }
    }
}

// Effect of a dimension in terms of layer names: rows of results, channels of results, reduction.
enum class Moves { rows, channels, summed, anything };

Moves moves_of(int part) {
    const std::string_view name = part < std::ssize(kPartNames) ? kPartNames.at(static_cast<std::size_t>(part)) : "G";
    if (name == "N" || name == "P" || name == "Q") return Moves::rows;
    if (name == "C" || name == "R" || name == "S") return Moves::summed;
    return name == "K" ? Moves::channels : Moves::anything;
}

// With windows in results, or no dimension of weights, the layer names have further meanings.
bool is_usual(const Einsum& einsum, const LayerRoles& roles) {
    const auto slides = [](const Tensor& tensor) { return tensor.written && has_window(tensor); };
    const auto weights = std::ranges::find(roles.operands, OperandRole::weights) - roles.operands.begin();
    return weights < std::ssize(roles.operands) && !einsum.tensors[weights].ranks.empty() &&
           std::ranges::none_of(einsum.tensors, slides);
}

}  // namespace

int part_named(std::string_view name) {
    return static_cast<int>(std::ranges::find(kPartNames, name) - kPartNames.begin());
}

bool weights_come_first(const Einsum& einsum, std::optional<TensorSet> weights) {
    const std::vector<int> read = tensors_read(einsum);
    return read.size() > 1 && first_is_weights(einsum, read[0], read[1], weights);
}

TensorSet LayerRoles::operands_of(TensorSet roles) const {
    TensorSet own;
    for (std::size_t t = 0; t < operands.size(); ++t)
        if (operands[t] != OperandRole::none && roles.has(static_cast<int>(operands[t]))) own.add(static_cast<int>(t));
    return own;
}

TensorSet LayerRoles::further() const {
    TensorSet own;
    for (std::size_t t = 0; t < operands.size(); ++t)
        if (operands[t] == OperandRole::none) own.add(static_cast<int>(t));
    return own;
}

std::vector<int> LayerRoles::dimensions_of(int part) const {
    std::vector<int> own;
    for (std::size_t d = 0; d < parts.size(); ++d)
        if (parts[d] == part) own.push_back(static_cast<int>(d));
    return own;
}

LayerRoles layer_roles(const Einsum& einsum, std::optional<TensorSet> weights) {
    LayerRoles roles{operand_roles(einsum, weights), {}};
    for (int d = 0; d < einsum.dimension_count(); ++d) roles.parts.push_back(part_of(einsum, roles.operands, d));
    find_windows(einsum, roles.parts);
    return roles;
}

int tensor_or_role(const Einsum& einsum, std::string_view name) {
    if (const int named = find_tensor(einsum, name); named >= 0) return named;
    const auto role = std::ranges::find(kOperandNames, name);
    if (role == kOperandNames.end()) return -1;
    const std::vector<OperandRole> roles = layer_roles(einsum).operands;
    const auto one = std::ranges::find(roles, static_cast<OperandRole>(role - kOperandNames.begin()));
    return one == roles.end() ? -1 : static_cast<int>(one - roles.begin());
}

std::vector<std::string> misleading_names(const Einsum& einsum, const LayerRoles& roles) {
    std::vector<std::string> names;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const std::string& name = einsum.tensors[t].name;
        const auto role = static_cast<std::size_t>(std::ranges::find(kOperandNames, name) - kOperandNames.begin());
        if (role < kOperandNames.size() && roles.operands[t] != static_cast<OperandRole>(role)) names.push_back(name);
    }
    if (!is_usual(einsum, roles)) return names;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const std::string& name = einsum.dimensions[d].name;
        const Moves meant = moves_of(part_named(name));
        const Moves done = moves_of(roles.parts[d]);
        if (meant != done && meant != Moves::anything && done != Moves::anything) names.push_back(name);
    }
    return names;
}

std::string to_text(const LayerRoles& roles, const Einsum& einsum) {
    std::string text;
    const auto add = [&](const std::string& name, const std::string& role, const char* between) {
        if (name != role) text += (text.empty() ? "" : between) + name + " is " + role;
    };
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const bool has_role = roles.operands[t] != OperandRole::none;
        add(einsum.tensors[t].name, has_role ? kOperandNames.at(static_cast<std::size_t>(roles.operands[t])) : "free",
            ", ");
    }
    const char* between = "; ";
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const std::size_t before = text.size();
        add(einsum.dimensions[d].name, kPartNames.at(static_cast<std::size_t>(roles.parts[d])), between);
        if (text.size() > before) between = ", ";
    }
    return text;
}

}  // namespace tilewright
