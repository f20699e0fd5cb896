// Values as JSON (yaml/archive.hpp). Pure functions.
#pragma once

#include <nlohmann/json.hpp>

#include "yaml/archive.hpp"

namespace tilewright::yaml {

using Json = nlohmann::ordered_json;

struct Writer {
    template <typename T>
    static Json write(const T& value) {
        return write_ref(place_of(value));
    }
    /// An object of the fields listed by `list` on the given archive.
    template <typename List>
    static Json listed(const List& list) {
        return write_listing(listing_of(list));
    }

    static Json write_ref(const Ref& value);
    static Json write_listing(const Listing& list);
};

}  // namespace tilewright::yaml
