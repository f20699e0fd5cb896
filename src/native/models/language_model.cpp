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
    bool is_latent = false;
    bool norms_results = false;
};

using Slides = Family::Slides;

constexpr std::array kFamilies{
    Family{.name = "llama"},
    Family{.name = "mistral", .slides = Slides::all},
    Family{.name = "ministral", .slides = Slides::all},
    Family{.name = "qwen2", .slides = Slides::behind_some, .biased = true},
    Family{.name = "qwen3", .slides = Slides::behind_some, .norms_heads = true},
    Family{.name = "mixtral", .has_experts = true},
    Family{.name = "qwen2_moe", .slides = Slides::behind_some, .biased = true, .has_experts = true},
    Family{.name = "qwen3_moe", .slides = Slides::behind_some, .norms_heads = true, .has_experts = true},
    Family{.name = "gpt_oss", .slides = Slides::every_other, .has_experts = true, .usual_window = 128},
    Family{.name = "gemma", .is_gemma = true},
    Family{
        .name = "gemma2", .slides = Slides::every_other, .is_gemma = true, .usual_window = 4096, .norms_results = true},
    Family{.name = "gemma3",
           .slides = Slides::five_of_six,
           .norms_heads = true,
           .is_gemma = true,
           .usual_window = 4096,
           .norms_results = true},
    Family{.name = "gemma3_text",
           .slides = Slides::five_of_six,
           .norms_heads = true,
           .is_gemma = true,
           .usual_window = 4096,
           .norms_results = true},
    Family{.name = "phi3", .slides = Slides::all},
    Family{.name = "phimoe", .slides = Slides::all, .biased = true, .has_experts = true},
    Family{.name = "minimax_m2", .norms_heads = true, .has_experts = true},
    Family{.name = "deepseek_v2", .has_experts = true, .is_latent = true},
    Family{.name = "deepseek_v3", .has_experts = true, .is_latent = true},
    Family{.name = "kimi_k2", .has_experts = true, .is_latent = true},
};

class ModelFile {
   public:
    // Of multimodal models the text's part.
    ModelFile(const yaml::Node& file, std::vector<std::string>& notes)
        : root_(file.has("text_config") && !file.at("text_config").is_null() ? file.at("text_config") : file),
          family_(family_of(file, root_)),
          notes_(notes) {
        if (&root_ != &file) notes_.emplace_back("the part of text is counted, what sees is not");
    }

    DecoderSizes read() {
        read_block();
        if (family_.is_latent) read_latent();
        read_experts();
        read_window();
        note_uncounted();
        return sizes_;
    }

   private:
    static const Family* family_named(const yaml::Node* said) {
        if (said == nullptr || said->is_null()) return nullptr;
        const auto found =
            std::ranges::find(kFamilies, said->text(), [](const Family& one) { return std::string(one.name); });
        return found == kFamilies.end() ? nullptr : &*found;
    }

    // The file's, else that of its part of text: a multimodal model may call itself as it likes.
    static const Family& family_of(const yaml::Node& file, const yaml::Node& text) {
        const yaml::Node* said = file.find("model_type");
        if (said == nullptr || said->is_null()) said = text.find("model_type");
        if (said == nullptr || said->is_null()) return kFamilies.front();
        if (const Family* family = family_named(said)) return *family;
        if (const Family* family = family_named(text.find("model_type"))) return *family;
        std::vector<std::string> names;
        for (const Family& one : kFamilies) names.emplace_back(one.name);
        said->fail(ErrorCode::unsupported,
                   "models of the family '" + said->text() + "' are not read; those of " + list_words(names) + " are");
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
        sizes_.width = positive("hidden_size");
        sizes_.hidden =
            positive(has_experts() && is_said("moe_intermediate_size") ? "moe_intermediate_size" : "intermediate_size");
        sizes_.blocks = positive("num_hidden_layers");
        const bool gemma3 = gemma && family_.norms_heads;
        sizes_.query_heads = positive("num_attention_heads", gemma3 ? std::optional<std::int64_t>(8) : std::nullopt);
        sizes_.vocabulary = positive("vocab_size", gemma3 ? std::optional<std::int64_t>(262208) : std::nullopt);
        sizes_.kv_heads = positive("num_key_value_heads", gemma3 ? 4 : sizes_.query_heads);
        if (sizes_.query_heads % sizes_.kv_heads != 0)
            root_.at(is_said("num_key_value_heads") ? "num_key_value_heads" : "num_attention_heads")
                .fail(ErrorCode::bad_value, std::to_string(sizes_.kv_heads) +
                                                " heads of keys and values do not divide the " +
                                                std::to_string(sizes_.query_heads) + " heads of queries");
        if (!gemma && !family_.is_latent && !is_said("head_dim") && sizes_.width % sizes_.query_heads != 0)
            root_.at("hidden_size")
                .fail(ErrorCode::bad_value, "is no multiple of the heads, and there is no 'head_dim'");
        sizes_.head = positive("head_dim", gemma ? 256 : std::max<std::int64_t>(1, sizes_.width / sizes_.query_heads));
        sizes_.tied = is_true("tie_word_embeddings", gemma);
        sizes_.norms_heads = family_.norms_heads;
        sizes_.norms_results = family_.norms_results;
        sizes_.gelu = gemma;
        sizes_.sinks = std::string_view(family_.name) == "gpt_oss";
    }

    bool has_experts() const { return family_.has_experts && (!family_.is_latent || is_said("n_routed_experts")); }

    void read_latent() {
        LatentSizes latent;
        latent.query_rank = is_said("q_lora_rank") ? positive("q_lora_rank") : 0;
        latent.rank = positive("kv_lora_rank");
        latent.rotated = positive("qk_rope_head_dim");
        latent.plain = positive("qk_nope_head_dim");
        latent.value = positive("v_head_dim");
        sizes_.latent = latent;
        if (!is_said("head_dim")) sizes_.head = latent.value;
        sizes_.kv_heads = sizes_.query_heads;
        if (!has_experts()) return;
        sizes_.shared_hidden = positive("n_shared_experts") * sizes_.hidden;
        if (positive("moe_layer_freq", 1) != 1)
            root_.at("moe_layer_freq").fail(ErrorCode::unsupported, "experts in some blocks only are not read");
        sizes_.plain_blocks = is_said("first_k_dense_replace") ? root_.at("first_k_dense_replace").integer() : 0;
        if (sizes_.plain_blocks < 0 || sizes_.plain_blocks > sizes_.blocks)
            root_.at("first_k_dense_replace").fail(ErrorCode::bad_value, "expected a number of blocks");
        if (sizes_.plain_blocks > 0) sizes_.plain_hidden = positive("intermediate_size");
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
        if (!family_.is_latent && is_said("shared_expert_intermediate_size"))
            sizes_.shared_hidden = positive("shared_expert_intermediate_size");
        if (has_experts() && sizes_.experts == 0)
            root_.fail(ErrorCode::missing_key, "the number of experts ('num_local_experts') is missing");
        const bool mixed = (is_said("decoder_sparse_step") && root_.at("decoder_sparse_step").integer() != 1) ||
                           (is_said("mlp_only_layers") && !root_.at("mlp_only_layers").items().empty());
        if (mixed) root_.fail(ErrorCode::unsupported, "blocks with experts beside blocks without are not read");
        if (is_said("attn_type_list"))  // MiniMax: 1 is softmax attention
            for (const yaml::Node& type : root_.at("attn_type_list").items())
                if (type.integer() != 1) type.fail(ErrorCode::unsupported, "blocks of linear attention are not read");
    }

    // From layer_types, or the family; nothing slides without a window.
    void read_window() {
        if (family_.slides == Slides::never || (!is_said("sliding_window") && family_.usual_window == 0)) return;
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
