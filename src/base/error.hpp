// Input errors of readers: one message with place, finding and expectation.
//
// Readers throw InputError; later code works on checked values and does not throw for bad input, except OverflowError
// for arithmetic beyond 64 bits (see checked.hpp).
// A place as a message prefix.
// Possible misspellings of known names.
#pragma once

#include <cstddef>
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
    unknown_name,  ///< a non-existent dimension, component, zoo entry or option
    unknown_tensor,
    unknown_level,   ///< a memory name absent from the architecture
    no_fanout,       ///< a spatial directive at a memory without a fan-out
    factor_product,  ///< the factors of a dimension do not multiply to its extent
    too_small,       ///< a memory too small for one word
    cyclic_inheritance,
    unsupported,  ///< understood, but outside Tilewright's model
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
    /// `excerpt`: the source line of the mistake, or empty; the caret goes under `where.column`.
    InputError(ErrorCode code, Location where, std::string message, std::string_view excerpt = {});

    ErrorCode code() const { return code_; }
    const Location& where() const { return where_; }
    const std::string& message() const { return message_; }

   private:
    ErrorCode code_;
    Location where_;
    std::string message_;
};

/// The candidate nearest to `name` by edit distance, or "" if none is close (at most a third of the letters differ,
/// ignoring case and the difference between '-' and '_').
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

/// "; did you mean 'depth'?" for the nearest candidate, or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// "a, b and c"
std::string list_words(const std::vector<std::string>& words);

/// "arch.yaml:12:7: ", as far as known; "" for no file.
std::string place_text(const Location& where);

/// Edit distance: letters changed, added, removed or swapped with a neighbour; ignoring case, and '-' for '_'.
std::size_t letters_apart(std::string_view a, std::string_view b);

/// Whether `name` is within two letters, and a third of its length, of one of `known` (ignoring case, '-' and '_').
bool may_be_slip(std::string_view name, const std::vector<std::string>& known);

}  // namespace tilewright
