// SPDX-License-Identifier: Apache-2.0
/* libnvrtc_mock: an NVRTC that compiles nothing. The PTX is the file $MOCK_NVRTC_PTX, the name of
 * its entry $MOCK_NVRTC_ENTRY; without a file the compilation fails with the log $MOCK_NVRTC_LOG.
 * What it was given goes to the file $MOCK_NVRTC_SEEN. $MOCK_NVRTC_VERSION is 130 for 13.0;
 * with 0 it does not say which it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct NvrtcProgramData {
    char ptx[1 << 20];
} * NvrtcProgram;

#define NVRTC_CALL(name, symbol, parameters)                                                       \
    __attribute__((visibility("default"))) int symbol parameters;
#include "compile/nvrtc.def"
#undef NVRTC_CALL

enum { OUT_OF_MEMORY = 1, INVALID_PROGRAM = 4, COMPILATION = 6, INTERNAL = 11 }; /* nvrtcResult */

static const char *given(const char *variable) {
    const char *text = getenv(variable);
    return text ? text : "";
}

static void note(const char *what, const char *text) {
    FILE *file = fopen(given("MOCK_NVRTC_SEEN"), "a");
    if (!file) return;
    fprintf(file, "%s: %s\n", what, text);
    fclose(file);
}

int nvrtcVersion(int *major, int *minor) {
    int version = getenv("MOCK_NVRTC_VERSION") ? atoi(getenv("MOCK_NVRTC_VERSION")) : 130;
    if (!version) return INTERNAL;
    *major = version / 10, *minor = version % 10;
    return 0;
}

int nvrtcCreateProgram(NvrtcProgram *program, const char *text, const char *name, int num_headers,
                       const char *const *headers, const char *const *header_names) {
    note("name", name);
    note("text", text);
    for (int i = 0; i < num_headers; i++) {
        note("header", header_names[i]);
        note("its text", headers[i]);
    }
    *program = calloc(1, sizeof **program);
    return *program ? 0 : OUT_OF_MEMORY;
}

int nvrtcDestroyProgram(NvrtcProgram *program) {
    note("destroyed", *program ? "once" : "nothing");
    free(*program);
    *program = NULL;
    return 0;
}

int nvrtcAddNameExpression(NvrtcProgram program, const char *name) {
    note("kernel", name);
    return program ? 0 : INVALID_PROGRAM;
}

int nvrtcCompileProgram(NvrtcProgram program, int num_options, const char *const *options) {
    for (int i = 0; i < num_options; i++) note("option", options[i]);
    FILE *file = fopen(given("MOCK_NVRTC_PTX"), "r");
    if (!file) return COMPILATION;
    size_t length = fread(program->ptx, 1, sizeof program->ptx - 1, file);
    program->ptx[length] = 0;
    fclose(file);
    return 0;
}

int nvrtcGetProgramLogSize(NvrtcProgram program, size_t *size) {
    *size = strlen(given("MOCK_NVRTC_LOG")) + 1;
    return program ? 0 : INVALID_PROGRAM;
}

int nvrtcGetProgramLog(NvrtcProgram program, char *log) {
    strcpy(log, given("MOCK_NVRTC_LOG"));
    return program ? 0 : INVALID_PROGRAM;
}

int nvrtcGetPTXSize(NvrtcProgram program, size_t *size) {
    *size = strlen(program->ptx) + 1;
    return 0;
}

int nvrtcGetPTX(NvrtcProgram program, char *ptx) {
    strcpy(ptx, program->ptx);
    return 0;
}

int nvrtcGetLoweredName(NvrtcProgram program, const char *name, const char **lowered) {
    (void)name;
    *lowered = given("MOCK_NVRTC_ENTRY");
    return program ? 0 : INVALID_PROGRAM;
}
