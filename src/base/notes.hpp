// What the user has to know about the input although it is no mistake: collected in one place while files are read.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

/// Sentences and lists of names, each once, in the order in which they came up. A list is one note: what was said about
/// all of its names, and the names. Not thread-safe.
class Notes {
   public:
    /// A sentence of its own.
    void add(const std::string& sentence);
    /// Adds to the note "`about`: first, second (b.yaml:3)" the name `name` and its place, the first of each name only.
    void add(const std::string& about, const std::string& name, const std::string& place);

    std::vector<std::string> texts() const;
    bool empty() const { return notes_.empty(); }

   private:
    struct Note {
        std::string about;
        std::vector<std::string> names;
        std::vector<std::string> places;
    };
    Note& about(const std::string& text);

    std::vector<Note> notes_;
};

}  // namespace tilewright
