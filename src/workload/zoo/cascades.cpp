#include "workload/zoo/cascades.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "workload/zoo/cascade_parts.hpp"

namespace tilewright {
namespace {

using zoo::Tokens;

struct CascadeEntry {
    const char* name;
    const char* description;
    const char* source;
    Cascade (*prefill)(const Tokens&);
    Cascade (*decode)(const Tokens&) = nullptr;
    std::int64_t sequence = 2048;  ///< 0: the model says it
    bool has_context = true;
};

constexpr const char* kPublishedConfiguration = "the model's published config.json";

constexpr std::array kCascades{
    CascadeEntry{"llama3-8b", "Llama 3 8B: grouped queries, gated feed-forward", kPublishedConfiguration,
                 zoo::llama3_8b, zoo::llama3_8b},
    CascadeEntry{"llama3-70b", "Llama 3 70B", kPublishedConfiguration, zoo::llama3_70b, zoo::llama3_70b},
    CascadeEntry{"qwen3-8b", "Qwen3 8B: queries and keys normalised by head", kPublishedConfiguration, zoo::qwen3_8b,
                 zoo::qwen3_8b},
    CascadeEntry{"mixtral-8x7b", "Mixtral 8x7B: two of eight experts for every token, evenly chosen",
                 kPublishedConfiguration, zoo::mixtral_8x7b, zoo::mixtral_8x7b},
    CascadeEntry{
        "deepseek-v3",
        "DeepSeek-V3: latent attention (absorbed in decode), eight of 256 experts and a shared one, evenly chosen",
        kPublishedConfiguration, zoo::deepseek_v3_prefill, zoo::deepseek_v3_decode},
    CascadeEntry{"gpt3-175b", "GPT-3 175B", "GPT-3 (2020), table 2.1", zoo::gpt3_175b, zoo::gpt3_175b},
    CascadeEntry{"mamba", "Mamba 2.8B: selective state spaces, no attention", kPublishedConfiguration, zoo::mamba,
                 zoo::mamba, 2048, false},
    CascadeEntry{"bert-base", "BERT-base encoder with the pooler (with --cascade)", kPublishedConfiguration,
                 zoo::bert_base_cascade, nullptr, 512, false},
    CascadeEntry{"vit-b16", "ViT-B/16, 224x224", "torchvision's definition of the network", zoo::vit_b16, nullptr, 0,
                 false},
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

void check(const CascadeEntry& entry, const std::map<std::string, std::int64_t>& extents) {
    const std::vector<std::string> known = settable_dimensions(entry);
    for (const auto& [name, extent] : extents) {
        if (std::ranges::find(known, name) == known.end())
            throw InputError(ErrorCode::unknown_name, {},
                             "network '" + std::string(entry.name) + "' has no dimension '" + name +
                                 "' that can be set; it has " + list_words(known));
        const std::int64_t least = name == "context" ? 0 : 1;
        if (extent < least || extent > kMostZooExtent)
            throw InputError(ErrorCode::bad_value, {},
                             "dimension '" + name + "' takes an extent from " + std::to_string(least) + " to " +
                                 std::to_string(kMostZooExtent) + ", found " + std::to_string(extent));
    }
}

Tokens tokens_of(const CascadeEntry& entry, const std::map<std::string, std::int64_t>& extents, bool decodes) {
    constexpr std::int64_t kPatchesAndClass = 197;
    Tokens tokens;
    tokens.batch = given_extent(extents, "batch", 1);
    tokens.now = given_extent(extents, "sequence", decodes ? 1 : entry.sequence);
    if (entry.sequence == 0) tokens.now = kPatchesAndClass;
    if (entry.has_context) tokens.before = given_extent(extents, "context", decodes ? 2047 : 0);
    return tokens;
}

}  // namespace

std::vector<ZooEntry> zoo_cascades() {
    std::vector<ZooEntry> entries;
    for (const CascadeEntry& entry : kCascades)
        entries.push_back({entry.name, entry.description, entry.source, settable_dimensions(entry)});
    return entries;
}

bool is_zoo_cascade(std::string_view name) { return find_entry(name) != nullptr; }

Cascade zoo_cascade(std::string_view name, const std::map<std::string, std::int64_t>& extents,
                    std::optional<Phase> phase) {
    const CascadeEntry* entry = find_entry(name);
    if (entry == nullptr)
        throw InputError(ErrorCode::unknown_name, {},
                         "no cascade is called '" + std::string(name) + "'" + did_you_mean(name, names_of_entries()) +
                             "; the zoo has " + list_words(names_of_entries()));
    const bool decodes = phase == Phase::decode;
    if (decodes && entry->decode == nullptr)
        throw InputError(ErrorCode::unknown_name, {},
                         "network '" + std::string(name) + "' is an encoder: it has no phase 'decode'");
    check(*entry, extents);
    const Tokens tokens = tokens_of(*entry, extents, decodes);
    try {
        return decodes ? entry->decode(tokens) : entry->prefill(tokens);
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
