// SPDX-License-Identifier: Apache-2.0
/* Copies, fills, events, streams and what a device without them says: at the ends of buffers, of
 * one byte and none, across contexts. */
#include "tern.h"
#include "test.h"

static tern_context *context, *other;

static void begin(void) {
    if (context) return;
    context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    other = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
}

TEST(copies_reach_the_ends) {
    static const size_t sizes[] = {0, 1, 2, 255};
    begin();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = sizes[i];
        unsigned char out[256], in[256];
        tern_buffer *buffer = tern_alloc(context, size);
        memset(in, 0x77, sizeof in), memset(out, 0, sizeof out);
        CHECK(tern_fill_async(NULL, buffer, 0x33) == TERN_OK);
        CHECK(tern_read_async(NULL, buffer, 0, out, size) == TERN_OK);
        for (size_t k = 0; k < sizeof out; k++) CHECK(out[k] == (k < size ? 0x33 : 0));
        CHECK(tern_write_async(NULL, buffer, size / 2, in, size - size / 2) == TERN_OK);
        CHECK(tern_read_async(NULL, buffer, 0, out, size) == TERN_OK);
        for (size_t k = 0; k < size; k++) CHECK(out[k] == (k < size / 2 ? 0x33 : 0x77));
        CHECK(tern_write_async(NULL, buffer, size, in, 0) == TERN_OK);
        CHECK(tern_write_async(NULL, buffer, size, in, 1) == TERN_ERROR_ARGUMENT);
        CHECK(tern_read_async(NULL, buffer, size + 1, out, 0) == TERN_ERROR_ARGUMENT);
        CHECK(tern_read_async(NULL, buffer, 1, out, SIZE_MAX) == TERN_ERROR_ARGUMENT);
        CHECK(strstr(tern_message(context), "are not inside a buffer of "));
        tern_buffer_free(buffer);
    }
}

TEST(contexts_do_not_mix) {
    char byte = 0;
    double number = 7;
    begin();
    tern_buffer *buffer = tern_alloc(context, 4);
    tern_stream *foreign = tern_stream_create(other), *own = tern_stream_create(context);
    tern_event *start = tern_event_create(context), *end = tern_event_create(context);
    tern_event *apart = tern_event_create(other);
    CHECK(foreign && own && start && end && apart);
    CHECK(tern_write_async(foreign, buffer, 0, &byte, 1) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "the stream belongs to another context");
    CHECK(tern_read_async(foreign, buffer, 0, &byte, 1) == TERN_ERROR_ARGUMENT);
    CHECK(tern_fill_async(foreign, buffer, 1) == TERN_ERROR_ARGUMENT);
    CHECK(tern_event_record(start, foreign) == TERN_ERROR_ARGUMENT);
    CHECK(tern_event_record(apart, foreign) == TERN_OK);
    CHECK(tern_event_elapsed(start, end, &number) != TERN_OK && number == 0); /* not recorded */
    CHECK(tern_event_record(start, own) == TERN_OK && tern_event_record(end, own) == TERN_OK);
    CHECK(tern_event_elapsed(apart, end, &number) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "the events belong to two contexts");
    CHECK(tern_event_clock(apart, end, &number) == TERN_ERROR_ARGUMENT);
    CHECK_STR(tern_message(context), "the events belong to two contexts");
    CHECK(tern_event_elapsed(start, end, &number) == TERN_OK && number >= 0);
    CHECK(tern_event_clock(start, end, &number) != TERN_OK);
    CHECK(strstr(tern_message(context), "clock that can be read"));
    CHECK(!tern_gate_create(context) && strstr(tern_message(context), "gates"));
    tern_event_free(apart), tern_event_free(start), tern_event_free(end);
    tern_stream_free(foreign), tern_stream_free(own);
    tern_buffer_free(buffer);
    tern_close(other);
    tern_close(context);
}

TEST_MAIN()
