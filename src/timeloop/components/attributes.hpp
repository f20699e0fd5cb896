// Attributes of one component, its own and those inherited from containers, with arithmetic.
//
// A name in an expression resolves, in this order, to: another attribute of the same component or container, one of an
// outer container, a variable of the `variables` section, a component, `spec` (the whole file), `variables`, or
// `attributes` (those of the component). With an !ArrayContainer the variables ARRAY_WORDLINES, ARRAY_BITLINES and
// ARRAY_PARALLEL_<TENSOR> are its sizes, and INPUTS_HIST is the problem's histogram of Inputs, as in CiMLoop.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timeloop/expression/expression.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// One map of attributes and its outer scope.
struct Scope {
    yaml::Node attributes;  ///< a map or nothing
    std::shared_ptr<const Scope> outer;
    bool inherits = true;  ///< false for `variables`: visible to expressions, not inherited as attributes
};

/// Computes attributes, each at most once; knows the components by name. One per reading of a file: not shared between
/// threads.
class Evaluator {
   public:
    explicit Evaluator(yaml::Node root) : root_(std::move(root)) {}

    void add_component(const std::string& name, const yaml::Node& node, std::shared_ptr<const Scope> scope);
    Value value(const yaml::Node& node, const std::shared_ptr<const Scope>& scope);
    std::optional<Value> named(std::string_view name, const std::shared_ptr<const Scope>& scope);

   private:
    using Key = std::pair<const Scope*, std::string>;

    std::optional<Value> component(std::string_view name, const std::shared_ptr<const Scope>& scope);
    std::vector<std::string> known_names(const std::shared_ptr<const Scope>& scope) const;

    yaml::Node root_;
    std::map<std::string, std::pair<yaml::Node, std::shared_ptr<const Scope>>, std::less<>> components_;
    std::map<Key, Value> computed_;
    std::set<Key> in_progress_;
};

class Attributes {
   public:
    using Keys = std::initializer_list<std::string_view>;  ///< spellings of one attribute, the preferred one first

    Attributes() = default;
    Attributes(std::shared_ptr<const Scope> scope, std::shared_ptr<Evaluator> evaluator)
        : scope_(std::move(scope)), evaluator_(std::move(evaluator)) {}

    /// Its place if given (own before inherited; null counts as absent). Refuses two spellings with different values.
    const yaml::Node* find(Keys keys) const;
    bool has(Keys keys) const { return find(keys) != nullptr; }

    std::optional<std::int64_t> whole(Keys keys) const;
    std::optional<std::int64_t> positive(Keys keys) const;      ///< >= 1, else bad_value
    std::optional<std::int64_t> not_negative(Keys keys) const;  ///< >= 0, else bad_value
    std::optional<double> real(Keys keys) const;
    std::optional<double> real_from(Keys keys, double least) const;  ///< >= least, else bad_value
    std::optional<bool> boolean(Keys keys) const;
    /// Plain text, or the value of a single variable.
    std::optional<std::string> text(Keys keys) const;

    /// Computed, whatever it is.
    std::optional<Value> value(Keys keys) const;

    const std::shared_ptr<const Scope>& scope() const { return scope_; }
    const std::shared_ptr<Evaluator>& evaluator() const { return evaluator_; }

   private:
    std::pair<const yaml::Node*, std::shared_ptr<const Scope>> locate(Keys keys) const;

    std::shared_ptr<const Scope> scope_;
    std::shared_ptr<Evaluator> evaluator_;
};

/// wrong_type for `true` and `false` (1 and 0 in expressions) where `what` must be a number.
void refuse_boolean(const yaml::Node& node, const std::string& what);

/// The integer in `value`, or wrong_type / overflow at `place` naming `what`.
std::int64_t whole_of(const Value& value, const yaml::Node& place, const std::string& what);

}  // namespace tilewright::timeloop
