#include "base/notes.hpp"

#include <algorithm>

namespace tilewright {

Notes::Note& Notes::about(const std::string& text) {
    const auto known = std::find_if(notes_.begin(), notes_.end(), [&](const Note& note) { return note.about == text; });
    return known == notes_.end() ? notes_.emplace_back(Note{text, {}, {}}) : *known;
}

void Notes::add(const std::string& sentence) { about(sentence); }

void Notes::add(const std::string& about_what, const std::string& name, const std::string& place) {
    Note& note = about(about_what);
    if (std::find(note.names.begin(), note.names.end(), name) != note.names.end()) return;
    note.names.push_back(name);
    note.places.push_back(place);
}

std::vector<std::string> Notes::texts() const {
    std::vector<std::string> texts;
    for (const Note& note : notes_) {
        std::string text = note.about;
        for (std::size_t i = 0; i < note.names.size(); ++i) {
            text.append(i == 0 ? ": " : ", ").append(note.names[i]);
            if (!note.places[i].empty()) text.append(" (").append(note.places[i]).append(")");
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

}  // namespace tilewright
