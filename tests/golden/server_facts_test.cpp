// Servers of language models beside their specification's check values, and beside measured ones where ../shared is.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files/file.hpp"
#include "llm/server/best.hpp"
#include "llm/server/engine.hpp"
#include "native/models/engines.hpp"
#include "native/models/language_model.hpp"
#include "native/models/requests.hpp"
#include "server_rows.hpp"
#include "silicon/accuracy.hpp"
#include "silicon/files/accelerator.hpp"
#include "table.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::server_facts_test {
namespace {

using silicon::Precision;

const std::filesystem::path kShared = "../shared/golden/silicon2";

silicon::Accelerator accelerator(const std::string& machine, const std::string& kernels) {
    const yaml::Node root = timeloop::zoo_architecture(machine);
    return *silicon::read_accelerator(root, timeloop::read_architecture(root), kernels);
}

llm::ServerOf server(const std::string& machine, const llm::Engine& engine, const DecoderSizes& sizes,
                     const llm::ServedWords& words, double memory_bytes = 141e9) {
    return llm::kernel_server(accelerator(machine, engine.name == "none" ? "vllm" : engine.name), sizes, words, engine,
                              memory_bytes);
}

// csv.gz as csv in the folder of tests.
std::string unpacked(const std::string& name) {
    const std::string to = testing::TempDir() + name + ".csv";
    const std::string command = "gzip -dc '" + (kShared / (name + ".csv.gz")).string() + "' > '" + to + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return to;
}

TEST(ServerFacts, CheckValuesOfServersAreReached) {
    std::vector<std::string> notes;
    const llm::ServedCase llama =
        llm::served_case(server("h200-sxm", native::engine_named("trtllm"), *zoo_decoder("llama3-70b"),
                                {Precision::fp8, Precision::fp8, 1.0}),
                         {{.tensor = 4}, {}}, {64, 1024, 1024});
    EXPECT_NEAR(llama.served.step_us, 10'760.3, 0.1);
    EXPECT_NEAR(llama.served.tpot_us, 13'459.1, 0.1);
    EXPECT_NEAR(llama.served.ttft_us, 426'027.0, 1.0);
    silicon::Accelerator specified = accelerator("b200", "vllm");  // ours has other constants of prefill since
    specified.form.prefill[1] = {.rate_share = 0.891,
                                 .least_width = 18.1,
                                 .exponentials = 1.28,
                                 .step_overlap = 3.27,
                                 .block_us = 1.17,
                                 .fix_us = 9.53,
                                 .write_factor = 4.21,
                                 .request_us = 0.934,
                                 .bytes_factor = 0.597,
                                 .overlap = 1.0,
                                 .packed_heads = 64.0,
                                 .rows = 64.0};
    const llm::ServedCase mixture = llm::served_case(
        llm::kernel_server(specified, native::published_model("MiniMaxAI/MiniMax-M2.5", notes).value(),
                           {Precision::fp8_block, Precision::fp8_block, 2.0}, native::engine_named("vllm"), 141e9),
        {{.tensor = 4, .expert_tensor = 4}, {}}, {32, 1024, 1024});
    EXPECT_NEAR(mixture.served.step_us, 10'690.6, 0.1);
    EXPECT_NEAR(mixture.served.tpot_us, 11'076.7, 0.1);
    EXPECT_NEAR(mixture.served.ttft_us, 142'362.0, 1.0);
}

// Billions of parameters in the models' names, or their publishers' words.
TEST(ServerFacts, PublishedModelsHaveTheirParameters) {
    std::vector<std::string> notes;
    for (const auto& [name, billions] : {std::pair{"meta-llama/Llama-3.1-405B-Instruct", 405.0},
                                         {"Qwen/Qwen2.5-72B", 72.7},
                                         {"Qwen/Qwen3-235B-A22B-FP8", 235.0},
                                         {"Qwen/Qwen2-57B-A14B", 57.4},
                                         {"mistralai/Mixtral-8x22B-v0.1", 141.0},
                                         {"deepseek-ai/DeepSeek-V2", 236.0},
                                         {"deepseek-ai/DeepSeek-V2-Lite", 15.7},
                                         {"deepseek-ai/DeepSeek-R1", 671.0},
                                         {"moonshotai/Kimi-K2-Instruct", 1026.0},
                                         {"MiniMaxAI/MiniMax-M2.5", 229.0},
                                         {"google/gemma-2-27b-it", 27.2},
                                         {"microsoft/phi-4", 14.7},
                                         {"microsoft/Phi-3.5-MoE-instruct", 41.9}}) {
        const std::optional<DecoderSizes> sizes = native::published_model(name, notes);
        ASSERT_TRUE(sizes) << name;
        EXPECT_NEAR(llm::weight_bytes(*sizes, {}, {}) / 2e9, billions, 0.006 * billions) << name;
    }
    EXPECT_FALSE(native::published_model("gpt-5", notes));
}

TEST(ServerFacts, TheRecordedTraceIsReached) {
    if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "there is no folder " << kShared;
    const std::string file = unpacked("serving-RTX4090-llama3.1-8b-requests");
    const native::RequestFile trace = native::read_requests(read_file(file), file);
    ASSERT_EQ(trace.measured.size(), 300);
    llm::Engine engine = native::engine_named("vllm");
    engine.places = 256;
    engine.step_tokens = 2048;
    engine.blocks = 2588;
    const llm::Simulated found =
        llm::serve_requests(server("rtx4090", engine, *zoo_decoder("llama3-8b"), {}, 24e9), {}, trace.requests);
    std::vector<double> first[2];
    std::vector<double> last[2];
    for (std::size_t i = 0; i < trace.requests.size(); ++i) {
        const double arrival = trace.requests[i].arrival_s;
        first[0].push_back(found.requests[i].first_s - arrival);
        first[1].push_back(trace.measured[i].first_s - arrival);
        last[0].push_back(found.requests[i].last_s - arrival);
        last[1].push_back(trace.measured[i].last_s - arrival);
    }
    EXPECT_LT(silicon::accuracy_of(first[0], first[1]).median, 0.024);
    EXPECT_LT(silicon::accuracy_of(last[0], last[1]).median, 0.02);
}

// Each 12th row; the bar of dense models.
TEST(ServerFacts, MeasuredServersAreNear) {
    if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "there is no folder " << kShared;
    const silicon_study::Table rows = silicon_study::Table::read(unpacked("servers"));
    std::vector<double> predicted;
    std::vector<double> measured;
    for (std::size_t i = 0; i < rows.size(); i += 12) {
        const auto sizes = silicon_study::sizes_of(rows.text(i, "model_path"));
        if (!sizes || sizes->experts > 0) continue;
        const auto row = silicon_study::server_row(rows, i, *sizes);
        if (!row || row->deployment.prefill) continue;
        const llm::ServerOf one = server(row->machine, native::engine_named(row->engine), *sizes, row->words);
        predicted.push_back(llm::served_case(one, row->deployment, row->load).served.tpot_us);
        measured.push_back(row->tpot_us);
    }
    ASSERT_GT(predicted.size(), 30);
    const silicon::Accuracy reached = silicon::accuracy_of(predicted, measured);
    EXPECT_LT(reached.median, 0.08);
    EXPECT_GT(reached.rank, 0.96);
}

}  // namespace
}  // namespace tilewright::server_facts_test
