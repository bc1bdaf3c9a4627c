// SPDX-License-Identifier: Apache-2.0
/* tuned: what is kept is found by its own key alone; damaged files are named; two writers leave one
 * whole file. */
#include "tern.h"
#include "test.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/tern-tuned-XXXXXX";
static char path[600];

static tern_context *open_here(void) {
    tern_status status;
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp", .cache_dir = folder}, &status, NULL, 0);
    if (!context) abort();
    return context;
}

static void remove_all(void) {
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command)) abort();
}

/* How many files; the path of one. */
static int files(void) {
    char own[300];
    int count = 0;
    snprintf(own, sizeof own, "%s/tune", folder);
    DIR *dir = opendir(own);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            count++, snprintf(path, sizeof path, "%s/%s", own, entry->d_name);
    if (dir) closedir(dir);
    return count;
}

TEST(kept_is_found_by_its_key) {
    tern_status status;
    tern_context *context = open_here();
    CHECK(!tern_tuned_find(context, "a", &status) && status == TERN_OK);
    CHECK(tern_tuned_keep(context, "a", "BLOCK=1\nnum_warps=4", NULL) == TERN_OK);
    CHECK(tern_tuned_keep(context, "b", "", NULL) == TERN_OK);
    CHECK(tern_tuned_keep(context, "a", "BLOCK=2", NULL) == TERN_OK);
    tern_close(context);
    context = open_here();
    char *found = tern_tuned_find(context, "a", &status);
    CHECK_STR(found, "BLOCK=2");
    tern_free(found);
    found = tern_tuned_find(context, "b", &status);
    CHECK_STR(found, "");
    tern_free(found);
    CHECK(!tern_tuned_find(context, "c", &status) && status == TERN_OK && files() == 2);
    tern_close(context);
    remove_all();
}

/* Each byte changed, each length: refused with a word, or, where the head is another's, not
 * found. */
TEST(damaged_files_are_refused) {
    tern_status status;
    char bytes[2000];
    tern_context *context = open_here();
    CHECK(tern_tuned_keep(context, "key", "choice", NULL) == TERN_OK && files() == 1);
    FILE *file = fopen(path, "r");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t i = 0; i < 2 * size; i++) {
        file = fopen(path, "w");
        if (i < size) bytes[i] ^= 1;
        fwrite(bytes, 1, i < size ? size : i - size, file);
        fclose(file);
        if (i < size) bytes[i] ^= 1;
        CHECK(!tern_tuned_find(context, "key", &status) && status == TERN_ERROR_SYSTEM);
        CHECK(strstr(tern_message(context), path) && strstr(tern_message(context), "damaged"));
    }
    CHECK(tern_tuned_keep(context, "key", "again", NULL) == TERN_OK);
    char *found = tern_tuned_find(context, "key", &status);
    CHECK_STR(found, "again");
    tern_free(found);
    tern_close(context);
    remove_all();
}

/* What makes a file of a megabyte is kept and found again; one byte more is refused. */
TEST(a_megabyte) {
    enum { MOST = 1 << 20 };
    tern_status status;
    tern_context *context = open_here();
    char *choice = malloc(MOST);
    CHECK(tern_tuned_keep(context, "key", "", NULL) == TERN_OK && files() == 1);
    FILE *file = fopen(path, "r");
    fseek(file, 0, SEEK_END);
    long room = MOST - ftell(file) - 6; /* six digits more of its length */
    fclose(file);
    memset(choice, 'x', MOST);
    choice[room + 1] = 0;
    CHECK(tern_tuned_keep(context, "key", choice, NULL) == TERN_ERROR_ARGUMENT);
    CHECK(strstr(tern_message(context), "over a megabyte"));
    choice[room] = 0;
    CHECK(tern_tuned_keep(context, "key", choice, NULL) == TERN_OK);
    char *found = tern_tuned_find(context, "key", &status);
    CHECK(found && !strcmp(found, choice));
    tern_free(found);
    free(choice);
    tern_close(context);
    remove_all();
}

static _Noreturn void write_many(char letter) {
    char choice[5000];
    tern_context *context = open_here();
    memset(choice, letter, sizeof choice);
    choice[sizeof choice - 1] = 0;
    for (int i = 0; i < 200; i++)
        if (tern_tuned_keep(context, "key", choice, NULL)) _exit(1);
    _exit(0);
}

TEST(two_writers) {
    tern_status status;
    int failed = 0, ended;
    tern_context *context = open_here();
    pid_t writers[2];
    for (int i = 0; i < 2; i++)
        if ((writers[i] = fork()) == 0) write_many((char)('a' + i));
    for (int i = 0; i < 300; i++) {
        char *found = tern_tuned_find(context, "key", &status);
        failed += status != TERN_OK;
        if (found)
            failed += strlen(found) != 4999 || strspn(found, found[0] == 'a' ? "a" : "b") != 4999;
        tern_free(found);
    }
    for (int i = 0; i < 2; i++) {
        waitpid(writers[i], &ended, 0);
        CHECK(ended == 0);
    }
    CHECK(!failed && files() == 1);
    tern_close(context);
    remove_all();
}

/* A writer that is killed leaves what was there before, or what it wrote. */
TEST(killed_writers) {
    tern_status status;
    int failed = 0;
    tern_context *context = open_here();
    CHECK(tern_tuned_keep(context, "key", "first", NULL) == TERN_OK);
    for (int i = 0; i < 30; i++) {
        pid_t writer = fork();
        if (writer == 0) write_many('a');
        usleep((useconds_t)(i * 300));
        kill(writer, SIGKILL);
        waitpid(writer, NULL, 0);
        char *found = tern_tuned_find(context, "key", &status);
        failed += !found || (strcmp(found, "first") != 0 && strspn(found, "a") != 4999);
        tern_free(found);
    }
    CHECK(!failed);
    tern_close(context);
    remove_all();
}

static const char tuned_text[] =
    "import triton\nimport triton.language as tl\n"
    "@triton.autotune(configs=[triton.Config({'B': b}) for b in (64, 128)], key=['n'])\n"
    "@triton.jit\ndef k(x, n, m, B: tl.constexpr, C: tl.constexpr = 7):\n"
    "    tl.store(x + tl.arange(0, B), n + m + C)\n";

static bool same_key(tern_module *module, const char *a, const char *b, tern_value known) {
    char *left = tern_tuned_key(module, "k", a, &known, 1);
    char *right = tern_tuned_key(module, "k", b, &known, 1);
    bool same = left && right && !strcmp(left, right);
    tern_free(left);
    tern_free(right);
    return same;
}

TEST(keys_are_classes) {
    tern_context *context = open_here();
    tern_module *module = tern_load_text(context, tuned_text, sizeof tuned_text - 1, "k.py");
    const tern_value n = {"n", "100"};
    CHECK(same_key(module, "*fp32:16,i32:16,i32", "x=*fp32:16, m=i32, n=i32", n)); /* n by value */
    CHECK(!same_key(module, "*fp32:16,i32,i32", "*fp32:16,i32,i32:16", n));
    CHECK(!same_key(module, "*fp32:16,i32,i32", "*fp32,i32,i32", n));
    CHECK(!same_key(module, "*fp32:16,i32,i32", "*fp32:16,i32,i32,C=8", n));
    CHECK(!tern_tuned_key(module, "k", "*fp32,i32,i32", NULL, 0));
    CHECK(strstr(tern_message(context), "'n' of kernel 'k' is tuned for by its value"));
    CHECK(!tern_tuned_key(module, "none", "", NULL, 0) && !tern_tuned_key(module, "k", "?", &n, 1));
    tern_close(context);
    remove_all();
}

TEST(compile_takes_what_is_kept) {
    tern_context *context = open_here();
    tern_module *module = tern_load_text(context, tuned_text, sizeof tuned_text - 1, "k.py");
    const tern_value n = {"n", "100"};
    static const char signature[] = "*fp32:16,i32,i32";
    tern_options options = {.tuned = true, .known = &n, .num_known = 1};
    CHECK(!tern_compile(module, "k", signature, &options)); /* nothing is kept: B is missing */
    char *key = tern_tuned_key(module, "k", signature, &n, 1);
    CHECK(tern_tuned_keep(context, key, "B=128\nC=9\nnum_warps=8", "it won") == TERN_OK);
    tern_kernel *kernel = tern_compile(module, "k", signature, &options);
    CHECK(kernel && tern_kernel_num_warps(kernel) == 8);
    if (kernel) CHECK_STR(tern_kernel_parameter(kernel, 3)->constant, "128");
    if (kernel) CHECK_STR(tern_kernel_parameter(kernel, 4)->constant, "9");
    options.num_warps = 2;
    kernel = tern_compile(module, "k", "*fp32:16,i32,i32,64", &options);
    CHECK(kernel && tern_kernel_num_warps(kernel) == 2); /* other arguments, another key */
    if (kernel) CHECK_STR(tern_kernel_parameter(kernel, 4)->constant, "7");
    CHECK(tern_tuned_keep(context, key, "B=128\nnum_warps=5", NULL) == TERN_OK);
    options.num_warps = 0;
    CHECK(!tern_compile(module, "k", signature, &options));
    CHECK(strstr(tern_message(context), "not 5"));
    options.known = NULL, options.num_known = 0;
    CHECK(!tern_compile(module, "k", signature, &options));
    tern_free(key);
    tern_close(context);
    remove_all();
}

TEST(no_folder_no_file) {
    tern_status status;
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, &status, NULL, 0);
    CHECK(tern_tuned_keep(context, "key", "x", NULL) == TERN_ERROR_UNSUPPORTED);
    CHECK(!tern_tuned_find(context, "key", &status) && status == TERN_OK);
    tern_close(context);
}

int main(int argc, char **argv) {
    if (!mkdtemp(folder)) return 1;
    int code = test_main(__FILE__, argc, argv);
    remove_all();
    return code;
}
