#include <cctype>
#include <map>

#include "base/error.hpp"
#include "timeloop/looptree/looptree.hpp"
#include "workload/cascade/builder.hpp"

namespace tilewright::timeloop {
namespace {

// Tokens of "0 <= P1 < 128 and ..." or "[ 2*P + R, C ]".
std::vector<std::string> tokens_of(const std::string& text) {
    std::vector<std::string> tokens;
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t i = 0; i < text.size();) {
        if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
            ++i;
            continue;
        }
        std::size_t end = i + 1;
        if (is_word(text[i]))
            while (end < text.size() && is_word(text[end])) ++end;
        else if (text.compare(i, 2, "<=") == 0)
            end = i + 2;
        tokens.push_back(text.substr(i, end - i));
        i = end;
    }
    return tokens;
}

bool is_number(const std::string& token) {
    constexpr std::size_t kMostDigits = 15;
    return !token.empty() && token.size() <= kMostDigits && token.find_first_not_of("0123456789") == std::string::npos;
}

std::map<std::string, std::int64_t> extents_of(const yaml::Node& instance) {
    std::map<std::string, std::int64_t> extents;
    const std::vector<std::string> tokens = tokens_of(instance.text());
    for (std::size_t i = 0; i < tokens.size(); i += 6) {
        const bool fits = i + 5 <= tokens.size() && tokens[i] == "0" && tokens[i + 1] == "<=" && tokens[i + 3] == "<" &&
                          is_number(tokens[i + 4]) && (i + 5 == tokens.size() || tokens[i + 5] == "and");
        if (!fits) instance.fail(ErrorCode::syntax, "expected '0 <= NAME < NUMBER and ...'");
        extents[tokens[i + 2]] = std::stoll(tokens[i + 4]);
    }
    return extents;
}

// Axes as sums: "[ C1, 2*P1 + R1 ]".
std::vector<Rank> ranks_of(const yaml::Node& projection, const Einsum& einsum) {
    const std::vector<std::string> tokens = tokens_of(projection.text());
    if (tokens.size() < 2 || tokens.front() != "[" || tokens.back() != "]")
        projection.fail(ErrorCode::syntax, "expected '[ AXIS, AXIS, ... ]'");
    std::vector<Rank> ranks(1);
    std::int64_t coefficient = 1;
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
        if (tokens[i] == ",") {
            ranks.emplace_back();
        } else if (is_number(tokens[i]) && tokens[i + 1] == "*") {
            coefficient = std::stoll(tokens[i++]);
        } else if (tokens[i] != "+") {
            const int dimension = find_dimension(einsum, tokens[i]);
            if (dimension < 0)
                projection.fail(ErrorCode::unknown_name,
                                "'" + tokens[i] + "' is no dimension of '" + einsum.name + "'");
            ranks.back().terms.push_back({dimension, coefficient});
            coefficient = 1;
        }
    }
    return ranks;
}

Einsum read_shape(const yaml::Node& layer) {
    const yaml::Node& shape = layer.at("shape");
    Einsum einsum{shape.at("name").text(), {}, {}};
    const std::map<std::string, std::int64_t> extents = extents_of(layer.at("instance"));
    for (const yaml::Node& name : shape.at("dimensions").items()) {
        const auto extent = extents.find(name.text());
        if (extent == extents.end())
            name.fail(ErrorCode::missing_key, "'instance' does not bound '" + name.text() + "'");
        einsum.dimensions.push_back({name.text(), extent->second});
    }
    for (const yaml::Node& space : shape.at("data_spaces").items()) {
        const yaml::Node* written = space.find("read_write");
        einsum.tensors.push_back({space.at("name").text(), ranks_of(space.at("projection"), einsum),
                                  written != nullptr && written->boolean(), 0});
    }
    if (const std::string problem = problem_with(einsum); !problem.empty())
        shape.fail(ErrorCode::bad_value, "einsum '" + einsum.name + "': " + problem);
    return einsum;
}

std::vector<std::int64_t> reach_of(const Einsum& einsum, const Tensor& tensor) {
    std::vector<std::int64_t> shape;
    for (const Rank& rank : tensor.ranks) {
        std::int64_t last = 0;
        for (const Term& term : rank.terms) last += term.coefficient * (einsum.dimensions[term.dimension].extent - 1);
        shape.push_back(last + 1);
    }
    return shape;
}

TensorRole tensor_role(const std::string& name, const std::vector<Einsum>& einsums) {
    bool written = false;
    bool read = false;
    for (const Einsum& einsum : einsums)
        if (const int t = find_tensor(einsum, name); t >= 0) (einsum.tensors[t].written ? written : read) = true;
    return !written ? TensorRole::input : read ? TensorRole::intermediate : TensorRole::output;
}

}  // namespace

Cascade read_looptree_problem(const yaml::Node& problem) {
    std::vector<Einsum> einsums;
    for (const yaml::Node& layer : problem.items()) einsums.push_back(read_shape(layer));
    CascadeBuilder builder("looptree");
    std::map<std::string, int> tensors;
    for (const Einsum& einsum : einsums) {
        CascadeEinsum one{einsum.name, "Einsum", einsum};
        for (const Tensor& tensor : einsum.tensors) {
            if (!tensors.contains(tensor.name))
                tensors[tensor.name] =
                    builder.tensor(tensor.name, tensor_role(tensor.name, einsums), reach_of(einsum, tensor));
            one.accesses.push_back(plain_access(tensors[tensor.name], tensor));
        }
        builder.einsum(std::move(one));
    }
    if (const std::string wrong = problem_with(builder.so_far()); !wrong.empty())
        problem.fail(ErrorCode::bad_value, wrong);
    return builder.take();
}

}  // namespace tilewright::timeloop
