/* Tile sizes for compilers, in C: the best legal point of a rule file, proven (docs/tiles.md).
 *
 *     tw_tiles* tiles = 0;
 *     tw_error error = {.size = sizeof error};
 *     if (tw_tiles_open(rules, strlen(rules), machine, strlen(machine), "", 0, &tiles, &error) != TW_DONE) ...
 *     const int64_t given[] = {512, 4096, 4096};
 *     int64_t point[8];
 *     tw_claim claim = {.size = sizeof claim};
 *     tw_tiles_ask(tiles, given, 3, point, 8, &claim, &error);
 *     tw_tiles_close(tiles);
 *
 * Text in, values out: no file is touched, no environment is read, nothing is printed, no exception leaves. What was
 * opened is immutable: any number of threads may use it at once, without a lock. Structures carry their size, which the
 * caller sets; new fields come at their ends. `error` may be null. */
#ifndef TILEWRIGHT_TILES_H
#define TILEWRIGHT_TILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TILEWRIGHT_ABI 1

/* Statuses. */
enum {
    TW_DONE = 0,
    TW_NO_LEGAL_POINT = 1, /* error.text: the requirements that exclude each other */
    TW_BAD_QUESTION = 2,   /* or rules, machine, options, form: error says where and what */
    TW_DEADLINE = 3,       /* the search ended early; the point is the best that was found */
    TW_TOO_SMALL = 4,      /* the buffer; the size says how much is needed */
    TW_INTERNAL = 5
};

enum { TW_PROVEN = 0, TW_WITHIN = 1, TW_BEST_FOUND = 2 };

#define TW_MOST_CHOSEN 64

typedef struct tw_tiles tw_tiles; /* rules and a machine, compiled */

typedef struct tw_error {
    size_t size;   /* of this structure */
    char code[32]; /* "unknown-name", as the command line has it */
    int line;      /* 0: not in a text */
    int column;
    char text[512];
} tw_error;

typedef struct tw_claim {
    size_t size;     /* of this structure */
    int claim;       /* TW_PROVEN, TW_WITHIN, TW_BEST_FOUND */
    double within;   /* no legal point is better by more: 0.02 is 2 % */
    double score;    /* what points are compared by first */
    double time_us;  /* predicted; 0 where times were not asked for */
    int64_t legal;   /* points that were evaluated */
} tw_claim;

typedef struct tw_row {
    size_t size; /* of this structure; that of the first row counts for all */
    int64_t from;
    int64_t to;        /* itself within the interval */
    double worst_loss; /* over the best legal point, at any whole number of the interval */
    int legal;         /* 0: no point is */
    int64_t point[TW_MOST_CHOSEN];
} tw_row;

/* TILEWRIGHT_ABI of the library. */
int tw_abi(void);

/* `machine` and `options` may be empty. A machine may be `like` one that is shipped. options:
 * {"objective": "time,count", "time_limit_s": 0.5, "most_tried": 1000000} */
int tw_tiles_open(const char* rules, size_t rules_size, const char* machine, size_t machine_size, const char* options,
                  size_t options_size, tw_tiles** out, tw_error* error);

int tw_tiles_ask(const tw_tiles* tiles, const int64_t* given, size_t given_count, int64_t* point, size_t point_count,
                 tw_claim* claim, tw_error* error);

/* `axis`: which of the given varies from `low` to `high`; *count: of rows that there is room for, then of those there are. */
int tw_tiles_table(const tw_tiles* tiles, const int64_t* given, size_t given_count, int axis, int64_t low, int64_t high,
                   double loss, tw_row* rows, size_t* count, tw_error* error);

/* `given` and `point` have as many values as tw_tiles_name() has names. *size: of the room in `text`, then of the text with its final 0. */
int tw_tiles_format(const tw_tiles* tiles, const int64_t* given, const int64_t* point, const char* form, char* text,
                    size_t* size, tw_error* error);

/* The order of what is given (which = 0) and chosen (which = 1); TW_BAD_QUESTION behind the last. */
int tw_tiles_name(const tw_tiles* tiles, int which, size_t index, const char** name);

void tw_tiles_close(tw_tiles* tiles);

/* The row of an extent; 0: there is none, or no point is legal there. */
static inline const tw_row* tw_lookup(const tw_row* rows, size_t count, int64_t extent) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (rows[middle].to < extent)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && extent >= rows[low].from && rows[low].legal ? &rows[low] : 0;
}

#ifdef __cplusplus
}
#endif

#endif
