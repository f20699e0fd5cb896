#include "onnx/weights/stored.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>

#include "base/files/file.hpp"

namespace tilewright::onnx {
namespace {

constexpr int kByte = 8;

std::uint64_t low_bits(std::uint64_t pattern, int bits) {
    return bits >= 64 ? pattern : pattern & ((std::uint64_t{1} << bits) - 1);
}

/// Upper bound on elements: counts stay within 64 bits.
constexpr std::int64_t kMostElements = std::int64_t{1} << 50U;

std::optional<std::int64_t> elements_of(const pb::TensorProto& tensor) {
    std::int64_t count = 1;
    for (const std::int64_t extent : tensor.dims())
        if (extent < 0 || __builtin_mul_overflow(count, extent, &count) || count > kMostElements) return std::nullopt;
    return count;
}

/// External storage of a tensor's values.
struct Elsewhere {
    std::string location;
    std::int64_t offset = 0;
    std::optional<std::int64_t> length;
};

std::optional<Elsewhere> elsewhere(const pb::TensorProto& tensor) {
    Elsewhere where;
    for (const pb::StringStringEntryProto& entry : tensor.external_data()) {
        std::int64_t number = 0;
        const std::string& text = entry.value();
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool is_number = error == std::errc{} && end == text.data() + text.size() && number >= 0;
        if (entry.key() == "location") where.location = text;
        if (entry.key() == "offset" && !is_number) return std::nullopt;
        if (entry.key() == "offset") where.offset = number;
        if (entry.key() == "length" && !is_number) return std::nullopt;
        if (entry.key() == "length") where.length = number;
    }
    return where;
}

/// The standard places such files in the model's folder or below.
bool stays_below(const std::filesystem::path& path) {
    if (path.empty() || path.is_absolute()) return false;
    for (const std::filesystem::path& part : path)
        if (part == "..") return false;
    return true;
}

std::optional<std::string> bytes_at(const std::filesystem::path& path, std::int64_t offset, std::int64_t length) {
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, unknown));
    if (unknown || offset > size || length > size - offset) return std::nullopt;
    std::string bytes(static_cast<std::size_t>(length), '\0');
    std::ifstream in(path, std::ios::binary);
    in.seekg(offset);
    if (!in.read(bytes.data(), length)) return std::nullopt;
    return bytes;
}

}  // namespace

NumberFormat number_format(std::int32_t type) {
    switch (type) {
        case 1: return {32, false, true};    // float
        case 2: return {8, false, false};    // uint8
        case 3: return {8, true, false};     // int8
        case 4: return {16, false, false};   // uint16
        case 5: return {16, true, false};    // int16
        case 6: return {32, true, false};    // int32
        case 7: return {64, true, false};    // int64
        case 9: return {8, false, false};    // bool
        case 10: return {16, false, true};   // float16
        case 11: return {64, false, true};   // double
        case 12: return {32, false, false};  // uint32
        case 13: return {64, false, false};  // uint64
        case 16:                             // bfloat16
            return {16, false, true};
        case 17:  // float8e4m3fn
        case 19:  // float8e5m2
            return {8, false, true};
        case 18:  // float8e4m3fnuz: the pattern of -0 is not a number
        case 20:  // float8e5m2fnuz
            return {8, false, false};
        case 21: return {4, false, false};  // uint4
        case 22: return {4, true, false};   // int4
        case 23: return {4, false, true};   // float4e2m1
        default: return {};
    }
}

Stored::Stored(const pb::TensorProto& tensor, const std::filesystem::path& folder)
    : tensor_(tensor), format_(number_format(tensor.data_type())) {
    const std::optional<std::int64_t> count = elements_of(tensor);
    if (!count) {
        problem_ = "has a shape without a size";
        return;
    }
    count_ = *count;
    if (format_.bits == 0) {
        problem_ = "holds no plain numbers";
        return;
    }
    problem_ = find_bytes(folder);
    if (!problem_.empty()) return;
    const std::int64_t stored = stored_words();
    if (stored == 0 && count_ > 0)
        problem_ = "holds no values";
    else if (stored != count_ + (format_.bits < kByte ? count_ % 2 : 0))
        problem_ = "holds " + std::to_string(stored) + " values where its shape has " + std::to_string(count_);
}

std::string Stored::find_bytes(const std::filesystem::path& folder) {
    is_raw_ = tensor_.has_raw_data();
    bytes_ = tensor_.raw_data();
    if (tensor_.data_location() != pb::TensorProto_DataLocation_EXTERNAL) return "";
    const std::optional<Elsewhere> where = elsewhere(tensor_);
    if (!where || !stays_below(where->location)) return "says no place in a file below the model's folder";
    const std::filesystem::path path = folder / where->location;
    require_inside_fence(path);
    const std::int64_t bits = count_ * format_.bits;
    std::optional<std::string> read = bytes_at(path, where->offset, where->length.value_or((bits + kByte - 1) / kByte));
    if (!read) return "lies in " + in_quotes(where->location) + ", which has no such bytes";
    from_file_ = std::move(*read);
    bytes_ = from_file_;
    is_raw_ = true;
    return "";
}

/// Stored numbers; of half bytes, both halves.
std::int64_t Stored::stored_words() const {
    const std::int64_t packed = format_.bits < kByte ? kByte / format_.bits : 1;
    if (is_raw_) {
        const int bytes = std::max(1, format_.bits / kByte);
        const auto size = static_cast<std::int64_t>(bytes_.size());
        return size % bytes == 0 ? size / bytes * packed : 0;
    }
    switch (tensor_.data_type()) {
        case 1: return tensor_.float_data_size();
        case 7: return tensor_.int64_data_size();
        case 11: return tensor_.double_data_size();
        case 12:
        case 13: return tensor_.uint64_data_size();
        default: return packed * tensor_.int32_data_size();
    }
}

std::uint64_t Stored::typed_pattern(std::int64_t index) const {
    const auto at = static_cast<int>(format_.bits < kByte ? index / 2 : index);
    switch (tensor_.data_type()) {
        case 1: return std::bit_cast<std::uint32_t>(tensor_.float_data(at));
        case 7: return static_cast<std::uint64_t>(tensor_.int64_data(at));
        case 11: return std::bit_cast<std::uint64_t>(tensor_.double_data(at));
        case 12:
        case 13: return tensor_.uint64_data(at);
        default: return static_cast<std::uint32_t>(tensor_.int32_data(at));
    }
}

std::uint64_t Stored::pattern(std::int64_t index) const {
    std::uint64_t whole = 0;
    if (is_raw_) {
        const int bytes = std::max(1, format_.bits / kByte);
        const std::int64_t at = format_.bits < kByte ? index / 2 : index * bytes;
        std::memcpy(&whole, bytes_.data() + at, static_cast<std::size_t>(bytes));
    } else {
        whole = typed_pattern(index);
    }
    if (format_.bits < kByte && index % 2 == 1) whole >>= format_.bits;  // the first half of a byte is the low one
    return low_bits(whole, format_.bits);
}

std::int64_t Stored::integer(std::int64_t index) const {
    const std::uint64_t stored = pattern(index);
    const bool below = format_.is_signed && format_.bits < 64 && (stored >> (format_.bits - 1)) != 0;
    return static_cast<std::int64_t>(below ? stored | ~low_bits(~std::uint64_t{0}, format_.bits) : stored);
}

bool Stored::is_zero(std::int64_t index, std::int64_t zero) const {
    if (format_.has_sign_bit) return low_bits(pattern(index), format_.bits - 1) == 0;
    return integer(index) == zero;
}

}  // namespace tilewright::onnx
