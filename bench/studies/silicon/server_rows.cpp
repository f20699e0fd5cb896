#include "server_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "native/models/language_model.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::silicon_study {
namespace {

using silicon::Precision;

constexpr std::int64_t kWide = 8;  // devices of a node

class Row {
   public:
    Row(const Table& rows, std::size_t row, const DecoderSizes& sizes) : rows_(rows), row_(row), sizes_(sizes) {}

    std::string text(const std::string& column) const { return rows_.text(row_, column); }
    std::int64_t count(const std::string& column) const {
        const std::string& cell = rows_.text(row_, column);
        return cell.empty() || cell == "0" ? 1 : std::stoll(cell);
    }
    bool apart() const { return text("mode") == "disagg"; }

    llm::Layout layout(const std::string& part) const {
        llm::Layout one;
        one.tensor = count(part + "tp_size");
        one.data = count(part + "attention_dp_size");
        one.pipeline = count(part + "pp_size");
        one.expert = count(part + "moe_ep_size");
        one.expert_tensor = count(part + "moe_tp_size");
        if (one.expert_tensor == one.expert && one.expert > 1) {
            if (one.data > 1) {
                one.data = one.expert;
                one.tensor = 1;
            } else {
                one.tensor = one.expert;
            }
            one.expert_tensor = 1;
        } else if (one.tensor > kWide || one.data > 1) {
            one.data = std::max(one.tensor, one.data);
            one.tensor = one.expert_tensor = 1;
            one.expert = one.data;
            while (sizes_.experts > 0 && sizes_.experts % one.expert != 0) --one.expert;
        } else if (sizes_.experts > 0 && one.expert * one.expert_tensor < one.tensor) {
            one.expert_tensor = one.tensor / one.expert;
        }
        return one;
    }

    // 8-bit weights of mixtures come in blocks; gpt-oss has 4-bit experts.
    llm::ServedWords words() const {
        llm::ServedWords words;
        const std::map<std::string, Precision> named{
            {"fp8", Precision::fp8}, {"fp8_block", Precision::fp8_block}, {"nvfp4", Precision::nvfp4}};
        const auto precision = [&](const std::string& name) {
            const auto found = named.find(name);
            return found == named.end() ? Precision::bfloat16 : found->second;
        };
        words.products = precision(text("gemm_quant_mode"));
        words.experts = text("moe_quant_mode").empty() ? words.products : precision(text("moe_quant_mode"));
        if (text("moe_quant_mode") == "int4_wo") words.experts = Precision::int4_weights;
        if (text("model_path").starts_with("openai/gpt-oss")) {
            words.products = Precision::bfloat16;
            words.experts = Precision::mxfp4_weights;
        }
        if (sizes_.experts > 0)
            for (Precision* one : {&words.products, &words.experts})
                if (*one == Precision::fp8) *one = Precision::fp8_block;
        words.kv_bytes = text("backend") == "trtllm" && words.products != Precision::bfloat16 ? 1.0 : 2.0;
        return words;
    }

    // Requests of one rank.
    std::int64_t batch(const llm::Layout& layout) const {
        if (apart()) return count("decode_batch_size");
        const bool product = count("moe_tp_size") == count("moe_ep_size") && count("moe_ep_size") > 1;
        if (layout.data == 1 || (!product && count("tp_size") <= kWide)) return count("batch_size");
        const std::int64_t all = text("concurrency").empty() ? count("batch_size") : count("concurrency");
        return std::max<std::int64_t>(1, std::llround(static_cast<double>(all) / static_cast<double>(layout.data)));
    }

   private:
    const Table& rows_;
    std::size_t row_;
    const DecoderSizes& sizes_;
};

}  // namespace

std::optional<DecoderSizes> sizes_of(const std::string& model) {
    if (std::optional<DecoderSizes> sizes = zoo_decoder(zoo_name_of(model))) return sizes;
    std::vector<std::string> notes;
    return native::published_model(model, notes);
}

std::optional<ServerRow> server_row(const Table& rows, std::size_t index, const DecoderSizes& sizes) {
    const std::map<std::string, std::string> machines{{"h100_sxm", "h100"}, {"h200_sxm", "h200-sxm"},
                                                      {"b200_sxm", "b200"}, {"gb200", "gb200"},
                                                      {"b300_sxm", "b300"}, {"gb300", "gb300"}};
    const Row row(rows, index, sizes);
    const auto machine = machines.find(row.text("system"));
    if (machine == machines.end() || (row.apart() && row.text("decode_num_workers").empty())) return std::nullopt;
    ServerRow one;
    one.machine = machine->second;
    one.engine = row.text("backend");
    one.model = row.text("model_path");
    one.deployment.layout = row.layout(row.apart() ? "decode_" : "");
    one.words = row.words();
    one.load = {row.batch(one.deployment.layout) * one.deployment.layout.data, row.count("isl"), row.count("osl")};
    if (row.apart()) {
        one.deployment.layout.groups = row.count("decode_num_workers");
        one.load.requests *= one.deployment.layout.groups;
        one.deployment.prefill = one.deployment.layout;
        one.deployment.prefill->tensor = row.count("prefill_tp_size");
        one.deployment.prefill->data = 1;
        one.deployment.prefill->groups = row.count("prefill_num_workers") * row.count("prefill_attention_dp_size");
    }
    one.tpot_us = 1e3 * rows.number(index, "tpot_ms");
    if (!row.text("ttft_ms").empty()) one.ttft_us = 1e3 * rows.number(index, "ttft_ms");
    return one;
}

}  // namespace tilewright::silicon_study
