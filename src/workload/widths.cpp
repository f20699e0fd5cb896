#include "workload/widths.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "workload/layer_roles.hpp"
#include "workload/network.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMostBlockWords = 1'000'000;

std::optional<std::int64_t> number_in(const std::string& text, std::int64_t least, std::int64_t most) {
    std::int64_t number = 0;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || stopped != text.data() + text.size() || number < least || number > most)
        return std::nullopt;
    return number;
}

// Further forms are explained where one of them seems to be meant.
std::string further_forms(const std::string& text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) return "";
    if (text.find(':', slash) == std::string::npos) return ", or FINAL/PARTIAL bits of results";
    return ", or BITS/WORDS:SCALE, so many bits and for every 1 to " + std::to_string(kMostBlockWords) +
           " words a scale of 1 to " + std::to_string(kMaxWordBits) + " bits";
}

[[noreturn]] void refuse(const std::string& option, const std::string& text) {
    throw InputError(ErrorCode::usage, {},
                     option + " takes TENSOR=BITS or LAYERS:TENSOR=BITS with 1 to " + std::to_string(kMaxWordBits) +
                         " bits, or 0 for as many as the words of each memory have" + further_forms(text) +
                         "; found '" + text + "'");
}

// "32:8"; nothing: no such thing.
std::optional<BlockFormat> blocks_in(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::optional<std::int64_t> words = number_in(text.substr(0, colon), 1, kMostBlockWords);
    const std::optional<std::int64_t> scale = number_in(text.substr(colon + 1), 1, kMaxWordBits);
    if (!words || !scale) return std::nullopt;
    return BlockFormat{*words, *scale};
}

// Whether `text` is a width, which `width` has then.
bool read_width(const std::string& text, TensorWidth& width) {
    const std::size_t slash = text.find('/');
    const bool has_more = slash != std::string::npos;
    const std::string more = has_more ? text.substr(slash + 1) : "";
    const bool has_blocks = more.find(':') != std::string::npos;
    const std::optional<std::int64_t> bits = number_in(text.substr(0, slash), has_blocks ? 1 : 0, kMaxWordBits);
    const std::optional<BlockFormat> blocks = has_blocks ? blocks_in(more) : BlockFormat{};
    const std::optional<std::int64_t> partial = has_more && !has_blocks ? number_in(more, 1, kMaxWordBits) : 0;
    if (!bits || !blocks || !partial) return false;
    width.bits = *bits;
    width.blocks = *blocks;
    width.partial_bits = *partial;
    return true;
}

void set_width(Network& network, const TensorWidth& width) {
    const std::vector<bool> matching = matching_layers(network, {width.layers});
    bool found = false;
    std::set<std::string> known;
    for (std::size_t i = 0; i < matching.size(); ++i) {
        if (!matching[i]) continue;
        Einsum& einsum = network.layers[i].einsum;
        for (const Tensor& tensor : einsum.tensors) known.insert(tensor.name);
        const int tensor = tensor_or_role(einsum, width.tensor);
        if (tensor < 0) continue;
        einsum.tensors[tensor].bits = width.bits;
        found = true;
    }
    if (!found)
        throw InputError(ErrorCode::unknown_name, {},
                         "no layer '" + width.layers + "' of " + network.name + " has a tensor '" + width.tensor + "'" +
                             did_you_mean(width.tensor, {known.begin(), known.end()}));
}

}  // namespace

TensorWidth parse_width(const std::string& option, const std::string& layers, const std::string& tensor,
                        const std::string& text) {
    TensorWidth width{layers, tensor};
    if (layers.empty() || tensor.empty() || !read_width(text, width))
        refuse(option, (layers == "*" ? "" : layers + ":") + tensor + "=" + text);
    return width;
}

std::vector<TensorWidth> parse_widths(const std::string& option, const std::vector<std::string>& texts) {
    std::vector<TensorWidth> widths;
    for (const std::string& text : texts) {
        const std::size_t equals = text.rfind('=');  // a width has none; names of layers may
        if (equals == std::string::npos) refuse(option, text);
        const std::string name = text.substr(0, equals);
        const std::size_t colon = name.rfind(':');
        const std::string layers = colon == std::string::npos ? "*" : name.substr(0, colon);
        const std::string tensor = colon == std::string::npos ? name : name.substr(colon + 1);
        if (tensor.find('=') != std::string::npos) refuse(option, text);
        widths.push_back(parse_width(option, layers, tensor, text.substr(equals + 1)));
    }
    return widths;
}

bool have_partial_sums(const std::vector<TensorWidth>& widths) {
    return std::ranges::any_of(widths, [](const TensorWidth& one) { return one.partial_bits > 0; });
}

bool have_blocks(const std::vector<TensorWidth>& widths) {
    return std::ranges::any_of(widths, [](const TensorWidth& one) { return one.blocks.is_given(); });
}

void set_widths(Network& network, const std::vector<TensorWidth>& widths) {
    for (const TensorWidth& width : widths) set_width(network, width);
}

std::string own_width_in(const Einsum& einsum) {
    for (const Tensor& tensor : einsum.tensors)
        if (tensor.bits > 0) return "words of " + std::to_string(tensor.bits) + " bits in '" + tensor.name + "'";
    return "";
}

std::string own_width_in(const Network& network) {
    for (const Layer& layer : network.layers)
        if (const std::string width = own_width_in(layer.einsum); !width.empty())
            return "layer '" + layer.name + "' has " + width;
    return "";
}

}  // namespace tilewright
