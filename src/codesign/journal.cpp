#include "codesign/journal.hpp"

#include <array>
#include <charconv>
#include <map>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "explore/sqlite.hpp"

namespace tilewright::codesign {
namespace {

using explore::sqlite::Connection;
using explore::sqlite::Statement;
using explore::sqlite::Transaction;

constexpr std::int64_t kApplication = 0x54574344;  // "TWCD"
constexpr std::int64_t kVersion = 1;
constexpr const char* kTables =
    "CREATE TABLE specification(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;"
    "CREATE TABLE answer(question TEXT PRIMARY KEY, value REAL) STRICT, WITHOUT ROWID";

std::unique_ptr<Connection> opened(const std::string& file) {
    auto connection = std::make_unique<Connection>(file, Connection::Access::make);
    const std::int64_t application = connection->number("PRAGMA application_id");
    const std::int64_t tables = connection->number("SELECT count(*) FROM sqlite_schema");
    if (tables > 0 && (application != kApplication || connection->number("PRAGMA user_version") != kVersion))
        throw InputError(ErrorCode::bad_value, {file},
                         "holds something else than a search with proof of this version of the program");
    connection->use_write_ahead_log();
    Transaction transaction(*connection);
    connection->run("PRAGMA application_id = " + std::to_string(kApplication));
    connection->run("PRAGMA user_version = " + std::to_string(kVersion));
    // Another process may have made them since.
    if (connection->number("SELECT count(*) FROM sqlite_schema") == 0) connection->run(kTables);
    Connection ours("", Connection::Access::make);
    ours.run(kTables);
    explore::sqlite::refuse_other_objects(file, explore::sqlite::objects_in(*connection),
                                          explore::sqlite::objects_in(ours));
    transaction.commit();
    return connection;
}

// Different numbers have different texts.
std::string exact_text(double number) {
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
    return {text.data(), end};
}

}  // namespace

Journal::Journal(const std::string& file, const std::vector<std::pair<std::string, std::string>>& identity)
    : connection_(opened(file)) {
    check_identity(identity);
}

Journal::~Journal() = default;

void Journal::check_identity(const std::vector<std::pair<std::string, std::string>>& identity) {
    std::map<std::string, std::string> theirs;
    Transaction transaction(*connection_);
    Statement all(*connection_, "SELECT key, value FROM specification");
    while (all.step()) theirs.emplace(all.text(0), all.text(1));
    if (theirs.empty()) {
        Statement insert(*connection_, "INSERT INTO specification VALUES(?, ?)");
        for (const auto& [key, value] : identity)
            insert.bind(0, std::string_view(key)).bind(1, std::string_view(value)).run();
        transaction.commit();
        return;
    }
    for (const auto& [key, value] : identity) {
        const auto other = theirs.find(key);
        if (other != theirs.end() && other->second == value) continue;
        throw InputError(ErrorCode::bad_value, {connection_->file()},
                         "holds another search: its '" + key + "' is " +
                             (other == theirs.end() ? "not there" : other->second) + ", not " + value);
    }
}

bool Journal::look_up(const std::string& question, std::optional<double>& answer) {
    Statement find(*connection_, "SELECT value FROM answer WHERE question = ?");
    find.bind(0, std::string_view(question));
    if (!find.step()) return false;
    if (!find.is_null(0)) answer = find.real(0);
    ++found_;
    return true;
}

void Journal::keep(const std::string& question, const std::optional<double>& answer) {
    Statement insert(*connection_, "INSERT OR IGNORE INTO answer VALUES(?, ?)");
    insert.bind(0, std::string_view(question));
    if (answer)
        insert.bind(1, *answer);
    else
        insert.bind_null(1);
    insert.run();
}

std::optional<double> Journal::answer(const std::string& question,
                                      const std::function<std::optional<double>()>& find_out,
                                      const std::function<bool()>& worth_keeping) {
    std::optional<double> answer;
    {
        const std::lock_guard lock(mutex_);
        if (look_up(question, answer)) return answer;
    }
    answer = find_out();
    if (!worth_keeping()) return answer;
    const std::lock_guard lock(mutex_);
    keep(question, answer);
    return answer;
}

// `enough` is part of the question: a floor is computed only that far.
std::optional<double> Remembered::floor(const Box& box, double enough) {
    return journal_.answer(
        prefix_ + "floor " + text_of(box) + " of " + exact_text(enough), [&] { return subject_.floor(box, enough); },
        [&] { return !stop_.requested(); });
}

std::size_t Remembered::knob_to_cut(const Box& box) {
    const std::optional<double> knob = journal_.answer(
        prefix_ + "cut " + text_of(box), [&] { return static_cast<double>(subject_.knob_to_cut(box)); },
        [&] { return !stop_.requested(); });
    return static_cast<std::size_t>(*knob);
}

Mapped Remembered::map(explore::Point point) {
    std::optional<Mapped> found;
    const auto mapped = [&]() -> const Mapped& { return found ? *found : found.emplace(subject_.map(point)); };
    const auto whole = [&] { return !stop_.requested(); };
    Mapped known;
    known.value = journal_.answer(prefix_ + "map " + std::to_string(point), [&] { return mapped().value; }, whole);
    known.least = journal_.answer(prefix_ + "least " + std::to_string(point), [&] { return mapped().least; }, whole);
    return known;
}

}  // namespace tilewright::codesign
