// A design space: knobs with their values. A point is a pure function of its number and the space.
//
//     const Space space({parse_knob("buffer.depth=4k,8k", where), parse_knob("DRAM.read_bandwidth=4..16*2", where)});
//     space.size()                     // 6
//     space.value(4, 0)                // "8192"; the last knob changes fastest
//
// Values are texts, interpreted by their users. Numbers are canonical ("4k" is "4096"), so two spellings of one space
// are one space.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tilewright::explore {

using Point = std::int64_t;

struct Knob {
    std::string name;
    std::vector<std::string> values;
    Location where;  ///< for messages

    bool operator==(const Knob& other) const { return name == other.name && values == other.values; }
};

/// Maximum number of values of a knob.
inline constexpr std::int64_t kMostValues = 1'000'000;

/// The values of "64", "4k,16k" (powers of 1024: k, M, G), "64..512*2" (64, 128, 256, 512), "8..32+8", "1..4" and
/// "45nm,65nm". Throws InputError at `where`: an empty or endless range, a duplicate value, too many.
std::vector<std::string> parse_values(std::string_view text, const Location& where);

/// "NAME=VALUES". Throws InputError at `where`.
Knob parse_knob(std::string_view text, const Location& where);

/// The number spelled by all of `text`, canonical: "4k" -> "4096", "0.50" -> "0.5"; else the text itself.
std::string canonical_value(std::string_view text);

class Space {
   public:
    Space() = default;
    /// Throws InputError at a duplicate knob, or one exceeding 2^63 - 1 points.
    explicit Space(std::vector<Knob> knobs);

    const std::vector<Knob>& knobs() const { return knobs_; }
    std::int64_t size() const { return size_; }
    /// Distance of two points differing by one step of this knob.
    std::int64_t stride(std::size_t knob) const { return strides_[knob]; }
    /// Index of a knob's value at a point. Requires 0 <= point < size().
    std::size_t position(Point point, std::size_t knob) const {
        return static_cast<std::size_t>(point / strides_[knob]) % knobs_[knob].values.size();
    }
    const std::string& value(Point point, std::size_t knob) const { return knobs_[knob].values[position(point, knob)]; }

   private:
    std::vector<Knob> knobs_;
    std::vector<std::int64_t> strides_;
    std::int64_t size_ = 1;
};

/// "buffer.depth=4096, DRAM.read_bandwidth=8"
std::string point_text(const Space& space, Point point);

}  // namespace tilewright::explore
