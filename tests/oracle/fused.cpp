#include "oracle/fused.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "mapping/fused/fused_mapping.hpp"
#include "mapping/fused/tree.hpp"
#include "mapping/fused/unfinished.hpp"
#include "oracle/elements.hpp"
#include "oracle/partial_sums.hpp"
#include "oracle/rows_behind.hpp"

namespace tilewright::oracle {
namespace {

class FusedWalk {
   public:
    FusedWalk(const Cascade& cascade, const Architecture& architecture, const FusedMapping& mapping,
              const PartialBits& partial)
        : cascade_(cascade), architecture_(architecture), tree_(cascade, mapping), partial_(partial) {
        partial_.resize(cascade.tensors.size(), 0);
        counts_.memories.assign(architecture.memories.size(), std::vector<Traffic>(cascade.tensors.size()));
        for (auto* table : {&counts_.partial_words, &counts_.energy_pj})
            table->assign(architecture.memories.size(), std::vector<double>(cascade.tensors.size(), 0.0));
        for (auto* list : {&counts_.operations, &counts_.calls, &counts_.compute_cycles})
            list->resize(cascade.einsums.size());
        counts_.peak_words.resize(architecture.memories.size());
        points_.resize(cascade.einsums.size());
        counts_.corrected_words.resize(cascade.einsums.size());
        for (const UnfinishedStatistics& one : all_read_unfinished(cascade, tree_))
            unfinished_.push_back({one, rows_behind(cascade, one)});
    }

    FusedCounts run() {
        Memory state;
        const Span all = whole(tree_.last_einsum(0));
        run_from(0, all, state, nullptr);
        look_for_gaps(state);
        settle_all();
        for (int m = 0; m < architecture_.memory_count(); ++m)
            for (const auto& [leaf, tiles] : private_bits_) {
                const std::int64_t bits = tiles[m] + shared_bits(m, leaf);
                const std::int64_t word = architecture_.memories[m].word_bits;
                counts_.peak_words[m] = std::max(counts_.peak_words[m], (bits + word - 1) / word);
            }
        add_energies_of_stores();
        return std::move(counts_);
    }

   private:
    /// A tensor in a store: the node and the tensor.
    using Key = std::pair<int, int>;

    struct Kept {
        Elements held;
        std::optional<Element> start;
        std::optional<Element> direction;
        Elements summed;  ///< of statistics read unfinished: elements of their rows that are in them
    };
    using Memory = std::map<Key, Kept>;

    /// What a rehearsal finds: by tensor, the elements read and made.
    struct Rehearsal {
        std::map<int, Elements> read;
        std::map<int, Elements> made;
    };

    const CascadeEinsum& einsum(int e) const { return cascade_.einsums[e]; }
    const CascadeTensor& tensor(int t) const { return cascade_.tensors[t]; }
    int shared(int e, int operand) const { return einsum(e).accesses[operand].tensor; }
    bool writes(int e, int operand) const { return einsum(e).einsum.tensors[operand].written; }

    // ---------------------------------------------------------------- statistics that are read unfinished

    struct Unfinished {
        UnfinishedStatistics what;
        /// By element of the sum: the results of the statistics that are behind it.
        std::map<Element, Elements> behind = {};
        std::map<Element, std::int64_t> changes = {};  ///< by result: how often it took in more of its row
        std::map<Element, std::int64_t> seen = {};     ///< by element of the sum: changes behind it when last added to
    };

    int result_operand(int e) const { return oracle::result_operand(einsum(e)); }

    const Access& access(int e, int operand) const { return einsum(e).accesses[operand]; }

    Key home_of(const UnfinishedStatistics& one) const {
        return {one.home, shared(one.einsum, result_operand(one.einsum))};
    }

    void take_in(int leaf, const Span& span, Memory& state) const {
        for (const Unfinished& one : unfinished_)
            if (one.what.leaf == leaf) {
                const Elements rows = touched(one.what.einsum, one.what.row_operand, span);
                state[home_of(one.what)].summed.insert(rows.begin(), rows.end());
            }
    }

    /// Of rows whose statistics are gone nothing is in them.
    void forget_rows(const Key& key, Kept& kept) const {
        for (const Unfinished& one : unfinished_) {
            if (home_of(one.what) != key) continue;
            Elements left;
            const int e = one.what.einsum;
            each_point(whole(e), [&](const Point& point) {
                const Element row = element_at(access(e, one.what.row_operand), point);
                if (kept.held.contains(element_at(access(e, result_operand(e)), point)) && kept.summed.contains(row))
                    left.insert(row);
            });
            kept.summed = left;
        }
    }

    /// Points that take in what of the rows is needed and not in the statistics, and the span around them.
    std::optional<Span> rows_needed(const UnfinishedStatistics& one, const std::map<int, Elements>& needs,
                                    const Memory& state) const {
        if (!needs.contains(one.rows)) return std::nullopt;
        const auto kept = state.find(home_of(one));
        const Elements& need = needs.at(one.rows);
        const Elements lacks = filled(kept == state.end() ? need : without(need, kept->second.summed));
        return span_around(one.einsum, one.row_operand, lacks);
    }

    /// An element of the sum that is gone on with after what is behind it changed is corrected first.
    void correct(int leaf, const Span& span, TensorSet resumed) {
        const int e = tree_.leaf(leaf)->einsum;
        for (Unfinished& one : unfinished_) {
            if (one.what.leaf == leaf && !resumed.empty())
                for (const Element& row : touched(e, result_operand(e), span)) ++one.changes[row];
            if (e != one.what.summing()) continue;
            const int result = result_operand(e);
            std::int64_t corrected = 0;
            for (const Element& element : touched(e, result, span)) {
                std::int64_t changes = 0;
                for (const Element& row : one.behind.at(element)) changes += one.changes[row];
                if (!resumed.empty() && one.seen.at(element) < changes) ++corrected;
                one.seen[element] = changes;
            }
            const Key store{tree_.chain(leaf, shared(e, result)).back(), shared(e, result)};
            traffic(store).reads += static_cast<double>(corrected);
            traffic(store).updates += static_cast<double>(corrected);
            Sent& sent = has_sums(store.second) ? sent_[store].corrected : sent_[store].corrected_whole;
            sent.reads += static_cast<double>(corrected);
            sent.updates += static_cast<double>(corrected);
            counts_.corrected_words[e] += corrected;
        }
    }

    Span whole(int e) const { return oracle::whole(einsum(e)); }

    /// The bounding box of what an operand touches, borders taken into account or not.
    Elements touched(int e, int operand, const Span& span, bool borders = true) const {
        const Access& access = einsum(e).accesses[operand];
        Elements some;
        each_point(span, [&](const Point& point) {
            const Element element = element_at(access, point);
            if (!borders || exists(element, tensor(access.tensor))) some.insert(element);
        });
        return filled(some);
    }

    void run_from(int node, const Span& span, Memory& state, Rehearsal* rehearsal) {
        if (tree_.leaf(node) != nullptr) {
            if (rehearsal != nullptr)
                rehearse_leaf(node, span, state, *rehearsal);
            else
                run_leaf(node, span, state);
        } else if (const SharedLoop* loop = tree_.loop(node)) {
            const auto d = static_cast<std::size_t>(loop->dimension);
            for (std::int64_t at = span[d].first; at <= span[d].second; at += loop->step) {
                Span part = span;
                part[d] = {at, std::min(at + loop->step - 1, span[d].second)};
                run_from(tree_.children(node).front(), part, state, rehearsal);
            }
        } else if (tree_.store(node) != nullptr) {
            int below = node;
            while (tree_.store(below) != nullptr) below = tree_.children(below).front();
            move_stores(node, below, span, state, rehearsal);
            run_from(below, span, state, rehearsal);
        } else {
            run_split(node, span, state, rehearsal);
        }
    }

    void run_split(int split, const Span& span, Memory& state, Rehearsal* rehearsal) {
        const std::vector<int>& branches = tree_.children(split);
        std::vector<std::optional<Span>> spans(branches.size());
        const bool looped = tree_.is_in_a_loop(split);
        std::map<int, Elements> needs;
        for (std::size_t b = branches.size(); b-- > 0;) {
            const int last = tree_.last_einsum(branches[b]);
            if (!looped)
                spans[b] = whole(last);
            else
                spans[b] = b + 1 == branches.size() ? span : needed_of(branches[b], needs, state);
            if (!looped || !spans[b]) continue;
            for (auto& [t, elements] : rehearse(branches[b], *spans[b], state).read) {
                Elements& all = needs[t];
                all.insert(elements.begin(), elements.end());
                all = filled(all);
            }
        }
        for (std::size_t b = 0; b < branches.size(); ++b) {
            if (!spans[b]) continue;
            std::erase_if(state, [&](const auto& one) { return tree_.is_inside(one.first.first, branches[b]); });
            run_from(branches[b], *spans[b], state, rehearsal);
        }
    }

    std::optional<Span> needed_of(int branch, const std::map<int, Elements>& needs, const Memory& state) const {
        for (const Unfinished& one : unfinished_)
            if (one.what.branch == branch) return rows_needed(one.what, needs, state);
        return needed(tree_.last_einsum(branch), needs, state);
    }

    /// The span around the points whose operand is one of the elements.
    std::optional<Span> span_around(int e, int operand, const Elements& elements) const {
        std::optional<Span> around;
        each_point(whole(e), [&](const Point& point) {
            if (elements.contains(element_at(access(e, operand), point))) extend(around, point);
        });
        return around;
    }

    static void extend(std::optional<Span>& around, const Point& point) {
        if (!around) {
            around.emplace();
            for (const std::int64_t at : point) around->emplace_back(at, at);
        }
        for (std::size_t d = 0; d < point.size(); ++d)
            (*around)[d] = {std::min((*around)[d].first, point[d]), std::max((*around)[d].second, point[d])};
    }

    /// Points of the producer that write what is needed and not held, and the span around them.
    std::optional<Span> needed(int e, const std::map<int, Elements>& needs, const Memory& state) const {
        std::optional<Span> around;
        for (int operand = 0; operand < einsum(e).einsum.tensor_count(); ++operand) {
            if (!writes(e, operand) || !needs.contains(shared(e, operand))) continue;
            const int t = shared(e, operand);
            const Elements own = common(needs.at(t), touched(e, operand, whole(e)));
            const auto kept = state.find({tree_.home(t), t});
            const Elements makes = filled(kept == state.end() ? own : without(own, kept->second.held));
            each_point(whole(e), [&](const Point& point) {
                if (makes.contains(element_at(access(e, operand), point))) extend(around, point);
            });
        }
        return around;
    }

    Rehearsal rehearse(int node, const Span& span, const Memory& state) {
        Rehearsal rehearsal;
        Memory copy = state;
        run_from(node, span, copy, &rehearsal);
        for (auto* sets : {&rehearsal.read, &rehearsal.made})
            for (auto& [t, elements] : *sets) elements = filled(elements);
        return rehearsal;
    }

    void rehearse_leaf(int leaf, const Span& span, Memory& state, Rehearsal& rehearsal) {
        const int e = tree_.leaf(leaf)->einsum;
        for (int operand = 0; operand < einsum(e).einsum.tensor_count(); ++operand) {
            const int t = shared(e, operand);
            const Elements some = touched(e, operand, span);
            (writes(e, operand) ? rehearsal.made : rehearsal.read)[t].insert(some.begin(), some.end());
            if (writes(e, operand)) state[{tree_.home(t), t}].held.insert(some.begin(), some.end());
        }
        take_in(leaf, span, state);
    }

    // ---------------------------------------------------------------- stores

    bool written_inside(const Key& key) const { return tree_.is_written_inside(key.first, key.second); }
    bool is_home(const Key& key) const { return tree_.home(key.second) == key.first; }

    /// The store of the same tensor around it.
    Key around(const Key& key) const {
        for (int at = tree_.parent(key.first); at >= 0; at = tree_.parent(at))
            if (tree_.store(at) != nullptr && keeps(*tree_.store(at), key.second)) return {at, key.second};
        return {-1, -1};
    }

    int last_writer(int t) const {
        int last = -1;
        for (const TensorUse& use : tensor(t).writers) last = std::max(last, tree_.leaf_of(use.einsum));
        return last;
    }

    void move_stores(int node, int below, const Span& span, Memory& state, Rehearsal* rehearsal) {
        std::vector<Key> homes, others;
        for (int at = node; at != below; at = tree_.children(at).front())
            for (const int t : tree_.store(at)->tensors) {
                const bool holds_all = tree_.store(at)->memory == 0 && !tree_.is_in_a_loop(at);
                if (!holds_all) (is_home({at, t}) ? homes : others).push_back({at, t});
            }
        std::ranges::stable_sort(
            homes, [&](const Key& a, const Key& b) { return last_writer(a.second) > last_writer(b.second); });
        for (const Key& key : homes) {
            Memory none = state;
            none[key].held.clear();
            none[key].summed.clear();
            move_store(key, rehearse(below, span, none), span, state, rehearsal != nullptr);
        }
        if (rehearsal == nullptr)
            for (const Key& key : others) move_store(key, rehearse(below, span, state), span, state, false);
    }

    void move_store(const Key& key, Rehearsal step, const Span& span, Memory& state, bool rehearsing) {
        const int t = key.second;
        Elements tile = step.read[t];
        if (written_inside(key)) tile.insert(step.made[t].begin(), step.made[t].end());
        tile = filled(tile);
        if (tile.empty()) return;
        Kept& kept = state[key];
        const Element start = start_of(key, span).value_or(lowest(tile));
        Element moved{};
        bool moves = false;
        if (kept.start)
            for (std::size_t a = 0; a < moved.size(); ++a) {
                moved[a] = start[a] - (*kept.start)[a];
                moves = moves || moved[a] != 0;
            }
        if (moves && kept.direction && moved != *kept.direction) {
            kept.held.clear();
            kept.direction.reset();
        } else if (moves) {
            kept.direction = moved;
        }
        kept.start = start;
        kept.held = tree_.store(key.first)->fresh ? Elements{} : common(kept.held, tile);
        forget_rows(key, kept);
        if (rehearsing) return;
        tile_words_[key] = std::max(tile_words_[key], static_cast<std::int64_t>(tile.size()));
        if (!kept.held.empty()) serves_later_.insert(key);
        if (!written_inside(key)) bring(key, tile, state);
    }

    /// Where the tile would start without borders and with nothing kept: by going backwards through all einsums inside.
    std::optional<Element> start_of(const Key& key, const Span& span) const {
        std::map<int, Elements> needs;
        const std::span<const int> leaves = tree_.leaves(key.first);
        for (std::size_t i = leaves.size(); i-- > 0;) {
            const int e = tree_.leaf(leaves[i])->einsum;
            const bool last = i + 1 == leaves.size();
            const std::optional<Span> all = last ? std::optional<Span>(span) : wanted(e, needs);
            if (!all) continue;
            for (int operand = 0; operand < einsum(e).einsum.tensor_count(); ++operand) {
                if (writes(e, operand) && !last) continue;
                const bool takes_in = std::ranges::any_of(unfinished_, [&](const Unfinished& one) {
                    return one.what.leaf == leaves[i] && one.what.row_operand == operand;
                });
                if (takes_in && !last && needs.contains(shared(e, operand))) continue;
                const Elements some = corners(e, operand, *all);
                needs[shared(e, operand)].insert(some.begin(), some.end());
            }
        }
        if (!needs.contains(key.second)) return std::nullopt;
        return lowest(needs.at(key.second));
    }

    /// Elements at the ends of the span, dimension by dimension: enough to know the bounding box.
    Elements corners(int e, int operand, const Span& span) const {
        Elements some;
        Span ends;
        for (std::size_t d = 0; d < span.size(); ++d) ends.emplace_back(0, span[d].first == span[d].second ? 0 : 1);
        each_point(ends, [&](const Point& which) {
            Point point;
            for (std::size_t d = 0; d < span.size(); ++d)
                point.push_back(which[d] == 0 ? span[d].first : span[d].second);
            some.insert(element_at(einsum(e).accesses[operand], point));
        });
        return some;
    }

    /// Terms whose dimension has several values.
    std::int64_t moving(int e, const Coordinate& coordinate) const {
        return std::ranges::count_if(
            coordinate.terms, [&](const Term& term) { return einsum(e).einsum.dimensions[term.dimension].extent > 1; });
    }

    /// Tries values of the dimensions on each axis of a result, far beyond their extents where an axis is one
    /// dimension.
    std::optional<Span> wanted(int e, const std::map<int, Elements>& needs) const {
        constexpr std::int64_t kBeyond = 64;
        Span span = whole(e);
        bool any = false;
        for (int operand = 0; operand < einsum(e).einsum.tensor_count(); ++operand) {
            if (!writes(e, operand) || !needs.contains(shared(e, operand))) continue;
            any = true;
            const Elements& need = needs.at(shared(e, operand));
            const Access& access = einsum(e).accesses[operand];
            for (std::size_t a = 0; a < access.coordinates.size(); ++a) {
                const auto [low, high] = std::ranges::minmax(need, {}, [&](const Element& one) { return one[a]; });
                Span tried;
                for (const Term& term : access.coordinates[a].terms) {
                    const std::int64_t last = einsum(e).einsum.dimensions[term.dimension].extent - 1;
                    const bool alone =
                        access.coordinates[a].terms.size() == 1 || (last > 0 && moving(e, access.coordinates[a]) == 1);
                    tried.emplace_back(alone ? -kBeyond : 0, alone ? last + kBeyond : last);
                }
                std::vector<std::optional<std::pair<std::int64_t, std::int64_t>>> found(tried.size());
                if (tried.empty()) continue;
                each_point(tried, [&](const Point& values) {
                    std::int64_t at = access.coordinates[a].offset;
                    for (std::size_t i = 0; i < values.size(); ++i)
                        at += access.coordinates[a].terms[i].coefficient * values[i];
                    if (at < low[a] || at > high[a]) return;
                    for (std::size_t i = 0; i < values.size(); ++i) {
                        if (!found[i]) found[i] = {values[i], values[i]};
                        found[i] = {std::min(found[i]->first, values[i]), std::max(found[i]->second, values[i])};
                    }
                });
                for (std::size_t i = 0; i < found.size(); ++i)
                    if (found[i]) span[access.coordinates[a].terms[i].dimension] = *found[i];
            }
        }
        return any ? std::optional<Span>(span) : std::nullopt;
    }

    Traffic& traffic(const Key& key) { return counts_.memories[tree_.store(key.first)->memory][key.second]; }

    /// What the store lacks comes from the store around it.
    void bring(const Key& key, const Elements& wants, Memory& state) {
        const Elements lacks = without(wants, state[key].held);
        if (lacks.empty()) return;
        if (is_home(key)) {
            for (const TensorUse& use : tensor(key.second).writers)
                if (!common(lacks, touched(use.einsum, use.operand, whole(use.einsum))).empty())
                    counts_.complete = false;
            return;
        }
        traffic(key).fills += static_cast<double>(lacks.size());
        traffic(around(key)).reads += static_cast<double>(lacks.size());
        sent_[key].in += static_cast<double>(lacks.size());
        state[key].held.insert(lacks.begin(), lacks.end());
        bring(around(key), lacks, state);
    }

    // ---------------------------------------------------------------- leaves

    void run_leaf(int leaf, const Span& span, Memory& state) {
        const int e = tree_.leaf(leaf)->einsum;
        TensorSet resumed;
        for (int operand = 0; operand < einsum(e).einsum.tensor_count(); ++operand) {
            const Key store{tree_.chain(leaf, shared(e, operand)).back(), shared(e, operand)};
            const Elements part = touched(e, operand, span);
            if (!writes(e, operand)) {
                bring(store, part, state);
            } else if (send(e, operand, span, store, part, state)) {
                resumed.add(operand);
            }
        }
        each_point(span, [&](const Point& point) {
            if (!points_[e].insert(point).second) ++counts_.recomputed_operations;
            ++counts_.operations[e];
        });
        take_in(leaf, span, state);
        correct(leaf, span, resumed);
        count_leaf(leaf, span, resumed, add_to_sums(e, span, resumed));
    }

    // ---------------------------------------------------------------- sums of another width

    bool has_sums(int t) const { return partial_[t] > 0; }

    /// The last call that made the element, or reached over it between those that it makes, ended the sums.
    bool is_done(int t, const Element& element) const {
        const auto done = done_.find({t, element});
        return done != done_.end() && done->second;
    }

    std::int64_t all_of(int t, const Element& element) const {
        std::map<Element, std::int64_t>& all = adds_[t];
        if (all.empty())
            for (const TensorUse& use : tensor(t).writers)
                each_point(whole(use.einsum),
                           [&](const Point& point) { ++all[element_at(access(use.einsum, use.operand), point)]; });
        return all.at(element);
    }

    /// The results of which some element is not done after this span.
    TensorSet add_to_sums(int e, const Span& span, TensorSet resumed) {
        TensorSet unfinished;
        for (int operand = 0; operand < einsum(e).einsum.tensor_count(); ++operand) {
            const int t = shared(e, operand);
            if (!writes(e, operand) || !has_sums(t)) continue;
            if (!resumed.has(operand))
                each_point(span, [&](const Point& point) { added_[{t, element_at(access(e, operand), point)}] = 0; });
            each_point(span, [&](const Point& point) { ++added_[{t, element_at(access(e, operand), point)}]; });
            bool done = true;
            each_point(span, [&](const Point& point) {
                const Element element = element_at(access(e, operand), point);
                done = done && added_.at({t, element}) == all_of(t, element);
            });
            if (!done) unfinished.add(operand);
            for (const Element& element : touched(e, operand, span)) done_[{t, element}] = done;
        }
        return unfinished;
    }

    /// An element has gone out of a store since it was last looked at: a partial sum, if more was added afterwards.
    void settle(const Key& store, const Element& element) {
        const bool done = is_done(store.second, element);
        (done ? sent_[store].done : sent_[store].out) += 1.0;
        if (!done) holds_sums_.insert(around(store));
    }

    void settle_all() {
        for (const auto& [store, elements] : unsettled_)
            for (const Element& element : elements) settle(store, element);
    }

    // ---------------------------------------------------------------- energy

    struct Sent {
        double reads = 0.0;
        double fills = 0.0;
        double updates = 0.0;
    };
    /// Of one store: with the store around it, and what it is asked for itself.
    struct SentAll {
        double in = 0.0;    ///< to be read
        double back = 0.0;  ///< to be added to
        double done = 0.0;  ///< out
        double out = 0.0;   ///< out, not done
        Sent corrected;
        Sent corrected_whole;
    };

    std::int64_t bits_of(int m, int t, bool sum) const {
        if (sum && has_sums(t)) return partial_[t];
        return tensor(t).bits > 0 ? tensor(t).bits : architecture_.memories[m].word_bits;
    }

    /// At every instance so many rows; a row has as many whole words as there is room for, and is never moved in part.
    void add_energy(int m, int t, bool sum, const Sent& each, double instances) {
        const tilewright::Memory& memory = architecture_.memories[m];
        const std::int64_t row = memory.block_words * memory.word_bits;
        const std::int64_t bits = bits_of(m, t, sum);
        const auto rows = [&](double words) {
            const double of_words = bits <= row ? words / static_cast<double>(row / bits)
                                                : words * static_cast<double>((bits + row - 1) / row);
            return row / bits == 1 ? of_words : std::ceil(of_words - 1e-9);  // a word a row: on average
        };
        counts_.energy_pj[m][t] += instances * (rows(each.reads) * memory.energy.read_pj.value +
                                                rows(each.fills) * memory.energy.fill_pj.value +
                                                rows(each.updates) * memory.energy.update_pj.value);
        if (sum && has_sums(t)) counts_.partial_words[m][t] += instances * (each.reads + each.fills + each.updates);
    }

    void add_energies_of_stores() {
        for (const auto& [store, sent] : sent_) {
            const int t = store.second;
            const int inner = tree_.store(store.first)->memory;
            add_energy(inner, t, true, sent.corrected, 1.0);
            add_energy(inner, t, false, sent.corrected_whole, 1.0);
            if (is_home(store)) continue;
            const int outer = tree_.store(around(store).first)->memory;
            if (!has_sums(t)) {
                add_energy(inner, t, false, {0.0, sent.in + sent.back, 0.0}, 1.0);
                add_energy(outer, t, false, {sent.in + sent.back, 0.0, sent.out + sent.done}, 1.0);
                continue;
            }
            add_energy(inner, t, false, {0.0, sent.in, 0.0}, 1.0);
            add_energy(inner, t, true, {0.0, sent.back, 0.0}, 1.0);
            add_energy(outer, t, false, {sent.in, 0.0, sent.done}, 1.0);
            add_energy(outer, t, true, {sent.back, 0.0, sent.out}, 1.0);
        }
    }

    /// What a call does at one memory: sums that are done arrive there for the last time.
    void add_energy_of_call(int m, int t, const Traffic& from, double done, double instances, bool has_partial) {
        const Sent sums{from.reads / instances, from.fills / instances, (from.updates - done) / instances};
        if (!has_partial) return add_energy(m, t, false, sums, instances);
        add_energy(m, t, true, sums, instances);
        add_energy(m, t, false, {0.0, 0.0, done / instances}, instances);
    }

    /// True when the elements were begun before. Word by word: an element that comes into a store goes out of it again.
    bool send(int e, int operand, const Span& span, Key store, const Elements& part, Memory& state) {
        const Access& access = einsum(e).accesses[operand];
        bool begun = false;
        for (std::size_t d = 0; d < span.size(); ++d) {
            bool moves = false;
            for (const Coordinate& coordinate : access.coordinates)
                for (const Term& term : coordinate.terms) moves = moves || term.dimension == static_cast<int>(d);
            begun = begun || (!moves && span[d].first > 0);
        }
        Elements coming = part;
        for (; !is_home(store); store = around(store)) {
            if (begun) coming = without(coming, state[store].held);
            const auto words = static_cast<double>(coming.size());
            if (begun) {
                traffic(store).fills += words;
                traffic(around(store)).reads += words;
                sent_[store].back += words;
                if (words > 0.0) holds_sums_.insert({store, around(store)});
            }
            for (const Element& element : coming)
                if (!has_sums(store.second))
                    sent_[store].done += 1.0;
                else if (!unsettled_[store].insert(element).second)
                    settle(store, element);
            traffic(around(store)).updates += words;
            state[store].held.insert(coming.begin(), coming.end());
        }
        state[store].held.insert(part.begin(), part.end());
        return begun;
    }

    struct Called {
        Counts counts;
        std::vector<std::vector<double>> done;  ///< by memory and operand: words that are finished under one instance
    };

    void count_leaf(int leaf, const Span& span, TensorSet resumed, TensorSet unfinished) {
        const FusedLeaf& one = *tree_.leaf(leaf);
        const auto e = static_cast<std::size_t>(one.einsum);
        Point extents;
        for (const auto& [first, last] : span) extents.push_back(last - first + 1);
        std::vector<int> held;
        for (const Access& access : einsum(one.einsum).accesses)
            held.push_back(tree_.store(tree_.chain(leaf, access.tensor).back())->memory);
        const auto key = std::tuple(leaf, extents, resumed.bits());
        if (!leaves_.contains(key)) {
            const Mapping mapping = mapping_on(*nest_for(one, extents), extents, held, architecture_.memory_count());
            const Einsum box = on_box(einsum(one.einsum).einsum, extents);
            leaves_[key].counts = walk(box, architecture_, mapping, resumed);
            if (std::ranges::any_of(partial_, [](std::int64_t bits) { return bits > 0; }))
                leaves_[key].done = words_finished_under_one(box, mapping, architecture_.memory_count());
        }
        const auto& [counts, done] = leaves_.at(key);
        ++counts_.calls[e];
        counts_.compute_cycles[e] += counts.compute_cycles;
        std::vector<std::int64_t>& most = private_bits_[leaf];
        most.resize(architecture_.memories.size());
        for (std::size_t m = 0; m < counts.memories.size(); ++m) {
            std::int64_t bits = 0;
            for (std::size_t t = 0; t < held.size(); ++t) {
                const Traffic& from = counts.memories[m][t];
                const int tensor = einsum(one.einsum).accesses[t].tensor;
                Traffic& to = counts_.memories[m][tensor];
                to.reads += from.reads;
                to.fills += from.fills;
                to.updates += from.updates;
                if (!from.kept) continue;
                const bool sums = has_sums(tensor) && writes(one.einsum, static_cast<int>(t));
                const bool goes_on = unfinished.has(static_cast<int>(t));
                const double finished = sums && !goes_on ? std::min(done[m][t], from.updates) : 0.0;
                add_energy_of_call(static_cast<int>(m), tensor, from, finished,
                                   static_cast<double>(counts.instances[m]), sums);
                const bool ever_partial = sums && (from.reads + from.fills > 0.0 || finished < from.updates);
                if (held[t] != static_cast<int>(m))
                    bits += from.tile_words * bits_of(static_cast<int>(m), tensor, ever_partial);
                else if (ever_partial)
                    holds_sums_.insert({tree_.chain(leaf, tensor).back(), tensor});
            }
            most[m] = std::max(most[m], bits);
        }
    }

    // ---------------------------------------------------------------- room

    std::int64_t shared_bits(int memory, int leaf) const {
        std::int64_t sum = 0;
        for (const auto& [key, words] : tile_words_)
            if (tree_.store(key.first)->memory == memory && reserved(key, leaf))
                sum += words * bits_of(memory, key.second, holds_sums_.contains(key));
        return sum;
    }

    bool uses(int leaf, int t) const {
        const auto& accesses = einsum(tree_.leaf(leaf)->einsum).accesses;
        return std::ranges::any_of(accesses, [&](const Access& access) { return access.tensor == t; });
    }

    /// Down from the store: a loop on the way, or words that served later, and it is reserved for all inside; else from
    /// the first branch with a user to the last.
    bool reserved(const Key& key, int leaf) const {
        if (!tree_.is_inside(leaf, key.first)) return false;
        if (serves_later_.contains(key)) return true;
        int at = key.first;
        for (; tree_.children(at).size() == 1 && !tree_.is_split(at); at = tree_.children(at).front())
            if (tree_.loop(at) != nullptr) return true;
        if (tree_.leaf(at) != nullptr) return true;
        int first = -1, last = -1, mine = -1;
        for (int b = 0; b < static_cast<int>(tree_.children(at).size()); ++b) {
            const int branch = tree_.children(at)[b];
            if (tree_.is_inside(leaf, branch)) mine = b;
            for (const int one : tree_.leaves(branch))
                if (uses(one, key.second)) {
                    if (first < 0) first = b;
                    last = b;
                }
        }
        return first <= mine && mine <= last;
    }

    void look_for_gaps(const Memory& state) {
        for (int t = 0; t < cascade_.tensor_count(); ++t) {
            if (tensor(t).role != TensorRole::output && tensor(t).role != TensorRole::cache) continue;
            const auto home = state.find({tree_.home(t), t});
            for (const TensorUse& use : tensor(t).writers) {
                const Elements all = touched(use.einsum, use.operand, whole(use.einsum));
                if (home == state.end() || !without(all, home->second.held).empty()) counts_.complete = false;
            }
        }
    }

    const Cascade& cascade_;
    const Architecture& architecture_;
    FusedTree tree_;
    FusedCounts counts_;
    std::map<Key, std::int64_t> tile_words_;
    std::set<Key> serves_later_;
    std::vector<Unfinished> unfinished_;
    std::vector<std::set<Point>> points_;  ///< by einsum: those met so far
    std::map<std::tuple<int, Point, std::uint32_t>, Called> leaves_;
    std::map<int, std::vector<std::int64_t>> private_bits_;  ///< by leaf and memory
    PartialBits partial_;
    std::map<std::pair<int, Element>, bool> done_;                 ///< by tensor and element
    std::map<std::pair<int, Element>, std::int64_t> added_;        ///< by tensor and element, since it was begun
    mutable std::map<int, std::map<Element, std::int64_t>> adds_;  ///< by tensor: all that make up an element
    std::map<Key, Elements> unsettled_;                            ///< went out, perhaps not for the last time
    std::map<Key, SentAll> sent_;
    std::set<Key> holds_sums_;  ///< stores in which some element is ever not done
};

}  // namespace

FusedCounts walk_fused(const Cascade& cascade, const Architecture& architecture, const FusedMapping& mapping,
                       const PartialBits& partial) {
    return FusedWalk(cascade, architecture, mapping, partial).run();
}

}  // namespace tilewright::oracle
