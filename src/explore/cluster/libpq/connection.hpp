// libpq with values, scopes and errors: address, connection, result, transaction, bulk loading. Not thread-safe.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::cluster {

// libpq's functions, loaded when a store in a server is first asked for: the program starts, and is installed, without
// libpq and the Kerberos, LDAP and TLS libraries that come with it.

/// Each is the function of libpq with this name.
// NOLINTBEGIN(readability-identifier-naming): names of libpq
struct Library {
    decltype(&::PQclear) PQclear;
    decltype(&::PQcmdTuples) PQcmdTuples;
    decltype(&::PQconnectdbParams) PQconnectdbParams;
    decltype(&::PQconninfoFree) PQconninfoFree;
    decltype(&::PQconninfoParse) PQconninfoParse;
    decltype(&::PQconsumeInput) PQconsumeInput;
    decltype(&::PQerrorMessage) PQerrorMessage;
    decltype(&::PQescapeIdentifier) PQescapeIdentifier;
    decltype(&::PQexec) PQexec;
    decltype(&::PQexecParams) PQexecParams;
    decltype(&::PQfinish) PQfinish;
    decltype(&::PQfreemem) PQfreemem;
    decltype(&::PQgetisnull) PQgetisnull;
    decltype(&::PQgetlength) PQgetlength;
    decltype(&::PQgetResult) PQgetResult;
    decltype(&::PQgetvalue) PQgetvalue;
    decltype(&::PQnfields) PQnfields;
    decltype(&::PQnotifies) PQnotifies;
    decltype(&::PQntuples) PQntuples;
    decltype(&::PQputCopyData) PQputCopyData;
    decltype(&::PQputCopyEnd) PQputCopyEnd;
    decltype(&::PQresultErrorField) PQresultErrorField;
    decltype(&::PQresultErrorMessage) PQresultErrorMessage;
    decltype(&::PQresultStatus) PQresultStatus;
    decltype(&::PQsetNoticeProcessor) PQsetNoticeProcessor;
    decltype(&::PQstatus) PQstatus;
};
// NOLINTEND(readability-identifier-naming)

/// Loaded once a process. Throws InputError(unsupported) where there is no libpq. Thread-safe.
const Library& libpq();

/// The server is gone or refuses for now: worth a retry. The connection has to be renewed.
class Lost : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

/// Where a server is.
struct Address {
    std::string url;
    std::string shown;  ///< without user, password and parameters
};

/// Throws InputError(usage) for a URL with a password, and InputError(bad_value) for an invalid one. Neither repeats
/// its contents.
Address parse_address(const std::string& url);

class Parameter {
   public:
    Parameter(std::string text) : bytes_(std::move(text)) {}                         // NOLINT: values are parameters
    Parameter(const char* text) : bytes_(text) {}                                    // NOLINT
    Parameter(std::int64_t whole) : bytes_(std::to_string(whole)) {}                 // NOLINT
    Parameter(std::nullptr_t) : null_(true) {}                                       // NOLINT
    static Parameter binary(std::string bytes) { return {std::move(bytes), true}; }  ///< bytea
    const char* data() const { return null_ ? nullptr : bytes_.c_str(); }
    int size() const { return static_cast<int>(bytes_.size()); }
    bool is_binary() const { return binary_; }

   private:
    Parameter(std::string bytes, bool binary) : bytes_(std::move(bytes)), binary_(binary) {}
    std::string bytes_;
    bool binary_ = false;
    bool null_ = false;
};

/// Rows and columns count from 0. Texts, unless the query asked for binary results.
class Result {
   public:
    explicit Result(PGresult* handle) : handle_(handle) {}
    int rows() const { return libpq().PQntuples(handle_.get()); }
    int columns() const { return libpq().PQnfields(handle_.get()); }
    bool is_null(int row, int column) const { return libpq().PQgetisnull(handle_.get(), row, column) != 0; }
    std::string text(int row, int column) const;
    std::int64_t whole(int row, int column) const;
    bool flag(int row, int column) const { return text(row, column) == "t"; }
    /// Rows changed by an UPDATE or INSERT.
    std::int64_t touched() const;
    // Of binary results.
    std::int64_t binary_whole(int row, int column) const;  ///< int2, int4, int8
    double binary_real(int row, int column) const;         ///< float8
    PGresult* handle() const { return handle_.get(); }

   private:
    struct Clear {
        void operator()(PGresult* result) const { libpq().PQclear(result); }
    };
    std::unique_ptr<PGresult, Clear> handle_;
};

/// Every query throws Lost without a server, InputError(io) with the server's words for everything else.
class Connection {
   public:
    /// Throws InputError(io).
    explicit Connection(Address address);

    enum class Format { text, binary };
    Result query(const std::string& sql, const std::vector<Parameter>& parameters = {}, Format format = Format::text);
    /// Several statements, without parameters.
    void run(const std::string& sql);
    /// A name quoted for SQL, whatever its contents.
    std::string quoted(const std::string& name) const;

    bool is_lost() const { return libpq().PQstatus(handle_.get()) != CONNECTION_OK; }
    /// Throws Lost when there still is no server.
    void renew();
    /// Payloads of the notifications received.
    std::vector<std::string> notifications();

    const Address& address() const { return address_; }
    PGconn* handle() const { return handle_.get(); }
    /// Throws by the last failure.
    [[noreturn]] void fail(const PGresult* result) const;

   private:
    struct Finish {
        void operator()(PGconn* connection) const { libpq().PQfinish(connection); }
    };
    Address address_;
    std::unique_ptr<PGconn, Finish> handle_;
};

/// Undone unless committed.
class Transaction {
   public:
    enum class Wants { to_write, to_read };
    /// Reading: a snapshot of one moment.
    explicit Transaction(Connection& connection, Wants wants = Wants::to_write);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

   private:
    Connection& connection_;
    bool open_ = true;
};

/// COPY ... FROM STDIN in its binary form.
class BulkLoad {
   public:
    /// `target`: "result(point, status)".
    BulkLoad(Connection& connection, const std::string& target);
    void begin_row(int columns);
    void add_small(std::int16_t value);
    void add_whole(std::int64_t value);
    void add_real(double value);
    void add_text(std::string_view value);
    void add_null();
    void finish();

   private:
    void send();

    Connection& connection_;
    std::string buffer_;
};

}  // namespace tilewright::cluster
