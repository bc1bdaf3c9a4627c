// SPDX-License-Identifier: Apache-2.0
/* tuned: what is kept is found by its own key alone; damaged files are named; two writers leave one
 * whole file. */
#include "tern.h"
#include "test.h"

#include <dirent.h>
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
    CHECK(tern_tuned_keep(context, "a", "BLOCK=1\nnum_warps=4") == TERN_OK);
    CHECK(tern_tuned_keep(context, "b", "") == TERN_OK);
    CHECK(tern_tuned_keep(context, "a", "BLOCK=2") == TERN_OK);
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
    CHECK(tern_tuned_keep(context, "key", "choice") == TERN_OK && files() == 1);
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
    CHECK(tern_tuned_keep(context, "key", "again") == TERN_OK);
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
    CHECK(tern_tuned_keep(context, "key", "") == TERN_OK && files() == 1);
    FILE *file = fopen(path, "r");
    fseek(file, 0, SEEK_END);
    long room = MOST - ftell(file) - 6; /* six digits more of its length */
    fclose(file);
    memset(choice, 'x', MOST);
    choice[room + 1] = 0;
    CHECK(tern_tuned_keep(context, "key", choice) == TERN_ERROR_ARGUMENT);
    CHECK(strstr(tern_message(context), "over a megabyte"));
    choice[room] = 0;
    CHECK(tern_tuned_keep(context, "key", choice) == TERN_OK);
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
        if (tern_tuned_keep(context, "key", choice)) _exit(1);
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

TEST(no_folder_no_file) {
    tern_status status;
    tern_context *context =
        tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""}, &status, NULL, 0);
    CHECK(tern_tuned_keep(context, "key", "x") == TERN_ERROR_UNSUPPORTED);
    CHECK(!tern_tuned_find(context, "key", &status) && status == TERN_OK);
    tern_close(context);
}

int main(int argc, char **argv) {
    if (!mkdtemp(folder)) return 1;
    int code = test_main(__FILE__, argc, argv);
    remove_all();
    return code;
}
