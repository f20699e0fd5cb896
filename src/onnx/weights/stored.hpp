// Sequential access to a stored tensor of any size, without a copy, for counting.
//
//     const Stored stored(tensor, folder);
//     if (stored.problem().empty()) for (std::int64_t i = 0; i < stored.count(); ++i) zeros += stored.is_zero(i, 0);
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// Storage format of an element type; `bits` is 0 for types other than plain numbers.
struct NumberFormat {
    int bits = 0;
    bool is_signed = false;     ///< the top bit of a negative integer is set
    bool has_sign_bit = false;  ///< a float with 0 and -0 differing in the top bit alone
};

/// Of a pb::TensorProto_DataType, by its number: the library may be older than the narrow ones.
NumberFormat number_format(std::int32_t type);

/// Refers to the tensor, which has to outlive it.
class Stored {
   public:
    /// External values are looked up in `folder`, the model's.
    Stored(const pb::TensorProto& tensor, const std::filesystem::path& folder);
    Stored(const Stored&) = delete;
    Stored& operator=(const Stored&) = delete;

    /// Reason for unknown values ("holds no values"), or "": then everything below holds.
    const std::string& problem() const { return problem_; }
    std::int64_t count() const { return count_; }
    /// Integers: equality with `zero`; floats: 0 or -0.
    bool is_zero(std::int64_t index, std::int64_t zero) const;
    /// Requires an integer type.
    std::int64_t integer(std::int64_t index) const;

   private:
    std::uint64_t pattern(std::int64_t index) const;
    std::uint64_t typed_pattern(std::int64_t index) const;
    std::int64_t stored_words() const;
    std::string find_bytes(const std::filesystem::path& folder);

    const pb::TensorProto& tensor_;
    NumberFormat format_;
    std::int64_t count_ = 0;
    std::string from_file_;
    std::string_view bytes_;  ///< empty: the numbers are in their types' fields
    bool is_raw_ = false;
    std::string problem_;
};

}  // namespace tilewright::onnx
