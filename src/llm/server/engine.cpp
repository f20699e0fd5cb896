#include "llm/server/engine.hpp"

#include <algorithm>

namespace tilewright::llm {
namespace {

constexpr double kWideBytes = 2.0;  // of embeddings and of the choice of experts

double real_of(std::int64_t number) { return static_cast<double>(number); }

double attention_words(const DecoderSizes& sizes, double tensor) {
    const double width = real_of(sizes.width);
    const double heads = real_of(sizes.query_heads) / tensor;
    if (!sizes.latent) {
        const double kv_heads = std::max(1.0, real_of(sizes.kv_heads) / tensor);
        return 2.0 * width * real_of(sizes.head) * (heads + kv_heads);
    }
    const LatentSizes& latent = *sizes.latent;
    const double query = heads * real_of(latent.plain + latent.rotated);
    const double queries = latent.query_rank > 0 ? real_of(latent.query_rank) * (width + query) : width * query;
    return queries + width * real_of(latent.kept()) +
           heads * real_of(latent.plain + latent.value) * real_of(latent.rank) + heads * real_of(latent.value) * width;
}

// Words of the cache for a request, in all blocks of the model.
double cache_words(const DecoderSizes& sizes, const Layout& layout, std::int64_t tokens, std::int64_t block_tokens) {
    const auto whole = [&](std::int64_t kept) {
        return real_of((kept + block_tokens - 1) / block_tokens * block_tokens);
    };
    if (sizes.latent) return real_of(sizes.blocks) * real_of(sizes.latent->kept()) * whole(tokens);
    const double kv_heads = std::max(1.0, real_of(sizes.kv_heads) / real_of(layout.tensor));
    const std::int64_t local = sizes.window > 0 ? sizes.local_blocks : 0;
    return 2.0 * kv_heads * real_of(sizes.head) *
           (real_of(sizes.blocks - local) * whole(tokens) +
            real_of(local) * whole(std::min(tokens, std::max<std::int64_t>(1, sizes.window))));
}

}  // namespace

double weight_bytes(const DecoderSizes& sizes, const Layout& layout, const ServedWords& words) {
    const double tensor = real_of(layout.tensor);
    const double width = real_of(sizes.width);
    const double product = silicon::width_of(words.products).weight_bytes;
    const double plain = real_of(sizes.experts > 0 ? sizes.plain_blocks : sizes.blocks);
    const double mixed = real_of(sizes.blocks) - plain;
    double bytes = real_of(sizes.blocks) * attention_words(sizes, tensor) * product;
    bytes += plain * 3.0 * width * real_of(sizes.experts > 0 ? sizes.plain_hidden : sizes.hidden) / tensor * product;
    if (mixed > 0.0) {
        const double shares = real_of(layout.expert * layout.expert_tensor);
        const double expert = 3.0 * width * real_of(sizes.hidden) * silicon::width_of(words.experts).weight_bytes;
        bytes += mixed * (real_of(sizes.experts) * expert / shares +
                          3.0 * width * real_of(sizes.shared_hidden) / tensor * product +
                          real_of(sizes.experts) * width * kWideBytes);
    }
    const double ends = (sizes.tied ? 1.0 : 2.0) * real_of(sizes.vocabulary) * width * kWideBytes / tensor;
    // The ends of a pipeline hold a table more: the first and the last stage are the largest.
    return bytes / real_of(layout.pipeline) + (layout.pipeline > 1 && !sizes.tied ? ends / 2.0 : ends);
}

double cache_bytes(const DecoderSizes& sizes, const Layout& layout, const ServedWords& words, std::int64_t tokens,
                   std::int64_t block_tokens) {
    return cache_words(sizes, layout, tokens, block_tokens) * words.kv_bytes / real_of(layout.pipeline);
}

std::string layout_problem(const DecoderSizes& sizes, const Layout& layout) {
    const auto cut = [](std::int64_t devices, const char* what, std::int64_t all) {
        return std::to_string(all) + " " + what + " are not cut into " + std::to_string(devices) + " equal parts";
    };
    if (sizes.query_heads % layout.tensor != 0) return cut(layout.tensor, "heads", sizes.query_heads);
    if (!sizes.latent && sizes.kv_heads % layout.tensor != 0 && layout.tensor % sizes.kv_heads != 0)
        return cut(layout.tensor, "heads of keys and values", sizes.kv_heads);
    if (layout.pipeline > sizes.blocks) return cut(layout.pipeline, "blocks", sizes.blocks);
    if (sizes.experts == 0)
        return layout.data > 1 || layout.expert > 1 ? "ranks with attention of their own share experts, and it has none"
                                                    : "";
    if (sizes.experts % layout.expert != 0) return cut(layout.expert, "experts", sizes.experts);
    if (sizes.hidden % layout.expert_tensor != 0)
        return cut(layout.expert_tensor, "hidden words of an expert", sizes.hidden);
    if (layout.expert * layout.expert_tensor != layout.tensor * layout.data)
        return "experts lie on all devices of a group: " + std::to_string(layout.expert) + " ranks of " +
               std::to_string(layout.expert_tensor) + " are not the " + std::to_string(layout.tensor * layout.data) +
               " of tensor and data";
    return "";
}

}  // namespace tilewright::llm
