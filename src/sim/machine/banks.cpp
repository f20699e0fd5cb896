#include "sim/machine/banks.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::sim {
namespace {

std::size_t slot(std::int64_t index) { return static_cast<std::size_t>(index); }

}  // namespace

Banks::Banks(int banks, std::int64_t row_words, const std::vector<double>& words)
    : row_words_(row_words), free_from_(slot(banks), 0), next_read_(words.size()), next_written_(words.size()) {
    std::int64_t base = 0;
    for (const double one : words) {
        base_.push_back(base);
        rows_.push_back(
            std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(one / static_cast<double>(row_words_)))));
        base += rows_.back();
    }
}

Banks::Rows Banks::rows_of(const Place& place, int tensor, double words) const {
    const double row_words = static_cast<double>(row_words_);
    auto first = static_cast<std::int64_t>(place.word / row_words);
    const auto end = static_cast<std::int64_t>(std::ceil((place.word + words) / row_words));
    if (first == place.row) ++first;
    return {first, std::min(std::max<std::int64_t>(0, end - first), rows_[slot(tensor)])};
}

std::size_t Banks::bank_of(int tensor, std::int64_t row) const {
    return slot(base_[slot(tensor)] + row % rows_[slot(tensor)]) % free_from_.size();
}

void Banks::advance(Place& place, int tensor, double words) const {
    const double row_words = static_cast<double>(row_words_);
    const double end = place.word + words;
    const auto whole = static_cast<std::int64_t>(end / row_words);
    const bool between_rows = static_cast<double>(whole) * row_words == end;
    place.word = std::fmod(end, static_cast<double>(rows_[slot(tensor)]) * row_words);
    place.row = between_rows ? -1 : whole % rows_[slot(tensor)];
}

// Row j of an access takes its turn j / banks cycles later: per cycle, one row of every bank.

bool Banks::free(Cycle now, int tensor, double words) const {
    const Rows rows = rows_of(next_read_[slot(tensor)], tensor, words);
    for (std::int64_t j = 0; j < rows.count; ++j) {
        const Cycle turn = now + j / static_cast<std::int64_t>(free_from_.size());
        if (free_from_[bank_of(tensor, rows.first + j)] > turn) return false;
    }
    return true;
}

void Banks::read(Cycle now, int tensor, double words) {
    Place& place = next_read_[slot(tensor)];
    const Rows rows = rows_of(place, tensor, words);
    for (std::int64_t j = 0; j < rows.count; ++j) {
        const Cycle turn = now + j / static_cast<std::int64_t>(free_from_.size());
        free_from_[bank_of(tensor, rows.first + j)] = turn + 1;
    }
    advance(place, tensor, words);
}

void Banks::write(Cycle now, int tensor, double words) {
    Place& place = next_written_[slot(tensor)];
    const Rows rows = rows_of(place, tensor, words);
    for (std::int64_t j = 0; j < rows.count; ++j) {
        Cycle& free_from = free_from_[bank_of(tensor, rows.first + j)];
        free_from = std::max(free_from, now + j / static_cast<std::int64_t>(free_from_.size())) + 1;
    }
    advance(place, tensor, words);
}

Cycle Banks::next_free(Cycle now) const {
    Cycle next = 0;
    for (const Cycle free_from : free_from_) {
        if (free_from > now && (next == 0 || free_from < next)) next = free_from;
    }
    return next;
}

}  // namespace tilewright::sim
