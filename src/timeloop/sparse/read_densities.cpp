#include <filesystem>

#include "timeloop/files/sections.hpp"
#include "timeloop/sparse/full_nest.hpp"
#include "timeloop/sparse/matrix_file.hpp"
#include "timeloop/sparse/read_parts.hpp"

namespace tilewright::timeloop {
namespace {

using yaml::Node;

class DensityReader {
   public:
    DensityReader(const Node& root, const Einsum& einsum) : einsum_(einsum), evaluator_(root) {
        const Node* variables = root.find("variables");
        scope_ = std::make_shared<Scope>(Scope{variables == nullptr ? Node() : *variables, nullptr, false});
        for (const Dimension& dimension : einsum.dimensions) box_.push_back(dimension.extent);
        densities_.resize(einsum.tensors.size());
        places_.resize(einsum.tensors.size());
    }

    /// Places of the densities of read().
    const std::vector<Location>& places() const { return places_; }

    std::vector<sparse::Density> read(const Node& problem) {
        if (const Node* shape = problem.find("shape"); shape != nullptr && shape->is_map()) read_spaces(*shape);
        const Node* inside = problem.find("instance");
        const Node& instance = inside == nullptr ? problem : *inside;
        const Node* given = instance.find("densities");
        if (given != nullptr && !given->is_null())
            for (const Node::Entry& entry : given->entries()) set(tensor_named(entry.key_node, einsum_), entry.value);
        const Node* common = instance.find("commonDensity");
        if (common != nullptr && !common->is_null())
            for (int t = 0; t < einsum_.tensor_count(); ++t) set(t, *common);
        return std::move(densities_);
    }

   private:
    void read_spaces(const Node& shape) {
        const Node* spaces = shape.find("data_spaces");
        if (spaces == nullptr) return;
        for (const Node& space : spaces->items())
            if (const Node* own = space.find("density"); own != nullptr && !own->is_null())
                set(tensor_named(space.at("name"), einsum_), *own);
    }

    void set(int tensor, const Node& node) {
        const sparse::Tile whole = account::tile_of(einsum_.tensors[tensor], box_);
        const sparse::Density density = node.is_map() ? distribution(node, tensor) : fixed(node);
        if (const std::string problem = problem_with(density, whole); !problem.empty())
            node.fail(ErrorCode::bad_value, "'" + einsum_.tensors[tensor].name + "': " + problem);
        densities_[tensor] = density;
        places_[tensor] = node.where();
    }

    double number(const Node& node) {
        refuse_boolean(node, "a density");
        const Value value = evaluator_.value(node, scope_);
        if (!value.is_number()) node.fail(ErrorCode::wrong_type, "a density is a number, found " + to_text(value));
        return value.real();
    }

    std::int64_t whole(const Node& node, const std::string& key) {
        return whole_of(evaluator_.value(node, scope_), node, "'" + key + "'");
    }

    sparse::Density fixed(const Node& node) { return sparse::FixedStructured{number(node)}; }

    sparse::Density distribution(const Node& node, int tensor) {
        static const std::vector<std::string> kKnown{
            "fixed", "fixed_structured", "hypergeometric", "banded", "diagonal", "n:m", "measured"};
        const Node& which = node.at("distribution");
        const std::string name = word_of(which);
        if (name == "n:m") return pattern(node, tensor);
        if (name == "measured") return measured(node);
        node.expect_keys({"distribution", "density", "band_width", "workload_tensor_size"});
        if (name == "fixed" || name == "fixed_structured") return sparse::FixedStructured{number(node.at("density"))};
        if (name == "hypergeometric") return sparse::UniformRandom{number(node.at("density"))};
        if (name == "banded" || name == "diagonal") {
            const Node* width = node.find("band_width");
            return sparse::Banded{width == nullptr || width->is_null() ? 0 : whole(*width, "band_width")};
        }
        which.fail(ErrorCode::unknown_name, "there is no density model '" + name + "'" + did_you_mean(name, kKnown) +
                                                "; known are " + list_words(kKnown));
    }

    /// Our addition: {distribution: "n:m", n: 2, m: 4, along: K}.
    sparse::Density pattern(const Node& node, int tensor) {
        node.expect_keys({"distribution", "n", "m", "along"});
        sparse::Pattern pattern;
        pattern.kept = whole(node.at("n"), "n");
        pattern.of = whole(node.at("m"), "m");
        const Node& along = node.at("along");
        const int dimension = find_dimension(einsum_, along.text());
        const std::vector<Rank>& ranks = einsum_.tensors[tensor].ranks;
        pattern.rank = -1;
        for (int r = 0; r < static_cast<int>(ranks.size()); ++r)
            if (ranks[r].terms.size() == 1 && ranks[r].terms.front().dimension == dimension) pattern.rank = r;
        if (pattern.rank < 0)
            along.fail(ErrorCode::unknown_name,
                       "'" + einsum_.tensors[tensor].name + "' has no rank along '" + along.text() + "' alone");
        return pattern;
    }

    /// Our addition: {distribution: measured, file: weights.npy}.
    static sparse::Density measured(const Node& node) {
        node.expect_keys({"distribution", "file"});
        const Node& file = node.at("file");
        const std::filesystem::path beside = std::filesystem::path(file.where().file).parent_path();
        try {
            return read_matrix_file(beside / file.text());
        } catch (const InputError& error) {
            file.fail(error.code(), error.message());
        }
    }

    const Einsum& einsum_;
    Evaluator evaluator_;
    std::shared_ptr<const Scope> scope_;
    account::Extents box_;
    std::vector<sparse::Density> densities_;
    std::vector<Location> places_;
};

}  // namespace

int tensor_named(const Node& node, const Einsum& einsum) {
    const int tensor = find_tensor(einsum, node.text());
    if (tensor >= 0) return tensor;
    const std::vector<std::string> known = names_of(einsum.tensors);
    const std::string hint = did_you_mean(node.text(), known);
    node.fail(ErrorCode::unknown_tensor, "the problem has no tensor '" + node.text() + "'" +
                                             (hint.empty() ? "; it has " + list_words(known) : hint));
}

std::vector<sparse::Density> read_densities(const Node& root, const Einsum& einsum) {
    const Node* problem = root.find("problem");
    if (problem == nullptr || !problem->is_map()) return std::vector<sparse::Density>(einsum.tensors.size());
    return DensityReader(root, einsum).read(*problem);
}

std::vector<std::string> density_places(const Node& root, const Einsum& einsum) {
    std::vector<std::string> places(einsum.tensors.size());
    const Node* problem = root.find("problem");
    if (problem == nullptr || !problem->is_map()) return places;
    DensityReader reader(root, einsum);
    reader.read(*problem);
    for (std::size_t t = 0; t < places.size(); ++t)
        if (const Location& where = reader.places()[t]; where.line > 0)
            places[t] = where.file + ":" + std::to_string(where.line);
    return places;
}

}  // namespace tilewright::timeloop
