#include "options/width_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "options/options.hpp"
#include "workload/cascade/widths.hpp"

namespace tilewright::cli {
namespace {

constexpr std::int64_t kMostBlockWords = 1'000'000;

std::optional<std::int64_t> number_in(const std::string& text, std::int64_t least, std::int64_t most) {
    std::int64_t number = 0;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || stopped != text.data() + text.size() || number < least || number > most)
        return std::nullopt;
    return number;
}

[[noreturn]] void refuse(const std::string& verb, const std::string& text) {
    const bool has_two = text.find('/') != std::string::npos;
    const bool has_blocks = has_two && text.find(':', text.find('/')) != std::string::npos;
    const std::string forms =
        has_blocks
            ? fmt::format(", or BITS/WORDS:SCALE, so many bits and for every 1 to {} words a scale of 1 to {} bits",
                          kMostBlockWords, kMaxWordBits)
        : has_two ? ", or FINAL/PARTIAL bits of results"
                  : "";
    fail_usage(verb, fmt::format("--bits takes TENSOR=BITS or LAYERS:TENSOR=BITS with 1 to {} bits, or 0 for as many "
                                 "as the words of each memory have{}; found '{}'",
                                 kMaxWordBits, forms, text));
}

// What stands behind "TENSOR=".
struct Width {
    std::int64_t bits = 0;
    std::int64_t partial_bits = 0;
    BlockFormat blocks;
};

// "32:8" behind the slash; nothing: no such thing.
std::optional<BlockFormat> blocks_in_text(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::optional<std::int64_t> words = number_in(text.substr(0, colon), 1, kMostBlockWords);
    const std::optional<std::int64_t> scale = number_in(text.substr(colon + 1), 1, kMaxWordBits);
    if (!words || !scale) return std::nullopt;
    return BlockFormat{*words, *scale};
}

std::optional<Width> width_in(const std::string& text) {
    const std::size_t slash = text.find('/');
    Width width;
    const bool has_more = slash != std::string::npos;
    const std::string more = has_more ? text.substr(slash + 1) : "";
    const bool has_blocks = more.find(':') != std::string::npos;
    const std::optional<std::int64_t> bits = number_in(text.substr(0, slash), has_blocks ? 1 : 0, kMaxWordBits);
    if (!bits) return std::nullopt;
    width.bits = *bits;
    if (has_blocks) {
        const std::optional<BlockFormat> blocks = blocks_in_text(more);
        if (!blocks) return std::nullopt;
        width.blocks = *blocks;
    } else if (has_more) {
        const std::optional<std::int64_t> partial = number_in(more, 1, kMaxWordBits);
        if (!partial) return std::nullopt;
        width.partial_bits = *partial;
    }
    return width;
}

}  // namespace

Widths read_widths(const std::string& verb, const std::vector<std::string>& texts) {
    Widths widths;
    for (const std::string& text : texts) {
        const std::size_t equals = text.rfind('=');  // a width has none; names of layers may
        if (equals == std::string::npos) refuse(verb, text);
        const std::string name = text.substr(0, equals);
        const std::size_t colon = name.rfind(':');
        const std::string layers = colon == std::string::npos ? "*" : name.substr(0, colon);
        const std::string tensor = colon == std::string::npos ? name : name.substr(colon + 1);
        const std::optional<Width> width = width_in(text.substr(equals + 1));
        if (layers.empty() || tensor.empty() || tensor.find('=') != std::string::npos || !width) refuse(verb, text);
        widths.words.push_back({layers, tensor, width->bits, width->blocks});
        widths.partial_sums.push_back({layers, tensor, width->partial_bits});
        widths.have_partial_sums = widths.have_partial_sums || width->partial_bits > 0;
        widths.have_blocks = widths.have_blocks || width->blocks.is_given();
    }
    return widths;
}

PartialBits read_partial_sums(const std::string& verb, const std::vector<std::string>& texts, const Cascade& cascade) {
    try {
        return partial_bits(cascade, read_widths(verb, texts).partial_sums);
    } catch (const InputError& error) {
        fail_usage(verb, "--bits: " + error.message());
    }
}

}  // namespace tilewright::cli
