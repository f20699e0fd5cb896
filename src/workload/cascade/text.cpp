#include "workload/cascade/text.hpp"

#include "base/numbers/checked.hpp"
#include "workload/cascade/builder.hpp"
#include "workload/cascade/text_einsum.hpp"

namespace tilewright {
namespace {

using namespace cascade_text;

class Reader {
   public:
    Reader(std::string_view text, const std::string& name, const std::string& file)
        : source_(text, file), tensors_(source_), builder_(name) {}

    Cascade read(const std::vector<std::pair<std::string, std::int64_t>>& extents) {
        statements_ = parse(source_);
        for (const auto& [name, extent] : extents) add_size({name, 0}, extent);
        for_each<SizesText>([&](const SizesText& all) {
            for (const SizesText::Size& one : all.sizes) add_size(one.name, one.extent);
        });
        for_each<EinsumText>([&](const EinsumText& one) { einsums_.push_back(read_einsum(source_, sizes_, one)); });
        if (einsums_.empty()) source_.fail(0, ErrorCode::bad_value, "a cascade needs at least one einsum");
        settle_tensors();
        for (const Known& one : tensors_.tensors()) builder_.tensor(one.name, *one.role, *one.shape);
        return built();
    }

   private:
    template <typename One, typename What>
    void for_each(const What& what) {
        for (const Statement& statement : statements_)
            if (const One* one = std::get_if<One>(&statement)) what(*one);
    }

    void add_size(const Word& name, std::int64_t extent) {
        if (!sizes_.extents.emplace(name.text, extent).second)
            source_.fail(name.place, ErrorCode::duplicate_key, "size '" + name.text + "' is given twice");
    }

    void settle_tensors() {
        for (const ReadEinsum& one : einsums_)
            for (const Use& use : one.uses) tensors_.add_use(use);
        for_each<DeclarationText>([&](const DeclarationText& one) { tensors_.declare(one, sizes_); });
        for_each<ViewText>([&](const ViewText& one) { tensors_.declare_view(one, sizes_); });
        for_each<CarryText>([&](const CarryText& one) { tensors_.carry(one); });
        for (const auto& [name, extent] : sizes_.extents)
            if (!sizes_.used.contains(name))
                source_.fail(0, ErrorCode::bad_value, "size '" + name + "' is given but no statement uses it");
        tensors_.settle();
    }

    Cascade built() {
        std::size_t next = 0;
        for (const Statement& statement : statements_) {
            if (const auto* block = std::get_if<BlockText>(&statement)) begin(*block);
            if (const auto* carry = std::get_if<CarryText>(&statement)) this->carry(*carry);
            if (const auto* end = std::get_if<EndText>(&statement)) this->end(*end);
            if (std::holds_alternative<EinsumText>(statement)) add(einsums_[next++]);
        }
        if (inside_) source_.fail(source_.text().size(), ErrorCode::syntax, "expected '}': a block is not ended");
        return taken();
    }

    void begin(const BlockText& block) {
        if (inside_) source_.fail(block.name.place, ErrorCode::unsupported, "a block inside a block is not supported");
        builder_.begin_block(block.name.text, block.count);
        inside_ = true;
    }

    void carry(const CarryText& carry) {
        if (!inside_) source_.fail(carry.made.place, ErrorCode::bad_value, "'carry' belongs into a block");
        carried_.emplace_back(tensors_.index_of(carry.made.text), tensors_.index_of(carry.next.text));
    }

    void end(const EndText& end) {
        if (!inside_) source_.fail(end.place, ErrorCode::syntax, "there is no block that '}' could end");
        builder_.end_block(carried_);
        carried_.clear();
        inside_ = false;
    }

    void add(const ReadEinsum& read) {
        CascadeEinsum one = read.einsum;
        for (std::size_t i = 0; i < read.uses.size(); ++i) {
            one.accesses[i].tensor = tensors_.index_of(read.uses[i].text->name.text);
            if (!read.uses[i].written) check_written_before(read.uses[i]);
        }
        for (const Use& use : read.uses)
            if (use.written) written_.insert(use.text->name.text);
        for (int i = 2; !labels_.insert(one.name).second; ++i) one.name = read.einsum.name + "#" + std::to_string(i);
        builder_.einsum(std::move(one));
    }

    void check_written_before(const Use& use) const {
        const Known& tensor = tensors_.tensors()[tensors_.index_of(use.text->name.text)];
        if (!tensor.is_written() || written_.contains(tensor.name) || *tensor.role == TensorRole::cache) return;
        source_.fail(use.text->name.place, ErrorCode::bad_value, "'" + tensor.name + "' is read before it is written");
    }

    Cascade taken() {
        for (int t = 0; t < static_cast<int>(tensors_.tensors().size()); ++t)
            if (const int of = tensors_.tensors()[t].view_of; of >= 0) builder_.view(t, of);
        try {
            return builder_.take();
        } catch (const InputError& error) {
            source_.fail(0, error.code(), error.message());
        } catch (const OverflowError&) {
            source_.fail(0, ErrorCode::overflow, "the cascade is too large to count in 64 bits");
        }
    }

    Source source_;
    TensorTable tensors_;
    CascadeBuilder builder_;
    std::vector<Statement> statements_;
    Sizes sizes_;
    std::vector<ReadEinsum> einsums_;
    std::vector<std::pair<int, int>> carried_;
    bool inside_ = false;
    std::set<std::string> written_;
    std::set<std::string> labels_;
};

}  // namespace

Cascade parse_cascade(std::string_view text, const std::vector<std::pair<std::string, std::int64_t>>& extents,
                      const std::string& name, const std::string& file) {
    return Reader(text, name, file).read(extents);
}

bool is_cascade_text(std::string_view text) {
    const std::size_t first = text.find(';');
    return first != std::string_view::npos && text.find_first_not_of(" \t\r\n;", first) != std::string_view::npos;
}

}  // namespace tilewright
