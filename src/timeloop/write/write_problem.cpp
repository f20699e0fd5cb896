#include "timeloop/write/write_machine.hpp"

#include <filesystem>
#include <set>

#include "yaml/write.hpp"

namespace tilewright::timeloop {
namespace {

// Timeloop names its coefficients: "by2" is 2, "by_minus_3" is -3.
std::string coefficient_name(std::int64_t coefficient) {
    const std::string digits = std::to_string(coefficient);
    return coefficient < 0 ? "by_minus_" + digits.substr(1) : "by" + digits;
}

std::set<std::int64_t> coefficients_of(const Einsum& einsum) {
    std::set<std::int64_t> coefficients;
    for (const Tensor& tensor : einsum.tensors)
        for (const Rank& rank : tensor.ranks)
            for (const Term& term : rank.terms)
                if (term.coefficient != 1) coefficients.insert(term.coefficient);
    return coefficients;
}

std::string rank_text(const Einsum& einsum, const Rank& rank) {
    std::string text;
    for (const Term& term : rank.terms) {
        text += (text.empty() ? " [ " : ", [ ") + einsum.dimensions[term.dimension].name;
        if (term.coefficient != 1) text += ", " + coefficient_name(term.coefficient);
        text += " ]";
    }
    return "[" + text + " ]";
}

std::string tensor_text(const Einsum& einsum, const Tensor& tensor) {
    std::string text = "    - name: " + tensor.name + "\n      projection:\n";
    for (const Rank& rank : tensor.ranks) text += "      - " + rank_text(einsum, rank) + "\n";
    if (tensor.ranks.empty()) text.replace(text.size() - 1, 1, " []\n");
    if (tensor.written) text += "      read_write: true\n";
    if (tensor.bits > 0) text += "      bits: " + std::to_string(tensor.bits) + "\n";
    return text;
}

std::string named_density(const char* name, double density) {
    return std::string("{distribution: ") + name + ", density: " + yaml::number_text(density) + "}";
}

/// In an instance's `densities`.
struct DensityText {
    const Einsum& einsum;
    const Tensor& tensor;

    std::string operator()(const sparse::FixedStructured& one) const {
        return named_density("fixed_structured", one.density);
    }
    std::string operator()(const sparse::UniformRandom& one) const {
        return named_density("hypergeometric", one.density);
    }
    std::string operator()(const sparse::Banded& band) const {
        return "{distribution: banded, band_width: " + std::to_string(band.half_width) + "}";
    }
    std::string operator()(const sparse::Pattern& pattern) const {
        const int along = tensor.ranks[pattern.rank].terms.front().dimension;
        return "{distribution: \"n:m\", n: " + std::to_string(pattern.kept) + ", m: " + std::to_string(pattern.of) +
               ", along: " + einsum.dimensions[along].name + "}";
    }
    // Relative to the problem's destination.
    std::string operator()(const sparse::Measured& measured) const {
        return "{distribution: measured, file: " +
               yaml::quoted_text(std::filesystem::absolute(measured.file).lexically_normal().string()) + "}";
    }
};

}  // namespace

std::string write_problem(const Einsum& einsum, const std::vector<sparse::Density>& densities) {
    std::string text = write_problem(einsum);
    std::string known;
    for (std::size_t t = 0; t < densities.size(); ++t)
        if (densities[t] != sparse::Density{})
            known += "      " + einsum.tensors[t].name + ": " +
                     std::visit(DensityText{einsum, einsum.tensors[t]}, densities[t]) + "\n";
    return known.empty() ? text : text + "    densities:\n" + known;
}

std::string write_problem(const Einsum& einsum) {
    std::string dimensions;
    for (const Dimension& dimension : einsum.dimensions)
        dimensions += (dimensions.empty() ? " " : ", ") + dimension.name;
    std::string text = "# " + to_text(einsum) + "\nproblem:\n  version: 0.4\n  shape:\n    name: " +
                       (einsum.name.empty() ? "layer" : einsum.name) + "\n    dimensions: [" + dimensions + " ]\n";
    const std::set<std::int64_t> coefficients = coefficients_of(einsum);
    if (!coefficients.empty()) text += "    coefficients:\n";
    for (const std::int64_t coefficient : coefficients)
        text += "    - { name: " + coefficient_name(coefficient) + ", default: " + std::to_string(coefficient) + " }\n";
    text += "    data_spaces:\n";
    for (const Tensor& tensor : einsum.tensors) text += tensor_text(einsum, tensor);
    text += "  instance:\n";
    for (const Dimension& dimension : einsum.dimensions)
        text += "    " + dimension.name + ": " + std::to_string(dimension.extent) + "\n";
    return text;
}

}  // namespace tilewright::timeloop
