// SQLite with values, scopes and errors: a connection, a prepared statement, a transaction. Not thread-safe.
#pragma once

#include <sqlite3.h>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright::explore::sqlite {

/// Trusts nothing in the file: no view or trigger of it runs, and a statement too long for the file's size ends
/// (InputError(bad_value)).
class Connection {
   public:
    /// read: a read-only file suffices.
    enum class Access { read, write, make };
    /// "": in memory. Throws InputError(missing_file) if the file is missing and not to be made.
    Connection(const std::string& file, Access access);
    ~Connection();
    Connection(Connection&&) noexcept;

    void run(const std::string& sql) { run(sql.c_str()); }
    void run(const char* sql);
    /// From now on readers and a writer do not wait for each other (write-ahead log). Others may be about to do the
    /// same.
    void use_write_ahead_log();
    std::int64_t changes() const { return sqlite3_changes(handle_.get()); }
    const std::string& file() const { return file_; }
    sqlite3* handle() const { return handle_.get(); }
    /// The first integer of a query's result.
    std::int64_t number(const std::string& sql);
    /// Throws InputError at the file, with SQLite's words.
    [[noreturn]] void fail() const;
    /// Resets the step counter for another statement.
    void begin_statement();

   private:
    struct Meter;
    std::string path_of(Access access, int& flags) const;

    struct Close {
        void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
    };
    std::string file_;
    std::unique_ptr<Meter> meter_;
    std::unique_ptr<sqlite3, Close> handle_;
};

/// Parameters and columns count from 0.
class Statement {
   public:
    Statement(Connection& connection, std::string_view sql);

    Statement& bind(int index, std::int64_t value);
    Statement& bind(int index, double value);
    Statement& bind(int index, std::string_view value);
    Statement& bind_null(int index);
    Statement& bind_bytes(int index, std::string_view value);
    /// Whether there is a row; resets itself after the last one.
    bool step();
    /// For statements without rows: runs to the end.
    void run();
    void reset();

    std::int64_t whole(int column) const { return sqlite3_column_int64(handle_.get(), column); }
    double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
    bool is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
    std::string text(int column) const;
    std::string bytes(int column) const;

   private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    Connection& connection_;
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// Holds the write lock from its beginning; rolled back unless committed.
class Transaction {
   public:
    /// to_read: a snapshot of one moment, without waiting.
    enum class Wants { to_write, to_read };
    explicit Transaction(Connection& connection, Wants wants = Wants::to_write) : connection_(connection) {
        connection_.run(wants == Wants::to_write ? "BEGIN IMMEDIATE" : "BEGIN");
    }
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

   private:
    Connection& connection_;
    bool open_ = true;
};

/// A name quoted for SQL, whatever its contents.
std::string quoted(std::string_view name);

// Whether the tables, views and indexes of an SQLite file are this program's: a file of unknown origin is queried in no
// others. A table may really be a view, an endless query.

/// A schema: by kind and name, the defining text. Without SQLite's automatic indexes, and ANALYZE's statistics.
using Objects = std::map<std::pair<std::string, std::string>, std::string>;
Objects objects_in(Connection& connection);

/// Throws InputError(bad_value) at `file` for the first object missing or different from `ours`.
void refuse_other_objects(const std::string& file, const Objects& found, const Objects& ours);

}  // namespace tilewright::explore::sqlite

namespace tilewright::explore {

// Names of this machine's processes, for liveness checks by others.

/// "PID STARTED": a later process with the same pid has another name.
std::string this_process();

/// False if certainly no such process runs here any more.
bool is_alive(const std::string& process);

}  // namespace tilewright::explore
