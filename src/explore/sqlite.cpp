#include "explore/sqlite.hpp"

#include <unistd.h>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/error.hpp"

namespace tilewright::explore::sqlite {
namespace {

std::string escaped(const std::string& path) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '%' || c == '?' || c == '#')
            out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
        else
            out += c;
    }
    return out;
}

// Others may write; the lock is held briefly. SQLite's own handler backs off exponentially: one of several writers
// would get nearly all the turns.
int wait_for_others(void*, int times) {
    constexpr std::chrono::microseconds kPause(500);
    constexpr std::chrono::seconds kPatience(120);
    if (times * kPause > kPatience) return 0;
    std::this_thread::sleep_for(kPause);
    return 1;
}

constexpr int kStepsTogether = 100'000;

// An uncompared file is untrusted: it may not change itself behind SQLite's back, and nothing in it runs. Its views are
// for people; no statement of the program uses them.
void trust_nothing_in(sqlite3* connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
}

[[noreturn]] void refuse(const std::string& file, const std::pair<std::string, std::string>& object,
                         const std::string& how) {
    throw InputError(ErrorCode::bad_value, {file},
                     "is damaged: the " + object.first + " '" + object.second + "' in it is " + how);
}

}  // namespace

/// Cost limit of a statement: SQLite machine steps per byte of the file and its log. Circular or repeated page links
/// make a small file endless.
struct Connection::Meter {
    std::string file;
    std::int64_t steps = 0;  ///< of the running statement

    bool is_exceeded() const {
        constexpr std::uintmax_t kFree = 10'000'000;
        constexpr std::uintmax_t kPerByte = 200;  // a row's column is a byte at least, and ten steps at most
        if (file.empty() || static_cast<std::uintmax_t>(steps) <= kFree) return false;
        std::uintmax_t bytes = 0;
        for (const char* more : {"", "-wal"}) {
            std::error_code unknown;
            const std::uintmax_t size = std::filesystem::file_size(file + more, unknown);
            if (!unknown) bytes += size;
        }
        return static_cast<std::uintmax_t>(steps) > kFree + kPerByte * bytes;
    }
    static int count(void* meter) {
        auto& self = *static_cast<Meter*>(meter);
        self.steps += kStepsTogether;
        return self.is_exceeded() ? 1 : 0;
    }
};

Connection::~Connection() = default;
Connection::Connection(Connection&&) noexcept = default;

void Connection::fail() const {
    const int code = handle_ == nullptr ? SQLITE_NOMEM : sqlite3_errcode(handle_.get());
    const std::string words = handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_.get());
    if (code == SQLITE_NOTADB) throw InputError(ErrorCode::bad_value, {file_}, "is no database of SQLite");
    if (code == SQLITE_CORRUPT) throw InputError(ErrorCode::bad_value, {file_}, "is damaged: SQLite says: " + words);
    if (code == SQLITE_INTERRUPT)
        throw InputError(ErrorCode::bad_value, {file_}, "is damaged: reading it goes on for longer than it is large");
    throw InputError(ErrorCode::io, {file_.empty() ? "memory" : file_}, "SQLite says: " + words);
}

void Connection::begin_statement() { meter_->steps = 0; }

// A reader without write permission, or not in the folder, reads the file alone. A write-ahead log beside it needs a
// user with write permission there.
std::string Connection::path_of(Access access, int& flags) const {
    std::error_code unknown;
    // A name with a meaning to SQLite ("file:...", ":memory:") is a file, too.
    const std::filesystem::path path = std::filesystem::absolute(file_, unknown);
    flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (access == Access::make) flags |= SQLITE_OPEN_CREATE;
    const bool beside = ::access(path.parent_path().c_str(), W_OK) == 0;
    if (access != Access::read || (beside && ::access(path.c_str(), W_OK) == 0)) return path.string();
    flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    const std::uintmax_t log = std::filesystem::file_size(path.string() + "-wal", unknown);
    if (beside || (!unknown && log > 0)) return path.string();
    flags |= SQLITE_OPEN_URI;
    return "file:" + escaped(path.string()) + "?immutable=1";
}

Connection::Connection(const std::string& file, Access access) : file_(file), meter_(new Meter{file}) {
    std::error_code unknown;
    if (access != Access::make && !std::filesystem::exists(file, unknown))
        throw InputError(ErrorCode::missing_file, {file}, "there is no such file");
    if (!file.empty() && std::filesystem::is_directory(file, unknown))
        throw InputError(ErrorCode::io, {file}, "is a directory, not a file");
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    sqlite3* handle = nullptr;
    const std::string path = file.empty() ? ":memory:" : path_of(access, flags);
    const int opened = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
    handle_.reset(handle);
    if (opened != SQLITE_OK) fail();
    sqlite3_busy_handler(handle, wait_for_others, nullptr);
    trust_nothing_in(handle);
    sqlite3_progress_handler(handle, kStepsTogether, Meter::count, meter_.get());
}

void Connection::run(const char* sql) {
    begin_statement();
    if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

// Of two simultaneous mode changes, SQLite refuses one without waiting.
void Connection::use_write_ahead_log() {
    constexpr int kMostTries = 6000;
    constexpr std::chrono::milliseconds kPause(10);
    for (int i = 0; i < kMostTries; ++i) {
        const int code = sqlite3_exec(handle_.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
        if (code == SQLITE_OK) return;
        if (code != SQLITE_BUSY) break;
        std::this_thread::sleep_for(kPause);
    }
    fail();
}

std::int64_t Connection::number(const std::string& sql) {
    Statement statement(*this, sql);
    return statement.step() ? statement.whole(0) : 0;
}

Statement::Statement(Connection& connection, std::string_view sql) : connection_(connection) {
    sqlite3_stmt* handle = nullptr;
    connection.begin_statement();
    const int code =
        sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()), &handle, nullptr);
    handle_.reset(handle);
    if (code != SQLITE_OK) connection.fail();
}

Statement& Statement::bind(int index, std::int64_t value) {
    sqlite3_bind_int64(handle_.get(), index + 1, value);
    return *this;
}

Statement& Statement::bind(int index, double value) {
    sqlite3_bind_double(handle_.get(), index + 1, value);
    return *this;
}

Statement& Statement::bind(int index, std::string_view value) {
    sqlite3_bind_text64(handle_.get(), index + 1, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
}

Statement& Statement::bind_null(int index) {
    sqlite3_bind_null(handle_.get(), index + 1);
    return *this;
}

Statement& Statement::bind_bytes(int index, std::string_view value) {
    sqlite3_bind_blob64(handle_.get(), index + 1, value.data() == nullptr ? "" : value.data(), value.size(),
                        SQLITE_TRANSIENT);
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(handle_.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) connection_.fail();
    reset();
    return false;
}

void Statement::reset() {
    sqlite3_reset(handle_.get());
    connection_.begin_statement();
}

void Statement::run() {
    while (step()) {
    }
}

std::string Statement::text(int column) const {
    const unsigned char* bytes = sqlite3_column_text(handle_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
    return bytes == nullptr ? "" : std::string(reinterpret_cast<const char*>(bytes), size);
}

std::string Statement::bytes(int column) const {
    const void* bytes = sqlite3_column_blob(handle_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
    return bytes == nullptr ? "" : std::string(static_cast<const char*>(bytes), size);
}

Transaction::~Transaction() {
    if (open_) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
    connection_.run("COMMIT");
    open_ = false;
}

std::string quoted(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + "\"";
}

Objects objects_in(Connection& connection) {
    Objects objects;
    Statement object(connection,
                     "SELECT type, name, sql FROM sqlite_schema WHERE NOT (type = 'index' AND sql IS NULL) "
                     "AND NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4'))");
    while (object.step()) objects.insert({{object.text(0), object.text(1)}, object.text(2)});
    return objects;
}

void refuse_other_objects(const std::string& file, const Objects& found, const Objects& ours) {
    for (const auto& [object, text] : found) {
        const auto same = ours.find(object);
        if (same == ours.end()) refuse(file, object, "not of this program");
        if (same->second != text) refuse(file, object, "not as it was made");
    }
    for (const auto& [object, text] : ours)
        if (!found.contains(object)) refuse(file, object, "gone");
}

}  // namespace tilewright::explore::sqlite

namespace tilewright::explore {
namespace {

// Field 22 of /proc/PID/stat: start time in clock ticks since boot. The second field, the program's name in
// parentheses, may hold anything.
std::string start_of(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) return "";
    std::istringstream fields(line.substr(name_end + 1));
    constexpr int kStart = 22 - 2;
    std::string field;
    for (int i = 0; i < kStart; ++i) fields >> field;
    return field;
}

}  // namespace

std::string this_process() {
    const std::string pid = std::to_string(::getpid());
    return pid + " " + start_of(pid);
}

bool is_alive(const std::string& process) {
    const std::size_t space = process.find(' ');
    if (space == std::string::npos || space == 0) return false;
    return start_of(process.substr(0, space)) == process.substr(space + 1);
}

}  // namespace tilewright::explore
