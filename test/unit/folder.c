// SPDX-License-Identifier: Apache-2.0
/* The removal that tests clean up with: it takes a folder that mkdtemp made and nothing else. */
#include "folder.h"
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

TEST(only_what_mkdtemp_made_is_removed) {
    char keep[] = "folder-keep-XXXXXX", made[] = "folder-made-XXXXXX", path[64];
    CHECK(mkdtemp(keep) && mkdtemp(made));
    snprintf(path, sizeof path, "%s/inner", made);
    CHECK(mkdir(path, 0700) == 0);
    snprintf(path, sizeof path, "%s/inner/link", made);
    CHECK(symlink("../..", path) == 0);
    snprintf(path, sizeof path, "%s/inner", made);
    CHECK(!folder_remove(path, "folder-made-XXXXXX"));
    CHECK(!folder_remove(keep, "folder-made-XXXXXX"));
    CHECK(!folder_remove("folder-made", "folder-made-XXXXXX"));
    CHECK(!folder_remove(made, "folder-made"));
    CHECK(!folder_remove("", ""));
    CHECK(access(path, F_OK) == 0);
    CHECK(folder_remove(made, "folder-made-XXXXXX"));
    CHECK(access(made, F_OK) != 0 && access(keep, F_OK) == 0);
    CHECK(folder_remove(keep, "folder-keep-XXXXXX"));
}

TEST_MAIN()
