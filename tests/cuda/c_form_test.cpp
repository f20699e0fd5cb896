// The C form of mappings: compiled and run, it computes what the einsum says, and copies as many words as the model
// counts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/files/file.hpp"
#include "codegen/c/program.hpp"
#include "mapping/tiling_point.hpp"
#include "mapping/validity.hpp"
#include "mapspace/mapspace.hpp"
#include "model/exact/model.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "workload/einsum_text.hpp"
#include "workload/shapes.hpp"
#include "workshop.hpp"

namespace tilewright::c_form {
namespace {

using cuda::Case;

std::string main_text(const Case& one, const std::string& name) {
    const std::size_t tensors = one.einsum.tensors.size();
    std::string text = "#include <stdio.h>\nint main(void) {\n";
    std::string arguments;
    for (std::size_t t = 0; t < tensors; ++t) {
        const std::string words = std::to_string(tensor_words(one.einsum, static_cast<int>(t)));
        const std::string array = "a" + std::to_string(t);
        text += "float* " + array + " = malloc(" + words + " * sizeof(float));\n";
        if (!one.einsum.tensors[t].written)
            text += "if (fread(" + array + ", sizeof(float), " + words + ", stdin) != " + words + ") return 1;\n";
        arguments += array + ", ";
    }
    text += "static int64_t counts[MEMORIES][TENSORS][3];\n" + name + "(" + arguments + "counts);\n";
    for (std::size_t t = 0; t < tensors; ++t)
        if (one.einsum.tensors[t].written)
            text += "fwrite(a" + std::to_string(t) + ", sizeof(float), " +
                    std::to_string(tensor_words(one.einsum, static_cast<int>(t))) + ", stdout);\n";
    return text + "fwrite(counts, sizeof counts, 1, stdout);\nreturn 0;\n}\n";
}

/// The words of every tensor at every memory: read, filled, updated.
std::vector<std::int64_t> model_words(const Case& one) {
    std::vector<std::int64_t> words;
    for (const MemoryEvaluation& memory : evaluate(one.einsum, one.architecture, one.mapping).memories)
        for (const TensorTraffic& traffic : memory.tensors)
            for (const double count : {traffic.reads, traffic.fills, traffic.updates})
                words.push_back(static_cast<std::int64_t>(count));
    return words;
}

std::string source_of(const Case& one) {
    return make_program(one.einsum, one.architecture, one.mapping, one.name).source;
}

struct Outcome {
    std::vector<float> result;
    std::vector<std::int64_t> words;  ///< as in model_words()

    bool operator==(const Outcome&) const = default;
};

/// What the einsum and the exact model say.
Outcome expected(const Case& one, const std::vector<std::vector<float>>& arrays) {
    return {cuda::plain_result(one.einsum, arrays), model_words(one)};
}

/// Compiles the source and runs it on the arrays; empty if it ends with an error.
Outcome run(const cuda::Workshop& workshop, const Case& one, const std::string& source,
            const std::vector<std::vector<float>>& arrays) {
    const Outcome model = expected(one, arrays);  // for the sizes
    const std::string stem = (workshop.folder() / one.name).string();
    write_file(stem + ".c",
               source + main_text(one, make_program(one.einsum, one.architecture, one.mapping, one.name).name));
    std::string input;
    for (std::size_t t = 0; t < arrays.size(); ++t)
        if (!one.einsum.tensors[t].written)
            input.append(reinterpret_cast<const char*>(arrays[t].data()), arrays[t].size() * sizeof(float));
    write_file(stem + ".in", input);
    std::string error;
    if (cuda::run_command("cc -std=c99 -O1 -Wall -Werror -o '" + stem + "' '" + stem + ".c' && '" + stem + "' < '" +
                              stem + ".in' > '" + stem + ".out'",
                          error) != 0) {
        ADD_FAILURE() << error;
        return {};
    }
    const std::string output = read_file(stem + ".out");
    Outcome found{std::vector<float>(model.result.size()), std::vector<std::int64_t>(model.words.size())};
    const std::size_t bytes = found.result.size() * sizeof(float);
    if (output.size() != bytes + found.words.size() * sizeof(std::int64_t)) return {};
    std::copy_n(output.data(), bytes, reinterpret_cast<char*>(found.result.data()));
    std::copy_n(output.data() + bytes, output.size() - bytes, reinterpret_cast<char*>(found.words.data()));
    return found;
}

void expect_as_the_model(const cuda::Workshop& workshop, const Case& one, std::uint64_t seed) {
    ASSERT_EQ(problem_with(one.einsum, one.architecture, one.mapping), "");
    const auto arrays = cuda::arrays_for(one.einsum, seed);
    const std::string source = source_of(one);
    const Outcome found = run(workshop, one, source, arrays);
    const Outcome model = expected(one, arrays);
    EXPECT_EQ(found.result, model.result) << one.name << "\n" << source.substr(0, source.find("#include"));
    EXPECT_EQ(found.words, model.words) << one.name << "\n" << source.substr(0, source.find("#include"));
}

/// The `seed`-th random legal mapping of a layer on a machine of the zoo; none: none was found.
std::optional<Case> random_case(const std::string& machine, const Einsum& einsum, const std::string& rule,
                                std::uint64_t seed) {
    const Architecture architecture = cuda::gpu(machine);
    const Mapspace mapspace(einsum, architecture, cuda::gpu_constraints(machine, einsum),
                            factor_rule_named(rule).value());
    TilingPoint point = mapspace.point();
    for (std::uint64_t draw = 0; draw < 20000; ++draw) {
        Random random(Random::split(seed, draw));
        if (!mapspace.sample(random, point)) continue;
        const std::optional<Mapping> mapping = tilewright::mapping_of(point, einsum);
        if (mapping && check(einsum, architecture, *mapping).empty())
            return Case{machine + ("-" + std::to_string(seed)), einsum, architecture, *mapping};
    }
    return std::nullopt;
}

/// Layers of ResNet-18 and of a BERT block, each kind and each stride, with fewer channels, positions and tokens.
std::vector<Einsum> small_layers() {
    return {conv2d(3, 8, 9, 7, 2),   // the first layer
            conv2d(6, 6, 7, 3, 1),   // 3 x 3
            conv2d(6, 10, 5, 3, 2),  // and with a stride
            conv2d(6, 10, 5, 1, 2),  // a shortcut
            gemm(1, 12, 10),         // the classifier
            gemm(6, 12, 16),         // projections
            parse_einsum("S[h,m,n] += Q[h,m,k] * K[h,n,k]", {{"h", 3}, {"m", 6}, {"n", 6}, {"k", 4}}),
            parse_einsum("O[h,m,k] += P[h,m,n] * V[h,n,k]", {{"h", 3}, {"m", 6}, {"n", 6}, {"k", 4}})};
}

/// Every layer of ResNet-18, and of a BERT block of 128 tokens; each shape once.
std::vector<Einsum> whole_layers() {
    std::vector<Einsum> layers{conv2d(3, 64, 112, 7, 2)};
    for (const std::int64_t channels : {64, 128, 256, 512}) {
        const std::int64_t size = 3584 / channels;
        if (channels > 64) {
            layers.push_back(conv2d(channels / 2, channels, size, 3, 2));
            layers.push_back(conv2d(channels / 2, channels, size, 1, 2));
        }
        layers.push_back(conv2d(channels, channels, size, 3, 1));
    }
    layers.push_back(gemm(1, 512, 1000));
    for (const auto& [inner, columns] : {std::pair{768, 768}, {768, 3072}, {3072, 768}})
        layers.push_back(gemm(128, inner, columns));
    layers.push_back(batched_matmul(12, 128, 64, 128));
    layers.push_back(batched_matmul(12, 128, 128, 64));
    return layers;
}

// Many minutes: the test c_form_whole, labelled long. From layer C_FORM_FIRST on.
TEST(CForm, WholeNetworks) {
    const char* first = std::getenv("C_FORM_FIRST");
    const cuda::Workshop workshop;
    const std::vector<Einsum> layers = whole_layers();
    for (std::size_t i = first == nullptr ? 0 : std::strtoull(first, nullptr, 10); i < layers.size(); ++i) {
        const std::optional<Case> one = random_case("eyeriss", layers[i], "perfect", i);
        ASSERT_TRUE(one) << i;
        expect_as_the_model(workshop, *one, i);
        fmt::print("{} of {}: {} operations\n", i + 1, layers.size(), operation_count(layers[i]));
        std::fflush(stdout);
    }
}

TEST(CForm, ComputesAndCopiesWhatTheModelSays) {
    const cuda::Workshop workshop;
    int compared = 0;
    std::uint64_t seed = 0;
    for (const Einsum& einsum : small_layers())
        for (const char* machine : {"eyeriss", "simple-weight-stationary", "k80"})
            for (const char* rule : {"perfect", "ruby"}) {
                const std::optional<Case> one = random_case(machine, einsum, rule, ++seed);
                if (!one) continue;
                expect_as_the_model(workshop, *one, seed);
                ++compared;
            }
    EXPECT_GT(compared, 40);
}

// The judge denies: each fault of the program shows in the result or in the counts of some layer.
TEST(CForm, FaultsOfTheProgramShow) {
    struct Fault {
        const char* what;
        const char* right;
        const char* wrong;
    };
    const Fault faults[] = {
        {"sums that leave a tile are lost", "from->words[index_in(&from->tile, e)] += *word;", ";"},
        {"sums of neighbours are not gathered", "to->words[index_in(&to->tile, e)] += *word;", "(void)to;"},
        {"a sum goes on from the memory outside at once", "is_new(here->held, index)",
         "is_new(here->held, index) && 0"},
        {"a tile stays though it has changed", "const int reused = stays(here, tile);",
         "const int reused = (stays(here, tile), here->has);"},
        {"every tile is copied whole", "const int reused = stays(here, tile);",
         "stays(here, tile); const int reused = 0;"},
        {"neighbours do not share", "kBlock[m] > 1 && ", "kBlock[m] > 1000000 && "},
        {"first updates are read", "accesses[m][t] - first[m][t]", "accesses[m][t]"}};
    const cuda::Workshop workshop;
    for (const Fault& fault : faults) {
        bool shows = false;
        std::uint64_t seed = 0;
        for (const Einsum& einsum : small_layers()) {
            if (shows) break;
            const std::optional<Case> one = random_case("eyeriss", einsum, "perfect", ++seed);
            ASSERT_TRUE(one);
            std::string source = source_of(*one);
            const std::size_t at = source.find(fault.right);
            ASSERT_NE(at, std::string::npos) << fault.what;
            source.replace(at, std::strlen(fault.right), fault.wrong);
            const auto arrays = cuda::arrays_for(one->einsum, seed);
            shows = run(workshop, *one, source, arrays) != expected(*one, arrays);
        }
        EXPECT_TRUE(shows) << fault.what;
    }
}

// Nor does a mapping with other counts have the same program: two neighbouring loops in the other order.
TEST(CForm, AnotherOrderHasOtherCounts) {
    const cuda::Workshop workshop;
    int differ = 0;
    std::uint64_t seed = 0;
    for (const Einsum& einsum : small_layers()) {
        const std::optional<Case> one = random_case("eyeriss", einsum, "perfect", ++seed);
        ASSERT_TRUE(one);
        Case other = *one;
        for (std::size_t i = 0; i + 1 < other.mapping.nodes.size() && model_words(other) == model_words(*one); ++i) {
            other = *one;
            std::swap(other.mapping.nodes[i], other.mapping.nodes[i + 1]);
            if (!check(einsum, other.architecture, other.mapping).empty()) other = *one;
        }
        if (model_words(other) == model_words(*one)) continue;
        const auto arrays = cuda::arrays_for(einsum, seed);
        const Outcome found = run(workshop, other, source_of(other), arrays);
        EXPECT_EQ(found, expected(other, arrays));
        EXPECT_NE(found.words, model_words(*one));
        ++differ;
    }
    EXPECT_GE(differ, 4);
}

TEST(CForm, RefusesWhatItCannotSay) {
    const std::optional<Case> one = random_case("eyeriss", gemm(4, 4, 4), "perfect", 1);
    ASSERT_TRUE(one);
    Mapping uneven = one->mapping;
    const auto store =
        std::ranges::find_if(uneven.nodes, [](const Node& node) { return std::holds_alternative<Store>(node); });
    uneven.nodes.push_back(*store);
    EXPECT_NE(problem_with(one->einsum, one->architecture, uneven), "");
}

}  // namespace
}  // namespace tilewright::c_form
