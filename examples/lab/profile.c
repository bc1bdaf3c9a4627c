/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time goes: profiles of one op each (a + b and a product at 2048 x 2048, a product at
 * 128 x 128, gelu, softmax), and of a network of linear layers and gelu, with a range for each step
 * and each layer. Each prints its table, the network's also in torch.profiler's text; to the folder
 * go NAME.html, NAME.json (ui.perfetto.dev) and NAME.svg. $LAB_LARGEST: instead of 2048.
 *
 *     build/examples/lab/profile [FOLDER] */
#include "lab.h"

#include "tern_tensor.h"

enum { REPEAT = 10, LAYERS = 3, STEPS = 5 };

typedef struct Lab {
    tern_context *context;
    tern_session *session;
    const char *folder;
    int64_t size;
    tern_tensor *x, *small, *weights[LAYERS];
} Lab;

typedef bool Body(Lab *lab);

static bool add(Lab *lab) { return tern_add(lab->x, lab->x) != NULL; }
static bool product(Lab *lab) { return tern_matmul(lab->x, lab->x) != NULL; }
static bool small_product(Lab *lab) { return tern_matmul(lab->small, lab->small) != NULL; }
static bool gelu(Lab *lab) { return tern_gelu(lab->x) != NULL; }
static bool softmax(Lab *lab) { return tern_softmax(lab->x, -1) != NULL; }

static bool network(Lab *lab) {
    tern_tensor *x = lab->x;
    for (int i = 0; i < LAYERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "layer %d", i);
        tern_range_push(lab->context, name);
        x = tern_gelu(tern_linear(x, lab->weights[i], NULL));
        tern_range_pop(lab->context);
    }
    return x != NULL;
}

/* Steps of which the first one, that compiles, is not kept. */
static void run(Lab *lab, const char *name, Body *body, int steps) {
    for (int i = 0; i < steps; i++) {
        tern_scope_open(lab->session);
        tern_range_push(lab->context, name);
        lab_need(lab->context, body(lab));
        tern_range_pop(lab->context);
        tern_scope_close(lab->session);
    }
    lab_need(lab->context, tern_synchronize(lab->context) == TERN_OK);
}

static void save(const Lab *lab, tern_profile *profile, const char *name, const char *ending,
                 tern_profile_format format) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s.%s", lab->folder, name, ending);
    if (length < 0 || length >= (int)sizeof path ||
        tern_profile_save(profile, format, path) != TERN_OK) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(4);
    }
}

static void print_table(tern_profile *profile, tern_table_style style) {
    char *table = tern_profile_table(
        profile,
        &(tern_table_options){.style = style, .row_limit = 10, .sort_by = "cpu_time_total"});
    fputs(table ? table : "no memory\n", stdout);
    tern_free(table);
}

static void profile(Lab *lab, const char *name, Body *body, int steps) {
    run(lab, name, body, 1);
    tern_profile *profile =
        tern_profile_start(lab->context, &(tern_profile_options){.shapes = true});
    lab_need(lab->context, profile != NULL);
    run(lab, name, body, steps);
    lab_need(lab->context, tern_profile_stop(profile) == TERN_OK);
    printf("\n%s\n", name);
    print_table(profile, TERN_TABLE_OWN);
    if (body == network) print_table(profile, TERN_TABLE_TORCH);
    save(lab, profile, name, "html", TERN_PROFILE_HTML);
    save(lab, profile, name, "json", TERN_PROFILE_CHROME);
    save(lab, profile, name, "svg", TERN_PROFILE_FLAME);
    tern_profile_free(profile);
}

int main(int argc, char **argv) {
    const char *largest = getenv("LAB_LARGEST");
    int size = largest ? atoi(largest) : 2048;
    if (size < 1 || size > 16384) return fprintf(stderr, "LAB_LARGEST is 1 to 16384\n"), 2;
    Lab lab = {.folder = argc > 1 ? argv[1] : ".", .context = lab_open(), .size = size};
    const int64_t shape[] = {size, size}, small[] = {128, 128};
    lab.session = tern_session_open(lab.context);
    lab_need(lab.context, lab.session != NULL);
    lab.x = tern_full(lab.session, TERN_FLOAT32, 2, shape, 0.5);
    lab.small = tern_full(lab.session, TERN_FLOAT32, 2, small, 0.5);
    for (int i = 0; i < LAYERS; i++)
        lab.weights[i] = tern_full(lab.session, TERN_FLOAT32, 2, shape, 1.0 / size);
    profile(&lab, "add", add, REPEAT);
    profile(&lab, "matmul", product, REPEAT);
    profile(&lab, "matmul_128", small_product, REPEAT);
    profile(&lab, "gelu", gelu, REPEAT);
    profile(&lab, "softmax", softmax, REPEAT);
    profile(&lab, "network", network, STEPS);
    tern_session_close(lab.session);
    tern_close(lab.context);
    return 0;
}
