#include "nest.hpp"

#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "workload/einsum_text.hpp"

namespace tilewright::property {
namespace {

std::string mesh_text(const Mesh& mesh) { return std::to_string(mesh.x) + "x" + std::to_string(mesh.y); }

std::string loop_text(const Einsum& einsum, const Loop& loop) {
    std::string text = "  for " + einsum.dimensions[loop.dimension].name + " " + std::to_string(loop.extent);
    if (!loop.is_perfect()) text += " remainder " + std::to_string(loop.remainder);
    if (loop.kind == LoopKind::spatial_x) text += " across X";
    if (loop.kind == LoopKind::spatial_y) text += " across Y";
    return text + "\n";
}

std::string store_text(const Nest& nest, const Store& store) {
    const Memory& memory = nest.architecture.memories[store.memory];
    std::string text = "memory " + mesh_text(memory.mesh) + (memory.spreads_only ? " spreads" : " keeps");
    if (memory.spreads_only) return text + "\n";
    for (int t = 0; t < nest.einsum.tensor_count(); ++t)
        if (store.tensors.has(t)) text += " " + nest.einsum.tensors[t].name;
    return text + (store.tensors.empty() ? " nothing\n" : "\n");
}

/// Reads a nest line by line.
class Parser {
   public:
    Nest parse(std::string_view text) {
        std::istringstream lines{std::string(text)};
        for (std::string line; std::getline(lines, line);) {
            line_ = line;
            std::istringstream words(line);
            std::string kind;
            if (words >> kind) read(kind, words);
        }
        if (!restore_remainders(nest_.mapping, nest_.einsum)) fail("the loops do not cover the extents");
        return std::move(nest_);
    }

   private:
    [[noreturn]] void fail(const std::string& why) const { throw std::invalid_argument(why + ": '" + line_ + "'"); }

    void read(const std::string& kind, std::istringstream& words) {
        if (kind == "einsum") {
            std::getline(words, einsum_);
        } else if (kind == "extents") {
            read_extents(words);
        } else if (kind == "memory") {
            read_memory(words);
        } else if (kind == "for") {
            read_loop(words);
        } else if (kind == "compute") {
            nest_.architecture.compute.mesh = read_mesh(words);
            nest_.architecture.compute.instances = nest_.architecture.compute.mesh.size();
        } else {
            fail("expected einsum, extents, memory, for or compute");
        }
    }

    void read_extents(std::istringstream& words) {
        std::vector<std::pair<std::string, std::int64_t>> extents;
        for (std::string word; words >> word;) {
            const std::size_t equals = word.find('=');
            if (equals == std::string::npos) fail("expected name=extent");
            extents.emplace_back(word.substr(0, equals), std::stoll(word.substr(equals + 1)));
        }
        nest_.einsum = lenient_einsum(extents);
    }

    /// Shrunk einsums may lack operands and leave dimensions unused, which parse_einsum refuses: one more operand
    /// helps.
    Einsum lenient_einsum(const std::vector<std::pair<std::string, std::int64_t>>& extents) const {
        std::string text = einsum_;
        text += text.find('[', text.find("+=")) == std::string::npos ? " Helper[" : " * Helper[";
        for (const auto& [name, extent] : extents) text += (text.ends_with('[') ? "" : ", ") + name;
        Einsum einsum = parse_einsum(text + "]", extents);
        std::erase_if(einsum.tensors, [](const Tensor& tensor) { return tensor.name == "Helper"; });
        return einsum;
    }

    Mesh read_mesh(std::istringstream& words) const {
        Mesh mesh;
        char by = ' ';
        if (!(words >> mesh.x >> by >> mesh.y) || by != 'x') fail("expected a mesh like 4x2");
        return mesh;
    }

    void read_memory(std::istringstream& words) {
        Memory memory;
        memory.name = "M" + std::to_string(nest_.architecture.memory_count());
        memory.mesh = read_mesh(words);
        memory.instances = memory.mesh.size();
        std::string word;
        words >> word;
        memory.spreads_only = word == "spreads";
        Store store{nest_.architecture.memory_count(), {}};
        while (words >> word) {
            if (word == "nothing") continue;
            const int tensor = find_tensor(nest_.einsum, word);
            if (tensor < 0) fail("unknown tensor " + word);
            store.tensors.add(tensor);
        }
        nest_.architecture.memories.push_back(std::move(memory));
        nest_.mapping.nodes.emplace_back(store);
    }

    void read_loop(std::istringstream& words) {
        Loop loop;
        std::string name, word, axis;
        if (!(words >> name >> loop.extent)) fail("expected a dimension and an extent");
        loop.dimension = find_dimension(nest_.einsum, name);
        if (loop.dimension < 0) fail("unknown dimension " + name);
        while (words >> word >> axis)
            if (word == "across") loop.kind = axis == "Y" ? LoopKind::spatial_y : LoopKind::spatial_x;
        nest_.mapping.nodes.emplace_back(loop);
    }

    std::string line_;
    std::string einsum_;
    Nest nest_;
};

}  // namespace

std::string to_text(const Nest& nest) {
    std::string text = "einsum " + tilewright::to_text(nest.einsum) + "\nextents";
    for (const Dimension& dimension : nest.einsum.dimensions)
        text += " " + dimension.name + "=" + std::to_string(dimension.extent);
    text += "\n";
    for (const Node& node : nest.mapping.nodes) {
        if (const Store* store = std::get_if<Store>(&node))
            text += store_text(nest, *store);
        else
            text += loop_text(nest.einsum, std::get<Loop>(node));
    }
    return text + "compute " + mesh_text(nest.architecture.compute.mesh) + "\n";
}

Nest parse_nest(std::string_view text) { return Parser().parse(text); }

bool passes_with_remainders(const Nest& nest, int memory, int tensor) {
    if (is_perfect(nest.mapping)) return false;
    const std::vector<MappingLevel> levels = levels_of(nest.mapping, nest.architecture.memory_count());
    bool spread = false;
    for (std::size_t m = memory; m + 1 < levels.size() && !levels[m + 1].keep.has(tensor); ++m)
        spread = spread || !levels[m].spatial.empty();
    return spread;
}

}  // namespace tilewright::property
