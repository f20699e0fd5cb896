// Values from documents (yaml/archive.hpp). Pure functions; throw InputError at the place of the error.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "yaml/archive.hpp"
#include "yaml/node.hpp"

namespace tilewright::yaml {

/// Its items. An absent value is no list.
const std::vector<Node>& list_of(const Node& node);

/// True if absent, or null in one of its spellings.
bool is_absent(const Node* node);

struct Reader {
    /// Options of reading.
    struct Rules {
        bool refuses_unknown_keys = true;
        double most = std::numeric_limits<double>::infinity();  ///< of real numbers
        std::int64_t most_whole = std::int64_t{1} << 53;
        const char* range = "a number that is not negative";  ///< the expectation in words
        const char* whole_range = "a number from 0 to 2^53";  ///< likewise, of whole numbers
    };

    template <typename T>
    static void read(const Node& node, T& value, const Rules& rules) {
        read_ref(node, place_of(value), rules);
    }
    template <typename T>
    static void read(const Node& node, T& value) {
        read_ref(node, place_of(value), Rules{});
    }

    /// Fields listed by `list`; other keys are ignored.
    template <typename List>
    static void listed(const Node& node, const List& list) {
        read_listing(node, listing_of(list));
    }

    static void read_ref(const Node& node, const Ref& value, const Rules& rules);
    static void read_listing(const Node& node, const Listing& list);
};

}  // namespace tilewright::yaml
