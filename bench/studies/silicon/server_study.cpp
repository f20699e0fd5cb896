// Predicted servers beside measured ones: silicon_servers servers.csv [--every N | --rows]
//
// --rows: a line for each server, to look for what errors go with.
//
// Errors of the time per token and to the first token, by model, machine and engine, and of all dense models and
// mixtures; the rank correlation of the time per token over the rows of each.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "native/models/engines.hpp"
#include "server_rows.hpp"
#include "silicon/accuracy.hpp"
#include "silicon/files/accelerator.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::silicon_study {
namespace {

struct Pairs {
    std::vector<double> predicted;
    std::vector<double> measured;
};

void print(const std::string& name, const Pairs& pairs) {
    if (pairs.predicted.size() < 5) return;
    const silicon::Accuracy reached = silicon::accuracy_of(pairs.predicted, pairs.measured);
    fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:+.1f} | {:.3f} |\n", name, reached.cases,
               100.0 * reached.median, 100.0 * reached.mean, 100.0 * reached.ninetieth, 100.0 * reached.bias,
               reached.rank);
}

class Study {
   public:
    explicit Study(bool rows) : rows_(rows) {
        if (rows_)
            fmt::print(
                "row,model,machine,engine,mode,tensor,data,pipeline,expert,expert_tensor,requests,prompt,output,"
                "experts,"
                "kv_bytes,step_us,tpot_us,measured_tpot_us,ttft_us,measured_ttft_us\n");
    }

    void add(std::size_t index, const ServerRow& row, const DecoderSizes& sizes) {
        const llm::ServerOf& server = server_of(row, sizes);
        const llm::Served served = llm::served_case(server, row.deployment, row.load).served;
        if (rows_) return print_row(index, row, served);
        const std::string kind = sizes.experts > 0 ? "mixtures" : "dense";
        const std::string apart = row.deployment.prefill ? "apart, " : "";
        const auto note = [&](const std::string& name, double predicted, double measured) {
            Pairs& pairs = groups_[name];
            pairs.predicted.push_back(predicted);
            pairs.measured.push_back(measured);
        };
        for (const std::string& name : {row.model + " " + row.machine + " " + row.engine, "~ all " + kind})
            note("a token, " + apart + name, served.tpot_us, row.tpot_us);
        if (row.ttft_us) note("first token, " + apart + "~ all " + kind, served.ttft_us, *row.ttft_us);
    }

    void print_all() const {
        if (rows_) return;
        fmt::print("| time of | rows | median | mean | 90th percentile | bias | rank correlation |\n");
        fmt::print("|---|---|---|---|---|---|---|\n");
        for (const auto& [name, pairs] : groups_) print(name, pairs);
    }

   private:
    static void print_row(std::size_t index, const ServerRow& row, const llm::Served& served) {
        const llm::Layout& one = row.deployment.layout;
        fmt::print("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.0f},{:.0f},{:.0f},{:.0f},{:.0f}\n", index,
                   row.model, row.machine, row.engine, row.deployment.prefill ? "apart" : "together", one.tensor,
                   one.data, one.pipeline, one.expert, one.expert_tensor, row.load.requests, row.load.prompt,
                   row.load.output, silicon::name_of(row.words.experts), row.words.kv_bytes, served.step_us,
                   served.tpot_us, row.tpot_us, served.ttft_us, row.ttft_us.value_or(0.0));
    }

    const llm::ServerOf& server_of(const ServerRow& row, const DecoderSizes& sizes) {
        const std::string key =
            fmt::format("{} {} {} {} {} {}", row.machine, row.engine, row.model, static_cast<int>(row.words.products),
                        static_cast<int>(row.words.experts), row.words.kv_bytes);
        const auto known = servers_.find(key);
        if (known != servers_.end()) return known->second;
        const yaml::Node root = timeloop::zoo_architecture(row.machine);
        const auto machine = silicon::read_accelerator(root, timeloop::read_architecture(root), row.engine);
        return servers_
            .emplace(key,
                     llm::kernel_server(*machine, sizes, row.words, native::engine_named(row.engine), std::nullopt))
            .first->second;
    }

    bool rows_;
    std::map<std::string, llm::ServerOf> servers_;
    std::map<std::string, Pairs> groups_;
};

void run(const std::string& file, std::size_t every, bool each) {
    const Table rows = Table::read(file);
    Study study(each);
    for (std::size_t i = 0; i < rows.size(); i += every) {
        const std::optional<DecoderSizes> sizes = sizes_of(rows.text(i, "model_path"));
        if (!sizes) continue;
        if (const std::optional<ServerRow> row = server_row(rows, i, *sizes)) study.add(i, *row, *sizes);
    }
    study.print_all();
}

}  // namespace
}  // namespace tilewright::silicon_study

int main(int count, char** words) {
    const std::vector<std::string> all(words + 1, words + count);
    const bool each = all.size() == 2 && all[1] == "--rows";
    if (all.size() != 1 && !each && !(all.size() == 3 && all[1] == "--every")) {
        fmt::print(stderr, "usage: silicon_servers servers.csv [--every N | --rows]\n");
        return 2;
    }
    tilewright::silicon_study::run(all.front(), all.size() == 3 ? std::stoul(all[2]) : 1, each);
    return 0;
}
