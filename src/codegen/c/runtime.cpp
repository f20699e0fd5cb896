#include "codegen/c/program.hpp"

namespace tilewright::c_form {

const char* const kRuntime = R"c(
/* Half-open, by rank. */
typedef struct { int64_t low[RANKS], high[RANKS]; } box;
/* One tensor at one instance of a memory; bits by word of the tensor: held here before, came in from inside before. */
typedef struct { float* words; box tile; int has, steady; int64_t moved[RANKS]; uint8_t *held, *arrived; } place;
/* What is asked of a fan-out: by moment, of each request of its neighbours once. */
typedef struct { uint64_t* keys; int64_t used, room; uint64_t* sums; int64_t* words; int64_t moments; } asked;

static place* places[MEMORIES][TENSORS];
static asked asks[MEMORIES][TENSORS];
static box whole[TENSORS];
static int64_t accesses[MEMORIES][TENSORS], copied[MEMORIES][TENSORS], first[MEMORIES][TENSORS];

static uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
static int64_t words_of(const box* b) {
  int64_t words = 1;
  for (int r = 0; r < RANKS; ++r) words *= b->high[r] - b->low[r];
  return words;
}
static int64_t index_in(const box* b, const int64_t* e) {
  int64_t index = 0;
  for (int r = 0; r < RANKS; ++r) index = index * (b->high[r] - b->low[r]) + e[r] - b->low[r];
  return index;
}
static int inside(const box* b, const int64_t* e) {
  for (int r = 0; r < RANKS; ++r)
    if (e[r] < b->low[r] || e[r] >= b->high[r]) return 0;
  return 1;
}
/* The next element, last rank fastest; 0 after the last. */
static int next_in(const box* b, int64_t* e) {
  for (int r = RANKS; r-- > 0;) {
    if (++e[r] < b->high[r]) return 1;
    e[r] = b->low[r];
  }
  return 0;
}
static int is_new(uint8_t* bits, int64_t index) {
  const uint8_t bit = (uint8_t)(1u << (index & 7));
  const int fresh = !(bits[index >> 3] & bit);
  bits[index >> 3] |= bit;
  return fresh;
}
static int64_t between(int outer, int inner) { /* instances of the inner memory for one of the outer */
  int64_t ratio = 1;
  for (int m = outer; m < inner; ++m) ratio *= kBlock[m];
  return ratio;
}
static place* outside(int m, int t, int64_t id) { return &places[kOuter[m][t]][t][id / between(kOuter[m][t], m)]; }

static int not_asked_yet(asked* a, uint64_t key) {
  if (2 * a->used >= a->room) {
    const int64_t old = a->room;
    uint64_t* keys = a->keys;
    a->room = old ? 2 * old : 16;
    a->keys = calloc((size_t)a->room, sizeof *a->keys);
    a->used = 0;
    for (int64_t i = 0; i < old; ++i)
      if (keys[i]) not_asked_yet(a, keys[i]);
    free(keys);
  }
  if (!key) key = 1;
  int64_t at = (int64_t)(key & (uint64_t)(a->room - 1));
  for (; a->keys[at]; at = (at + 1) & (a->room - 1))
    if (a->keys[at] == key) return 0;
  a->keys[at] = key;
  ++a->used;
  return 1;
}
static void forget(int m, int t) {
  asked* a = &asks[m][t];
  if (a->used) memset(a->keys, 0, (size_t)a->room * sizeof *a->keys);
  a->used = 0;
}
/* A neighbour below memory m asks for these words: neighbours with the same wish at one moment share an access. */
static void ask(int m, int t, int64_t moment, uint64_t wish, int64_t words) {
  asked* a = &asks[m][t];
  if (kBlock[m] > 1 && !not_asked_yet(a, mixed(wish ^ mixed((uint64_t)moment)))) return;
  if (kKept[m][t]) {
    accesses[m][t] += words;
    return;
  }
  if (!a->sums) {
    a->moments = kBelow[m][t];
    a->sums = calloc((size_t)a->moments, sizeof *a->sums);
    a->words = calloc((size_t)a->moments, sizeof *a->words);
  }
  a->sums[moment] += mixed(wish);
  a->words[moment] += words;
}
/* What memory m, which does not keep the tensor, was asked for is asked of the memory outside it. */
static void pass_on(int m, int t, int64_t moment) {
  asked* a = &asks[m][t];
  for (int64_t i = 0; i < a->moments; ++i) {
    if (a->words[i]) ask(m - 1, t, moment + i, mixed(a->sums[i]), a->words[i]);
    a->sums[i] = 0;
    a->words[i] = 0;
  }
  forget(m, t);
}

/* Partial sums inside this instance are added to those that it holds itself. */
static void gather(int m, int t, int64_t id) {
  for (int inner = MEMORIES; --inner > m;) {
    if (!kKept[inner][t]) continue;
    const int64_t ratio = between(m, inner);
    for (int64_t i = id * ratio; i < (id + 1) * ratio; ++i) {
      place *p = &places[inner][t][i], *to = outside(inner, t, i);
      int64_t e[RANKS];
      if (!p->has) continue;
      memcpy(e, p->tile.low, sizeof e);
      for (float* word = p->words;; ++word) {
        if (*word != 0) to->words[index_in(&to->tile, e)] += *word;
        *word = 0;
        if (!next_in(&p->tile, e)) break;
      }
    }
  }
}
/* Whether what the last tile has in common with the next one stays: tiles that move on and on in one direction. */
static int stays(place* p, const box* tile) {
  int64_t moved[RANKS];
  int rests = 1;
  if (!p->has) return 0;
  for (int r = 0; r < RANKS; ++r) {
    const int64_t twice = tile->low[r] + tile->high[r] - p->tile.low[r] - p->tile.high[r];
    moved[r] = (twice + (twice >= 0 ? 1 : -1)) / 2;
    rests = rests && !moved[r];
  }
  if (rests) return 1;
  if (p->steady && memcmp(moved, p->moved, sizeof moved)) return p->steady = 0;
  p->steady = 1;
  memcpy(p->moved, moved, sizeof moved);
  return 1;
}
/* An instance gets its next tile: what it lacks is copied from the memory outside, sums that it drops go there. */
static void take(int m, int t, int64_t id, const box* tile, int64_t moment) {
  place *here = &places[m][t][id], *from = outside(m, t, id);
  if (here->has && !memcmp(tile, &here->tile, sizeof *tile)) return;
  const int reused = stays(here, tile);
  int64_t e[RANKS], missing = 0;
  uint64_t wish = 0;
  if (kWritten[t] && here->has) {
    gather(m, t, id);
    memcpy(e, here->tile.low, sizeof e);
    for (float* word = here->words;; ++word) {
      if (*word != 0 && !(reused && inside(tile, e))) {
        from->words[index_in(&from->tile, e)] += *word;
        *word = 0;
      }
      if (!next_in(&here->tile, e)) break;
    }
  }
  if (kWritten[t] && !here->held) here->held = calloc((size_t)(words_of(&whole[t]) / 8 + 1), 1);
  if (kWritten[t] && !from->arrived) from->arrived = calloc((size_t)(words_of(&whole[t]) / 8 + 1), 1);
  float* words = malloc((size_t)words_of(tile) * sizeof *words);
  memcpy(e, tile->low, sizeof e);
  for (float* word = words;; ++word) {
    if (reused && inside(&here->tile, e)) {
      *word = here->words[index_in(&here->tile, e)];
    } else {
      const int64_t index = index_in(&whole[t], e);
      float* source = &from->words[index_in(&from->tile, e)];
      ++missing;
      wish += mixed((uint64_t)index);
      if (kWritten[t]) first[kOuter[m][t]][t] += is_new(from->arrived, index);
      if (kWritten[t] && is_new(here->held, index)) { /* a sum begins at zero */
        *word = 0;
      } else {
        *word = *source;
        ++copied[m][t];
        if (kWritten[t]) *source = 0;
      }
    }
    if (!next_in(tile, e)) break;
  }
  free(here->words);
  here->words = words;
  here->tile = *tile;
  here->has = 1;
  if (missing) ask(m - 1, t, moment, mixed(wish), missing);
}
/* The word of a multiply-accumulate, in the innermost memory m that keeps the tensor. */
static float* touch(int m, int t, int64_t id, const int64_t* e, int64_t moment) {
  place* p = &places[m][t][id];
  const int64_t index = index_in(&whole[t], e);
  if (kWritten[t]) {
    if (!p->arrived) p->arrived = calloc((size_t)(words_of(&whole[t]) / 8 + 1), 1);
    first[m][t] += is_new(p->arrived, index);
  }
  ask(MEMORIES - 1, t, moment, mixed(mixed((uint64_t)index)), 1);
  return &p->words[index_in(&p->tile, e)];
}

static void begin(int t, float* words) {
  for (int m = 0; m < MEMORIES; ++m) {
    accesses[m][t] = copied[m][t] = first[m][t] = 0;
    if (!kKept[m][t]) continue;
    const int64_t instances = between(0, m);
    places[m][t] = calloc((size_t)instances, sizeof(place));
    for (int64_t i = 0; kOuter[m][t] < 0 && i < instances; ++i) {
      places[m][t][i].words = words;
      places[m][t][i].tile = whole[t];
      places[m][t][i].has = 1;
    }
  }
  if (kWritten[t]) memset(words, 0, (size_t)words_of(&whole[t]) * sizeof *words);
}
static void end(int t, int64_t counts[MEMORIES][TENSORS][3]) {
  for (int m = 0; m < MEMORIES; ++m)
    if (kKept[m][t] && kOuter[m][t] < 0 && kWritten[t])
      for (int64_t i = 0; i < between(0, m); ++i) gather(m, t, i);
  for (int m = 0; m < MEMORIES; ++m) {
    counts[m][t][0] = accesses[m][t] - first[m][t];
    counts[m][t][1] = copied[m][t];
    counts[m][t][2] = kWritten[t] ? accesses[m][t] : 0;
    for (int64_t i = 0; kKept[m][t] && i < between(0, m); ++i) {
      place* p = &places[m][t][i];
      if (kOuter[m][t] >= 0) free(p->words);
      free(p->held);
      free(p->arrived);
    }
    free(places[m][t]);
    free(asks[m][t].keys);
    free(asks[m][t].sums);
    free(asks[m][t].words);
    memset(&asks[m][t], 0, sizeof(asked));
    places[m][t] = 0;
  }
}
)c";

}  // namespace tilewright::c_form
