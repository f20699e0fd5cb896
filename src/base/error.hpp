// What a reader says when its input is wrong: one message with the place, what was found and what was expected.
//
// Readers throw InputError; everything behind them works on checked values and does not throw for bad input, with one
// exception: arithmetic that leaves 64 bits throws OverflowError wherever it happens (see checked.hpp).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// A place in a file. Lines and columns count from 1; 0 means "the whole file" (or "no column").
struct Location {
    std::string file;
    int line = 0;
    int column = 0;

    bool operator==(const Location&) const = default;
};

/// The family of a mistake. The text form (error_code_name) is stable: scripts may match on it.
enum class ErrorCode {
    missing_file,
    io,
    syntax,
    duplicate_key,
    unknown_key,
    missing_key,
    wrong_type,
    bad_value,
    unknown_name,  ///< a dimension, component, zoo entry or option that does not exist
    unknown_tensor,
    unknown_level,   ///< a mapping or constraint names a memory that the architecture does not have
    no_fanout,       ///< a spatial directive at a memory with nothing to spread over
    factor_product,  ///< the factors of a dimension do not make up its extent
    too_small,       ///< a memory that cannot hold one word
    cyclic_inheritance,
    unsupported,  ///< understood, but outside what Tilewright models
    overflow,
    usage,
};

/// "unknown-key" and the like.
std::string_view error_code_name(ErrorCode code);

/// A mistake in the user's input. what() is the whole text:
///     arch.yaml:12:7: error: unknown key 'dept'; did you mean 'depth'? [unknown-key]
///         dept: 12
///         ^
class InputError : public std::runtime_error {
   public:
    /// `excerpt` is the source line that holds the mistake, or empty; the caret goes under `where.column`.
    InputError(ErrorCode code, Location where, std::string message, std::string_view excerpt = {});

    ErrorCode code() const { return code_; }
    const Location& where() const { return where_; }
    const std::string& message() const { return message_; }

   private:
    ErrorCode code_;
    Location where_;
    std::string message_;
};

/// The candidate nearest to `name` by edit distance, or "" when none is near enough to be meant (at most a third of the
/// letters differ, ignoring case and the difference between '-' and '_').
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

/// "; did you mean 'depth'?" for the nearest candidate, "" when there is none.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// "a, b and c"
std::string list_words(const std::vector<std::string>& words);

}  // namespace tilewright
