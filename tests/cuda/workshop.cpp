#include "workshop.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/files/file.hpp"
#include "base/numbers/random.hpp"
#include "codegen/cuda/kernel.hpp"
#include "mapping/tile.hpp"
#include "mapping/tiling_point.hpp"
#include "mapping/validity.hpp"
#include "mapspace/factors/factor_rule.hpp"
#include "mapspace/mapspace.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::cuda {
namespace {

constexpr const char* kEmulation = "tests/cuda/emulation";

std::vector<Loop> loops_of(const Nest::Factors& factors, const Einsum& einsum, LoopKind kind) {
    std::vector<Loop> loops;
    for (const auto& [name, extent] : factors) loops.push_back({find_dimension(einsum, name), extent, extent, kind});
    return loops;
}

std::size_t words_of(const Einsum& einsum, int tensor) {
    return static_cast<std::size_t>(tensor_words(einsum, tensor));
}

// The word of a tensor at one iteration.
std::size_t address(const Einsum& einsum, const Tensor& tensor, const std::vector<std::int64_t>& iteration) {
    std::int64_t word = 0;
    for (const Rank& rank : tensor.ranks) {
        std::int64_t extent = 1;
        std::int64_t index = 0;
        for (const Term& term : rank.terms) {
            extent += term.coefficient * (einsum.dimensions[term.dimension].extent - 1);
            index += term.coefficient * iteration[term.dimension];
        }
        word = word * extent + index;
    }
    return static_cast<std::size_t>(word);
}

// The next iteration, last dimension fastest; false after the last one.
bool advance(const Einsum& einsum, std::vector<std::int64_t>& iteration) {
    for (int d = einsum.dimension_count(); d-- > 0;) {
        if (++iteration[d] < einsum.dimensions[d].extent) return true;
        iteration[d] = 0;
    }
    return false;
}

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

}  // namespace

Architecture gpu(const std::string& name) { return timeloop::read_architecture(timeloop::zoo_architecture(name)); }

Constraints gpu_constraints(const std::string& name, const Einsum& einsum) {
    return timeloop::read_constraints(timeloop::zoo_architecture(name), gpu(name), einsum);
}

Mapping mapping_of(const Nest& nest, const Einsum& einsum, const Architecture& architecture) {
    std::vector<MappingLevel> levels(architecture.memories.size());
    const TensorSet all = TensorSet::all(einsum.tensor_count());
    int storing = 0;
    for (std::size_t m = 0; m < levels.size(); ++m) {
        if (architecture.memories[m].spreads_only) {
            levels[m].spatial = loops_of(storing == 1 ? nest.block : nest.thread, einsum, LoopKind::spatial_x);
            continue;
        }
        levels[m].keep = all;
        if (++storing == 1) levels[m].temporal = loops_of(nest.tile, einsum, LoopKind::temporal);
        if (storing == 3) levels[m].temporal = loops_of(nest.point, einsum, LoopKind::temporal);
        if (storing != 2) continue;
        levels[m].temporal = loops_of(nest.step, einsum, LoopKind::temporal);
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (einsum.tensors[t].written) levels[m].keep.remove(t);
        for (const std::string& tensor : nest.unstaged) levels[m].keep.remove(find_tensor(einsum, tensor));
    }
    Mapping mapping = tilewright::mapping_of(levels);
    if (!restore_remainders(mapping, einsum)) throw std::logic_error("the loops do not cover the einsum");
    return mapping;
}

Mapping random_mapping(const std::string& gpu_name, const Einsum& einsum, const std::string& factor_rule,
                       std::uint64_t seed) {
    const Architecture architecture = gpu(gpu_name);
    const Mapspace mapspace(einsum, architecture, gpu_constraints(gpu_name, einsum),
                            factor_rule_named(factor_rule).value());
    TilingPoint point = mapspace.point();
    for (std::uint64_t draw = 0; draw < 100000; ++draw) {
        Random random(Random::split(seed, draw));
        if (!mapspace.sample(random, point)) continue;
        const std::optional<Mapping> mapping = tilewright::mapping_of(point, einsum);
        if (mapping && check(einsum, architecture, *mapping).empty()) return *mapping;
    }
    throw std::logic_error("no legal mapping of " + einsum.name);
}

std::vector<std::vector<float>> arrays_for(const Einsum& einsum, std::uint64_t seed) {
    Random random(Random::split(seed, 0));
    std::vector<std::vector<float>> arrays;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        arrays.emplace_back(words_of(einsum, t), std::numeric_limits<float>::quiet_NaN());
        if (einsum.tensors[t].written) continue;
        for (float& word : arrays.back()) word = static_cast<float>(random.below(9)) - 4.0F;
    }
    return arrays;
}

std::vector<float> plain_result(const Einsum& einsum, const std::vector<std::vector<float>>& arrays) {
    int written = 0;
    while (!einsum.tensors[written].written) ++written;
    std::vector<float> result(words_of(einsum, written), 0.0F);
    std::vector<std::int64_t> iteration(einsum.dimensions.size(), 0);
    do {
        float product = 1.0F;
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (t != written) product *= arrays[t][address(einsum, einsum.tensors[t], iteration)];
        result[address(einsum, einsum.tensors[written], iteration)] += product;
    } while (advance(einsum, iteration));
    return result;
}

int run_command(const std::string& command, std::string& output) {
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return -1;
    std::array<char, 4096> buffer;
    for (std::size_t read = 0; (read = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        output.append(buffer.data(), read);
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Workshop::Workshop() {
    std::string name = (std::filesystem::temp_directory_path() / "tilewright-cuda-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
}

Workshop::~Workshop() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

bool Workshop::compile(const std::vector<Case>& cases, std::string& error) {
    std::string main = "#include \"runner.hpp\"\n";
    std::string table;
    for (const Case& one : cases) {
        const Kernel kernel = make_kernel(one.einsum, one.architecture, one.mapping, one.name);
        write_file(folder_ / (one.name + ".cu"), kernel.source);
        main += "#include \"" + one.name + ".cu\"\n";
        std::string words;
        for (int t = 0; t < one.einsum.tensor_count(); ++t) words += std::to_string(words_of(one.einsum, t)) + ",";
        table += "    {\"" + one.name + "\", {" + words + "}, [](float* a, float* b, float* c) { return " +
                 kernel.name + "(a, b, c, nullptr); }},\n";
    }
    main += "int main(int, char** argv) {\n    const emulation::Case cases[] = {\n" + table +
            "    };\n    return emulation::run(cases[std::atoi(argv[1])]);\n}\n";
    write_file(folder_ / "main.cpp", main);
    const std::string include = quoted(std::filesystem::absolute(kEmulation));
    return run_command(std::string(TILEWRIGHT_HOST_COMPILER) + " -std=c++17 -w -O0 -I " + include + " -o " +
                           quoted(folder_ / "runner") + " " + quoted(folder_ / "main.cpp"),
                       error) == 0;
}

std::vector<std::vector<float>> Workshop::run(const std::vector<Case>& cases, std::string& error) {
    std::vector<std::vector<float>> results(cases.size());
    if (!compile(cases, error)) return results;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        std::string bytes;
        for (const std::vector<float>& array : arrays_for(cases[i].einsum, i))
            bytes.append(reinterpret_cast<const char*>(array.data()), array.size() * sizeof(float));
        write_file(folder_ / (cases[i].name + ".in"), bytes);
        const std::string command = "cd " + quoted(folder_) + " && ./runner " + std::to_string(i);
        if (run_command(command, error) == 0)
            results[i] = run_one(cases[i], error);
        else
            error += "\n" + cases[i].name + " did not run to its end\n";
    }
    return results;
}

// The operands have to come back as they were.
std::vector<float> Workshop::run_one(const Case& one, std::string& error) {
    const std::string before = read_file(folder_ / (one.name + ".in"));
    const std::string after = read_file(folder_ / (one.name + ".out"));
    std::vector<float> result;
    std::size_t offset = 0;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        const std::size_t bytes = words_of(one.einsum, t) * sizeof(float);
        if (one.einsum.tensors[t].written) {
            result.resize(bytes / sizeof(float));
            std::memcpy(result.data(), after.data() + offset, bytes);
        } else if (before.compare(offset, bytes, after, offset, bytes) != 0) {
            error += one.name + " writes to its operand " + one.einsum.tensors[t].name + "\n";
            return {};
        }
        offset += bytes;
    }
    return result;
}

}  // namespace tilewright::cuda
