// SPDX-License-Identifier: Apache-2.0
/* packages: NAME.pc and NAMEConfig.cmake, by which builds find the exported files where they
 * lie. */
#include "build/build.h"

/* CMake compiles NAME.c itself; pkg-config has libNAME, which whoever uses it makes of NAME.c. */
void print_pkg_config(Buf *out, Build *build) {
    const char *name = build->name;
    buf_puts(out, "prefix=${pcfiledir}\n\n");
    buf_printf(out, "Name: %s\nDescription: %s, compiled by tern %s\nVersion: 1\n", name,
               build->kernel->name, tern_version());
    buf_puts(out, "Cflags: -I${prefix}\nLibs:");
    if (!build->header_only) {
        buf_printf(out, " -L${prefix} -l%s", name);
    }
    buf_puts(out, " -pthread -ldl -lm\n");
}

void print_cmake(Buf *out, Build *build) {
    const char *name = build->name, *use = build->header_only ? "INTERFACE" : "PUBLIC";
    buf_printf(
        out,
        "# find_package(%s) gives the target %s::%s.\nif(TARGET %s::%s)\n  return()\nendif()\n",
        name, name, name, name, name);
    buf_puts(out, "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)\n");
    if (build->header_only)
        buf_printf(out, "add_library(tern_%s INTERFACE)\n", name);
    else
        buf_printf(out,
                   "enable_language(C)\n"
                   "add_library(tern_%s \"${CMAKE_CURRENT_LIST_DIR}/%s.c\")\n"
                   "set_target_properties(tern_%s PROPERTIES OUTPUT_NAME %s C_STANDARD 11\n"
                   "  POSITION_INDEPENDENT_CODE ON)\n"
                   "if(BUILD_SHARED_LIBS) # its threads outlive a dlclose\n"
                   "  target_link_libraries(tern_%s PRIVATE -Wl,-z,nodelete)\nendif()\n",
                   name, name, name, name, name);
    buf_printf(out,
               "target_include_directories(tern_%s %s \"${CMAKE_CURRENT_LIST_DIR}\")\n"
               "target_link_libraries(tern_%s %s Threads::Threads ${CMAKE_DL_LIBS} m)\n"
               "add_library(%s::%s ALIAS tern_%s)\n",
               name, use, name, use, name, name, name);
}
