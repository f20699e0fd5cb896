#include "native/models/language_model.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.hpp"

namespace tilewright::native {
namespace {

// Defaults of a family, and its sliding blocks without layer_types.
struct Family {
    const char* name;
    enum class Slides : std::uint8_t { never, all, every_other, five_of_six, behind_some } slides = Slides::never;
    bool norms_heads = false;
    bool biased = false;  // queries, keys and values, whatever the file says
    bool is_gemma = false;
    bool has_experts = false;
    std::int64_t usual_window = 0;
};

using Slides = Family::Slides;

constexpr std::array kFamilies{
    Family{"llama"},
    Family{"mistral", Slides::all},
    Family{"qwen2", Slides::behind_some, false, true},
    Family{"qwen3", Slides::behind_some, true},
    Family{"mixtral", Slides::never, false, false, false, true},
    Family{"qwen3_moe", Slides::behind_some, true, false, false, true},
    Family{"gpt_oss", Slides::every_other, false, false, false, true, 128},
    Family{"gemma3", Slides::five_of_six, true, false, true, false, 4096},
    Family{"gemma3_text", Slides::five_of_six, true, false, true, false, 4096},
};

class ModelFile {
   public:
    // Of multimodal models the text's part.
    ModelFile(const yaml::Node& file, std::vector<std::string>& notes)
        : root_(file.has("text_config") && !file.at("text_config").is_null() ? file.at("text_config") : file),
          family_(family_of(file)),
          notes_(notes) {
        if (&root_ != &file) notes_.emplace_back("the part of text is counted, what sees is not");
    }

    DecoderSizes read() {
        read_block();
        read_experts();
        read_window();
        note_uncounted();
        return sizes_;
    }

   private:
    static const Family& family_of(const yaml::Node& root) {
        const yaml::Node* said = root.find("model_type");
        if (said == nullptr || said->is_null()) return kFamilies.front();
        const std::string name = said->text();
        const auto found = std::ranges::find_if(kFamilies, [&](const Family& one) { return name == one.name; });
        if (found != kFamilies.end()) return *found;
        std::vector<std::string> names;
        for (const Family& one : kFamilies) names.emplace_back(one.name);
        said->fail(ErrorCode::unsupported,
                   "models of the family '" + name + "' are not read; those of " + list_words(names) + " are");
    }

    bool is_said(std::string_view key) const {
        const yaml::Node* node = root_.find(key);
        return node != nullptr && !node->is_null();
    }
    bool is_true(std::string_view key, bool otherwise = false) const {
        return is_said(key) ? root_.at(key).boolean() : otherwise;
    }
    std::int64_t positive(std::string_view key, std::optional<std::int64_t> otherwise = std::nullopt) const {
        return otherwise && !is_said(key) ? *otherwise : root_.at(key).positive();
    }

    void read_block() {
        const bool gemma = family_.is_gemma;
        const auto of_gemma = [&](std::int64_t value) { return gemma ? std::optional(value) : std::nullopt; };
        sizes_.width = positive("hidden_size");
        sizes_.hidden = positive(family_.has_experts && is_said("moe_intermediate_size") ? "moe_intermediate_size"
                                                                                         : "intermediate_size");
        sizes_.blocks = positive("num_hidden_layers");
        sizes_.query_heads = positive("num_attention_heads", of_gemma(8));
        sizes_.vocabulary = positive("vocab_size", of_gemma(262208));
        sizes_.kv_heads = positive("num_key_value_heads", gemma ? 4 : sizes_.query_heads);
        if (sizes_.query_heads % sizes_.kv_heads != 0)
            root_.at(is_said("num_key_value_heads") ? "num_key_value_heads" : "num_attention_heads")
                .fail(ErrorCode::bad_value, std::to_string(sizes_.kv_heads) +
                                                " heads of keys and values do not divide the " +
                                                std::to_string(sizes_.query_heads) + " heads of queries");
        if (!gemma && !is_said("head_dim") && sizes_.width % sizes_.query_heads != 0)
            root_.at("hidden_size")
                .fail(ErrorCode::bad_value, "is no multiple of the heads, and there is no 'head_dim'");
        sizes_.head = positive("head_dim", gemma ? 256 : sizes_.width / sizes_.query_heads);
        sizes_.tied = is_true("tie_word_embeddings", gemma);
        sizes_.norms_heads = family_.norms_heads;
        sizes_.norms_results = gemma;
        sizes_.gelu = gemma;
        sizes_.sinks = std::string_view(family_.name) == "gpt_oss";
    }

    void read_experts() {
        for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts"}) {
            if (!is_said(key) || root_.at(key).integer() <= 1) continue;
            if (!family_.has_experts)
                root_.at(key).fail(ErrorCode::unsupported, std::string("'") + key + "': experts of the family '" +
                                                               family_.name + "' are not read");
            sizes_.experts = root_.at(key).positive();
            sizes_.chosen = positive(is_said("num_experts_per_tok") ? "num_experts_per_tok" : "experts_per_token");
            if (sizes_.chosen > sizes_.experts)
                root_.at(key).fail(ErrorCode::bad_value, "is fewer than the " + std::to_string(sizes_.chosen) +
                                                             " experts that a token chooses");
        }
        if (family_.has_experts && sizes_.experts == 0)
            root_.fail(ErrorCode::missing_key, "the number of experts ('num_local_experts') is missing");
        const bool mixed = (is_said("decoder_sparse_step") && root_.at("decoder_sparse_step").integer() != 1) ||
                           (is_said("mlp_only_layers") && !root_.at("mlp_only_layers").items().empty());
        if (mixed) root_.fail(ErrorCode::unsupported, "blocks with experts beside blocks without are not read");
    }

    // From layer_types, or the family; nothing slides without a window.
    void read_window() {
        if (!is_said("sliding_window") && family_.usual_window == 0) return;
        if (family_.slides == Slides::behind_some && !is_true("use_sliding_window")) return;
        sizes_.window = positive("sliding_window", std::max<std::int64_t>(1, family_.usual_window));
        sizes_.local_blocks = is_said("layer_types") ? listed_blocks() : usual_blocks();
        if (sizes_.local_blocks == 0) sizes_.window = 0;
    }

    std::int64_t listed_blocks() const {
        const yaml::Node& types = root_.at("layer_types");
        std::int64_t local = 0;
        for (const yaml::Node& type : types.items()) {
            if (type.text() == "sliding_attention")
                ++local;
            else if (type.text() != "full_attention")
                type.fail(ErrorCode::unsupported,
                          "layers are of the types full_attention and sliding_attention, found '" + type.text() + "'");
        }
        if (static_cast<std::int64_t>(types.items().size()) != sizes_.blocks)
            types.fail(ErrorCode::bad_value, "has " + std::to_string(types.items().size()) + " layers of the " +
                                                 std::to_string(sizes_.blocks) + " of 'num_hidden_layers'");
        return local;
    }

    std::int64_t usual_blocks() const {
        constexpr std::int64_t kPattern = 6;
        constexpr std::int64_t kUsualBehind = 28;
        switch (family_.slides) {
            case Slides::never: return 0;
            case Slides::all: return sizes_.blocks;
            case Slides::every_other: return (sizes_.blocks + 1) / 2;
            case Slides::five_of_six:
                return sizes_.blocks - sizes_.blocks / positive("sliding_window_pattern", kPattern);
            case Slides::behind_some: break;
        }
        return std::max<std::int64_t>(0, sizes_.blocks - positive("max_window_layers", kUsualBehind));
    }

    void note_uncounted() {
        if (family_.biased || is_true("attention_bias"))
            notes_.emplace_back("biases of queries, keys and values are not counted");
        if (is_true("mlp_bias")) notes_.emplace_back("mlp_bias is not counted");
        if (sizes_.sinks) notes_.emplace_back("biases of experts and of their choice are not counted");
        if (is_said("quantization_config"))
            notes_.emplace_back(
                "quantization_config is not read: words are as wide as the machine's; --bits says others, of MXFP4 "
                "'*experts*:Weights=4/32:8'");
    }

    const yaml::Node& root_;
    const Family& family_;
    std::vector<std::string>& notes_;
    DecoderSizes sizes_;
};

}  // namespace

DecoderSizes read_language_model(const yaml::Node& root, std::vector<std::string>& notes) {
    return ModelFile(root, notes).read();
}

}  // namespace tilewright::native
