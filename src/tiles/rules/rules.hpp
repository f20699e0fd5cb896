// Rules: what a compiler may choose for one kernel, and what makes a choice legal. The value of a rule file
// (docs/tiles.md), compiled: every name is a slot of one row of numbers.
//
//     given: [M, K]                     slots 0, 1
//     machine: [shared]                 slot 2
//     choose: {BM: [16, 32], BK: ...}   slots 3, 4: a *point*
//     let: {room: BM * BK}              slot 5
//
// Immutable once read; any number of threads may use it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tiles/expression/program.hpp"

namespace tilewright::tiles {

/// The values that one line of `choose` may take; of several names together, rows of a list.
struct Values {
    enum class Kind : std::uint8_t { list, range, divisors, powers, kernels };
    Kind kind = Kind::list;
    std::vector<std::int64_t> list;  ///< rows one after the other
    IntegerProgram low;              ///< of a range or powers; what is divided
    IntegerProgram high;
    std::int64_t step = 1;
};

struct Choice {
    std::vector<std::string> names;  ///< one, or several that are chosen together
    int slot = 0;                    ///< of the first
    Values values;
    Location where;
    std::string text;  ///< the values as they are written
};

struct Let {
    std::string name;
    int slot = 0;
    IntegerProgram value;
};

struct Requirement {
    IntegerProgram holds;
    std::string reason;  ///< "" where the file gives none
};

/// A number of the time of a point: named parts, the last of which is the time itself.
struct Part {
    std::string name;
    int slot = 0;  ///< behind those of the rules
    RealProgram value;
};

/// The tile of one dimension at each level, from the inside out; the last is the extent.
struct MappedDimension {
    std::string name;
    std::vector<IntegerProgram> tiles;
};

/// A text with `{expression}` in it, for each compiler that takes points of this kernel.
struct Form {
    std::string name;
    std::vector<std::string> texts;  ///< around the expressions: one more than of these
    std::vector<IntegerProgram> values;
    std::vector<std::string> left_unsaid;  ///< chosen names that stand in none of them
};

/// What is ready once a choice is made: lets and requirements by number, in order.
struct Ready {
    std::vector<int> lets;
    std::vector<int> requirements;
};

struct Rules {
    std::string kernel;
    std::string source;
    std::vector<std::string> given;
    std::vector<std::string> machine;
    std::vector<std::string> chosen;  ///< all names of all choices
    std::vector<Choice> choices;
    std::vector<Let> lets;
    std::vector<Requirement> requirements;
    std::vector<Ready> ready;              ///< before the first choice, and after each
    std::vector<IntegerProgram> minimize;  ///< counts, the first before the second
    std::string objective;                 ///< where a question names none: "time,count"
    std::vector<Part> time;
    std::vector<IntegerProgram> quality;  ///< that name the code of a kernel: of a point, a key of Machine::quality
    std::optional<RealProgram> bound;     ///< no time of a point is less; of what is given and the machine
    std::string left_out;                 ///< what times do not know
    std::vector<MappedDimension> map;
    std::vector<Form> forms;
    /// Machine numbers that calibration may try, with the values that it tries.
    std::vector<std::pair<std::string, std::vector<double>>> calibrate;

    int machine_slot() const { return static_cast<int>(given.size()); }
    int point_slot() const { return machine_slot() + static_cast<int>(machine.size()); }
    int let_slot() const { return point_slot() + static_cast<int>(chosen.size()); }
    int slots() const { return let_slot() + static_cast<int>(lets.size()); }

    const Form* form(const std::string& name) const {
        for (const Form& known : forms)
            if (known.name == name) return &known;
        return nullptr;
    }
};

/// What is chosen and stands in none of these, nor in the lets that they name.
std::vector<std::string> names_left_unsaid(const Rules& rules, const std::vector<const IntegerProgram*>& programs);

// Machine: what rules and times know of a chip: named numbers, the kernels that its software has, and how good the code
// of each is where that was measured. A value, read by files/; thread-safe.

/// Of fewer rows a median says little: their quality is kept, but not believed.
inline constexpr std::int64_t kLeastQualityRows = 8;

struct Quality {
    double time = 1.0;      ///< measured over predicted, in the median
    std::int64_t rows = 0;  ///< that it was measured on

    bool is_measured() const { return rows >= kLeastQualityRows; }
};

struct Machine {
    std::string name;
    std::string like;  ///< the machine whose numbers these replace, or ""
    std::map<std::string, double> numbers;
    std::vector<std::vector<std::int64_t>> kernels;  ///< rows for `choose: {"a, b": kernels of the machine}`
    std::map<std::vector<std::int64_t>, Quality> quality;
    double unmeasured = 1.0;  ///< quality of code that stands not in the list
    double prior = 0.0;       ///< code that won `rows` times counts as rows^-prior of its time, where points are ranked
    double measured_error = -1.0;  ///< median error of such times; below 0: unknown
    std::int64_t measured_rows = 0;
};

}  // namespace tilewright::tiles
