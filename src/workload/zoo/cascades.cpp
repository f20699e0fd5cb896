#include "workload/zoo/cascades.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "workload/zoo/cascade_parts.hpp"
#include "workload/zoo/image_builder.hpp"

namespace tilewright {
namespace {

using zoo::Tokens;

struct CascadeEntry {
    const char* name;
    const char* description;
    const char* source;
    Cascade (*prefill)(const std::string& name, const Tokens&);
    Cascade (*decode)(const std::string& name, const Tokens&) = nullptr;
    std::int64_t sequence = 2048;  ///< 0: always `tokens`
    bool has_context = true;
    std::int64_t tokens = 0;
    std::int64_t context = 0;  ///< in prefill
};

template <Cascade (*kMake)(const Tokens&)>
Cascade made_by(const std::string& /*name*/, const Tokens& tokens) {
    return kMake(tokens);
}

Cascade of_sizes(const std::string& name, const Tokens& tokens) {
    return decoder_cascade(name, zoo_decoder(name).value(), {tokens.batch, tokens.now, tokens.before});
}

constexpr std::int64_t kPatchesAndClass = 197;
constexpr const char* kPublishedConfiguration = "the model's published config.json";

constexpr std::array kCascades{
    CascadeEntry{"llama3-8b", "Llama 3 8B: grouped queries, gated feed-forward", kPublishedConfiguration, of_sizes,
                 of_sizes},
    CascadeEntry{"llama3-70b", "Llama 3 70B", kPublishedConfiguration, of_sizes, of_sizes},
    CascadeEntry{"qwen3-8b", "Qwen3 8B: queries and keys normalised by head", kPublishedConfiguration, of_sizes,
                 of_sizes},
    CascadeEntry{"qwen3-32b", "Qwen3 32B", kPublishedConfiguration, of_sizes, of_sizes},
    CascadeEntry{"llama3.2-1b", "Llama 3.2 1B: the head shares its weights with the embedding", kPublishedConfiguration,
                 of_sizes, of_sizes},
    CascadeEntry{"llama3.2-3b", "Llama 3.2 3B", kPublishedConfiguration, of_sizes, of_sizes},
    CascadeEntry{"mistral-7b", "Mistral 7B: every block meets the last 4,096 tokens", kPublishedConfiguration, of_sizes,
                 of_sizes},
    CascadeEntry{"mixtral-8x7b", "Mixtral 8x7B: two of eight experts for every token, evenly chosen",
                 kPublishedConfiguration, of_sizes, of_sizes},
    CascadeEntry{"gpt-oss-20b", "gpt-oss-20b: four of 32 experts, every other block meets the last 128 tokens",
                 kPublishedConfiguration, of_sizes, of_sizes},
    CascadeEntry{"gpt-oss-120b", "gpt-oss-120b: four of 128 experts, every other block meets the last 128 tokens",
                 kPublishedConfiguration, of_sizes, of_sizes},
    CascadeEntry{"gemma3-1b", "Gemma 3 1B: five of six blocks meet the last 512 tokens", kPublishedConfiguration,
                 of_sizes, of_sizes},
    CascadeEntry{"gemma3-4b", "Gemma 3 4B, the text's part: five of six blocks meet the last 1,024 tokens",
                 kPublishedConfiguration, of_sizes, of_sizes},
    CascadeEntry{"gemma3-12b", "Gemma 3 12B, the text's part", kPublishedConfiguration, of_sizes, of_sizes},
    CascadeEntry{"gemma3-27b", "Gemma 3 27B, the text's part", kPublishedConfiguration, of_sizes, of_sizes},
    CascadeEntry{
        "deepseek-v3",
        "DeepSeek-V3: latent attention (absorbed in decode), eight of 256 experts and a shared one, evenly chosen",
        kPublishedConfiguration, made_by<zoo::deepseek_v3_prefill>, made_by<zoo::deepseek_v3_decode>},
    CascadeEntry{"gpt3-175b", "GPT-3 175B", "GPT-3 (2020), table 2.1", made_by<zoo::gpt3_175b>,
                 made_by<zoo::gpt3_175b>},
    CascadeEntry{"mamba", "Mamba 2.8B: selective state spaces, no attention", kPublishedConfiguration,
                 made_by<zoo::mamba>, made_by<zoo::mamba>, 2048, false},
    CascadeEntry{"bert-base", "BERT-base encoder with the pooler (with --cascade)", kPublishedConfiguration,
                 made_by<zoo::bert_base_cascade>, nullptr, 512, false},
    CascadeEntry{"vit-b16", "ViT-B/16, 224x224", "torchvision's definition of the network", made_by<zoo::vit_b16>,
                 nullptr, 0, false, kPatchesAndClass},
    CascadeEntry{"gpt2", "GPT-2 (124M) (with --cascade)", kPublishedConfiguration, made_by<zoo::gpt2_cascade>,
                 made_by<zoo::gpt2_cascade>, 1024},
    CascadeEntry{"llama-7b-prefill", "7B Llama decoder, a prompt (with --cascade)", "LLaMA (2023)", of_sizes, nullptr,
                 2048, false},
    CascadeEntry{"llama-7b-decode", "7B Llama decoder, one token (with --cascade)", "LLaMA (2023)", of_sizes, nullptr,
                 0, true, 1, 2047},
};

const CascadeEntry* find_entry(std::string_view name) {
    const auto found = std::ranges::find(kCascades, name, &CascadeEntry::name);
    return found == kCascades.end() ? nullptr : found;
}

std::vector<std::string> settable_dimensions(const CascadeEntry& entry) {
    std::vector<std::string> names{"batch"};
    if (entry.sequence > 0) names.emplace_back("sequence");
    if (entry.has_context) names.emplace_back("context");
    return names;
}

std::vector<std::string> names_of_entries() {
    std::vector<std::string> names;
    for (const CascadeEntry& entry : kCascades) names.emplace_back(entry.name);
    return names;
}

std::int64_t given_extent(const std::map<std::string, std::int64_t>& extents, const std::string& name,
                          std::int64_t otherwise) {
    const auto given = extents.find(name);
    return given == extents.end() ? otherwise : given->second;
}

void check(std::string_view network, const std::vector<std::string>& known,
           const std::map<std::string, std::int64_t>& extents) {
    for (const auto& [name, extent] : extents) {
        if (std::ranges::find(known, name) == known.end())
            throw InputError(ErrorCode::unknown_name, {},
                             "network '" + std::string(network) + "' has no dimension '" + name +
                                 "' that can be set; it has " + (known.empty() ? "none" : list_words(known)));
        const std::int64_t least = name == "context" ? 0 : 1;
        if (extent < least || extent > kMostZooExtent)
            throw InputError(ErrorCode::bad_value, {},
                             "dimension '" + name + "' takes an extent from " + std::to_string(least) + " to " +
                                 std::to_string(kMostZooExtent) + ", found " + std::to_string(extent));
    }
}

Tokens tokens_of(const CascadeEntry& entry, const std::map<std::string, std::int64_t>& extents, bool decodes) {
    Tokens tokens;
    tokens.batch = given_extent(extents, "batch", 1);
    tokens.now = given_extent(extents, "sequence", decodes ? 1 : entry.sequence);
    if (entry.sequence == 0) tokens.now = entry.tokens;
    if (entry.has_context) tokens.before = given_extent(extents, "context", decodes ? 2047 : entry.context);
    return tokens;
}

Cascade of_images(std::string_view name, const std::map<std::string, std::int64_t>& extents,
                  std::optional<Phase> phase) {
    if (phase)
        throw InputError(ErrorCode::unknown_name, {},
                         "network '" + std::string(name) + "' is one of images: it has no phases");
    check(name, *zoo::dimensions_of_images(name), extents);
    try {
        return *zoo::image_cascade(name, given_extent(extents, "batch", 1));
    } catch (const OverflowError&) {
        throw InputError(ErrorCode::overflow, {},
                         "network '" + std::string(name) + "' is too large to count in 64 bits with these extents");
    }
}

}  // namespace

std::vector<ZooEntry> zoo_cascades() {
    std::vector<ZooEntry> entries;
    for (const CascadeEntry& entry : kCascades)
        entries.push_back({entry.name, entry.description, entry.source, settable_dimensions(entry)});
    return entries;
}

bool is_zoo_cascade(std::string_view name) {
    return find_entry(name) != nullptr || zoo::dimensions_of_images(name).has_value();
}

std::string plain_model_name(std::string_view written) {
    std::string plain;
    for (const char c : written.substr(written.find('/') == std::string_view::npos ? 0 : written.find('/') + 1))
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.')
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (plain.starts_with("metallama")) plain = plain.substr(4);
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view end : {"v0.1", "hf", "instruct", "it", "pt", "chat", "base", "fp8", "nvfp4", "fp4",
                                           "bf16", "awq", "gptq", "int4", "int8", "dynamic", "thinking", "w4a16"})
            if (plain.size() > end.size() && plain.ends_with(end)) {
                plain.resize(plain.size() - end.size());
                again = true;
            }
    }
    return plain;
}

std::string zoo_name_of(std::string_view written) {
    std::string plain = plain_model_name(written);
    if (plain.starts_with("llama3.1")) plain.erase(6, 2);  // the sizes of Llama 3
    for (const CascadeEntry& entry : kCascades)
        if (plain_model_name(entry.name) == plain) return entry.name;
    return std::string(written);
}

bool is_zoo_language_model(std::string_view name) {
    const CascadeEntry* entry = find_entry(name);
    return entry != nullptr && entry->decode != nullptr;
}

Cascade zoo_cascade(std::string_view name, const std::map<std::string, std::int64_t>& extents,
                    std::optional<Phase> phase) {
    const CascadeEntry* entry = find_entry(name);
    if (entry == nullptr && zoo::dimensions_of_images(name)) return of_images(name, extents, phase);
    if (entry == nullptr)
        throw InputError(ErrorCode::unknown_name, {},
                         "no cascade is called '" + std::string(name) + "'" + did_you_mean(name, names_of_entries()) +
                             "; the zoo has " + list_words(names_of_entries()));
    const bool decodes = phase == Phase::decode;
    if (decodes && entry->decode == nullptr)
        throw InputError(ErrorCode::unknown_name, {},
                         "network '" + std::string(name) + "' is an encoder: it has no phase 'decode'");
    check(name, settable_dimensions(*entry), extents);
    const Tokens tokens = tokens_of(*entry, extents, decodes);
    try {
        return decodes ? entry->decode(entry->name, tokens) : entry->prefill(entry->name, tokens);
    } catch (const OverflowError&) {
        throw InputError(ErrorCode::overflow, {},
                         "network '" + std::string(name) + "' is too large to count in 64 bits with these extents");
    }
}

std::int64_t parameter_count(const Cascade& cascade) {
    std::int64_t count = 0;
    for (const CascadeTensor& tensor : cascade.tensors) {
        if (tensor.role != TensorRole::weight) continue;
        const std::int64_t repeats = tensor.readers.empty() ? 1 : repeats_of(cascade, tensor.readers.front().einsum);
        count = checked_add(count, checked_mul(words_of(tensor), repeats));
    }
    return count;
}

}  // namespace tilewright
