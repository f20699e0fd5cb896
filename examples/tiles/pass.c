/* A compiler's pass in C: opens rules once, asks for the tiles of each product, and writes them as the compiler takes
 * them. Usage: pass RULES MACHINE M N K */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilewright/tiles.h"

static char* text_of(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    if (!file) return 0;
    char* text = malloc(1 << 20);
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

int main(int argc, char** argv) {
    if (argc != 6) return 2;
    size_t rules_size = 0, machine_size = 0;
    char* rules = text_of(argv[1], &rules_size);
    char* machine = text_of(argv[2], &machine_size);
    if (!rules || !machine) return 2;
    tw_error error = {.size = sizeof error};
    tw_tiles* tiles = 0;
    if (tw_tiles_open(rules, rules_size, machine, machine_size, "", 0, &tiles, &error) != TW_DONE) {
        fprintf(stderr, "%d:%d: %s\n", error.line, error.column, error.text);
        return 1;
    }
    const int64_t given[] = {atoll(argv[3]), atoll(argv[4]), atoll(argv[5])};
    int64_t point[TW_MOST_CHOSEN];
    tw_claim claim = {.size = sizeof claim};
    if (tw_tiles_ask(tiles, given, 3, point, TW_MOST_CHOSEN, &claim, &error) != TW_DONE) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const char* name = 0;
    for (size_t i = 0; tw_tiles_name(tiles, 1, i, &name) == TW_DONE; ++i) printf("%s=%lld ", name, (long long)point[i]);
    printf("%.2f us, %s of %lld\n", claim.time_us, claim.claim == TW_PROVEN ? "proven" : "found", (long long)claim.legal);

    char text[1024];
    size_t size = sizeof text;
    if (tw_tiles_format(tiles, given, point, "triton", text, &size, &error) == TW_DONE) fputs(text, stdout);

    tw_row rows[64];
    size_t count = 64;
    rows[0].size = sizeof rows[0];
    if (tw_tiles_table(tiles, given, 3, 0, 1, 512, 0.05, rows, &count, &error) != TW_DONE) return 1;
    const tw_row* row = tw_lookup(rows, count, 100);
    printf("%zu intervals; M = 100 lies in %lld..%lld\n", count, (long long)row->from, (long long)row->to);
    tw_tiles_close(tiles);
    free(rules);
    free(machine);
    return 0;
}
