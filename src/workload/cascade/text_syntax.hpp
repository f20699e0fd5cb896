// A cascade's text as statements, with names unresolved (notation: text.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::cascade_text {

/// A name or a number, with its place in the text.
struct Word {
    std::string text;
    std::size_t place = 0;
};

struct TermText {
    Word dimension;
    std::int64_t coefficient = 1;
};

struct RankText {
    std::vector<TermText> terms;
    std::int64_t offset = 0;
    std::size_t place = 0;
};

struct TensorText {
    Word name;
    std::vector<RankText> ranks;
    bool anywhere = false;
};

struct EinsumText {
    Word label;  ///< "" if absent
    std::vector<TensorText> results;
    std::vector<TensorText> operands;  ///< in text order, with repetitions
    std::vector<OperationCount> operations;
    bool accumulates = false;  ///< "+=" or "max="
    bool product = false;      ///< the right side is a pure product of tensors
    bool online = false;
    std::string function;  ///< the outermost one of the right side, "" for none
};

/// `input x[b, 4], y`; `tensor x[b, 4]` has no role
struct DeclarationText {
    std::optional<TensorRole> role = std::nullopt;
    struct Shaped {
        Word name;
        std::vector<Word> shape;  ///< numbers and names of sizes
        bool has_shape = false;
    };
    std::vector<Shaped> tensors;
};

/// `view x[b, 4] of table`
struct ViewText {
    DeclarationText::Shaped tensor;
    Word of;
};

/// `size h = 12, m = 64`
struct SizesText {
    struct Size {
        Word name;
        std::int64_t extent = 1;
    };
    std::vector<Size> sizes;
};

/// `block name 32 {`
struct BlockText {
    Word name;
    std::int64_t count = 1;
};
/// `}`
struct EndText {
    std::size_t place = 0;
};
/// `carry y -> x`
struct CarryText {
    Word made;
    Word next;
};

using Statement = std::variant<EinsumText, DeclarationText, ViewText, SizesText, BlockText, EndText, CarryText>;

/// The text and its origin, for messages.
class Source {
   public:
    Source(std::string_view text, std::string file);

    /// Comments blanked out; places are the same.
    const std::string& text() const { return text_; }
    [[noreturn]] void fail(std::size_t place, ErrorCode code, const std::string& message) const;

   private:
    std::string text_;
    std::string file_;
};

/// Throws InputError at the mistake: syntax, overflow, bad_value.
std::vector<Statement> parse(const Source& source);

/// Operations of a function per word; empty for an unknown name.
const std::vector<OperationCount>* operations_of(std::string_view function);
std::vector<std::string> function_names();

void count(std::vector<OperationCount>& operations, OperationClass operation, std::int64_t times = 1);

}  // namespace tilewright::cascade_text
