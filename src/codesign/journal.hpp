// What a search has found out about boxes and machines, kept in a file as soon as it is known. A search that was killed
// is done over: it asks the same questions in the same order, and the file answers those that were answered before. So
// it ends as if it had not been killed.
//
//     Journal journal("proof.sqlite", {{"space", "..."}, {"version", "..."}});
//     Remembered remembered(subject, journal);
//     search(remembered, space, settings, stop);
//
// An SQLite file in WAL mode: every answer is written as one transaction, or not at all.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "codesign/search.hpp"

namespace tilewright::explore::sqlite {
class Connection;
}

namespace tilewright::codesign {

class Journal {
   public:
    /// Opens or makes the file. `identity`: all that decides the answers, by name. Throws InputError(bad_value) with
    /// the first difference when the file holds another search, (io) when it cannot be read or written.
    Journal(const std::string& file, const std::vector<std::pair<std::string, std::string>>& identity);
    ~Journal();

    /// The answer to a question, asked of `find_out` where it is not known yet. Kept unless `worth_keeping` says that
    /// it is no answer, as after a stop. Thread-safe; `find_out` runs outside of the lock.
    std::optional<double> answer(const std::string& question, const std::function<std::optional<double>()>& find_out,
                                 const std::function<bool()>& worth_keeping);

    /// Answers that were found in the file.
    std::int64_t found() const { return found_; }

   private:
    void check_identity(const std::vector<std::pair<std::string, std::string>>& identity);
    bool look_up(const std::string& question, std::optional<double>& answer);
    void keep(const std::string& question, const std::optional<double>& answer);

    std::mutex mutex_;
    std::unique_ptr<explore::sqlite::Connection> connection_;
    std::int64_t found_ = 0;
};

/// A subject whose dear answers are kept.
class Remembered : public Subject {
   public:
    /// All outlive it. `prefix` tells the questions of several subjects with one journal apart.
    Remembered(Subject& subject, Journal& journal, const StopSource& stop, std::string prefix = "")
        : subject_(subject), journal_(journal), stop_(stop), prefix_(std::move(prefix)) {}

    std::optional<double> quick_floor(const Box& box) override { return subject_.quick_floor(box); }
    std::optional<double> floor(const Box& box, double enough) override;
    std::size_t knob_to_cut(const Box& box) override;
    Mapped map(explore::Point point) override;

   private:
    Subject& subject_;
    Journal& journal_;
    const StopSource& stop_;
    const std::string prefix_;
};

}  // namespace tilewright::codesign
