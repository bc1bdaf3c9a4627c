// SPDX-License-Identifier: Apache-2.0
/* What `tern replay` stands on: SHA-1, the comparison of storages, the class of a kernel, JSON. */
#include "cli/compare.h"
#include "cli/json.h"
#include "cli/sha1.h"
#include "test.h"

TEST(how_numbers_were_made) {
    Arena *arena = arena_new(NULL);
    static const char text[] =
        "func @k(%x: ptr<f32>, %y: ptr<i8>, %z: ptr<f32>, %w: ptr<i32>, %n: i32) {}  {\n"
        "  %v = load %x : f32\n"
        "  %q = fdiv %v, %v : f32\n"
        "  %a, %p = for %n, %n, %n, %q, %y : f32, ptr<i8> (%i: i32, %b: f32, %r: ptr<i8>) {\n"
        "    %c = ftrunc %b : bf16\n"
        "    %d = f_to_s %b : i8\n"
        "    %e = select %t, %d, %d : i8\n"
        "    store %r, %e\n"
        "    %f = fext %c : f32\n"
        "    %s = addptr %r, %n : ptr<i8>\n"
        "    yield %f, %s\n"
        "  }\n"
        "  store %z, %a\n"
        "  %g = f_to_s %v : i32\n"
        "  %h = mul %d, %n : i32\n"
        "  store %w, %g\n"
        "  store %w, %h\n"
        "  yield\n"
        "}\n";
    const Flow *flow = flow_new(arena, text);
    CHECK(flow_origin(flow, "y").rounds_to_int);
    CHECK(flow_origin(flow, "y").narrowest == TERN_BFLOAT16);
    CHECK(flow_origin(flow, "z").narrowest == TERN_BFLOAT16);
    CHECK(!flow_origin(flow, "z").rounds_to_int);
    /* what was loaded is exact, and 1 times n is not 1 */
    CHECK(!flow_origin(flow, "w").rounds_to_int);
    CHECK(!flow_origin(flow, "x").rounds_to_int && !flow_origin(flow, "x").narrowest);
    Origin made = {TERN_FLOAT16, true};
    CHECK(tolerance_made(TERN_INT8, CLASS_ELEMENTWISE, made, 100).absolute == 1);
    CHECK(tolerance_made(TERN_BOOL, CLASS_ELEMENTWISE, made, 100).absolute == 0);
    CHECK(tolerance_made(TERN_FLOAT32, CLASS_ELEMENTWISE, made, 1).relative ==
          tolerance_of(TERN_FLOAT16, CLASS_ELEMENTWISE).relative);
    arena_free(arena);
}

TEST(sha1_of_the_standard) {
    static char million[1000000];
    char hex[41];
    sha1_hex("abc", 3, hex);
    CHECK_STR(hex, "a9993e364706816aba3e25717850c26c9cd0d89d");
    sha1_hex("", 0, hex);
    CHECK_STR(hex, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    sha1_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    CHECK_STR(hex, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    memset(million, 'a', sizeof million);
    sha1_hex(million, sizeof million, hex);
    CHECK_STR(hex, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

static Difference compared(tern_dtype dtype, const void *got, const void *before, const void *want,
                           size_t size_bytes, Tolerance tolerance) {
    Difference difference = {0};
    compare_storage(dtype, got, before, want, size_bytes, tolerance, &difference);
    return difference;
}

TEST(floats_are_compared_with_tolerance) {
    float before[4] = {9, 9, 9, 9}, want[4] = {1, 2, NAN, INFINITY},
          got[4] = {1.001f, 2, NAN, INFINITY};
    Difference loose = compared(TERN_FLOAT32, got, before, want, 16, (Tolerance){1e-2, 0});
    CHECK(loose.num_wrong == 0);
    CHECK(fabs(loose.max_abs - 0.001) < 1e-6 && fabs(loose.max_rel - 0.001) < 1e-6);
    Difference tight = compared(TERN_FLOAT32, got, before, want, 16, (Tolerance){1e-4, 0});
    CHECK(tight.num_wrong == 1 && tight.first_wrong == 0 && tight.num_touched == 0);
    got[2] = 0;
    CHECK(compared(TERN_FLOAT32, got, before, want, 16, (Tolerance){1e-2, 1e9}).num_wrong == 1);
    got[2] = NAN, got[3] = 3e38f;
    CHECK(compared(TERN_FLOAT32, got, before, want, 16, (Tolerance){1, 1e30}).num_wrong == 1);
    got[3] = -INFINITY;
    CHECK(compared(TERN_FLOAT32, got, before, want, 16, (Tolerance){1, 1e30}).num_wrong == 1);
}

TEST(untouched_elements_have_no_absolute_tolerance) {
    float before[2] = {1, 0}, want[2] = {2, 0}, got[2] = {2, 1e-30f};
    Difference difference = compared(TERN_FLOAT32, got, before, want, 8, (Tolerance){0.1, 1});
    CHECK(difference.num_wrong == 1 && difference.num_touched == 1 && difference.first_wrong == 1);
    float zero[1] = {0}, minus[1] = {-0.0f};
    CHECK(compared(TERN_FLOAT32, minus, zero, zero, 4, (Tolerance){0, 0}).num_wrong == 0);
}

TEST(integers_are_exact) {
    int32_t before[2] = {0, 0}, want[2] = {100, 7}, got[2] = {101, 7};
    CHECK(compared(TERN_INT32, got, before, want, 8, (Tolerance){1, 0}).num_wrong == 1);
    int64_t large[1] = {(int64_t)1 << 60}, next[1] = {((int64_t)1 << 60) + 1};
    CHECK(compared(TERN_INT64, next, large, large, 8, (Tolerance){0, 0}).num_wrong == 1);
}

TEST(bytes_past_the_last_element) {
    unsigned char before[6] = {0}, want[6] = {0}, got[6] = {0, 0, 0, 0, 0, 1};
    CHECK(compared(TERN_FLOAT32, got, before, want, 6, (Tolerance){1, 1}).num_wrong == 1);
}

TEST(classes) {
    CHECK(class_of_ir("  %1 = add %a, %b") == CLASS_ELEMENTWISE);
    CHECK(class_of_ir("  %dot = add %for, %b") == CLASS_ELEMENTWISE);
    CHECK(class_of_ir("  %1 = reduce %0 axis=0") == CLASS_REDUCTION);
    CHECK(class_of_ir("  %1 = for %0, %2") == CLASS_REDUCTION);
    CHECK(class_of_ir("  %1 = atomic_rmw %0, %2\n  %3 = reduce %1") == CLASS_ATOMIC);
    CHECK(class_of_ir("  for %0\n  %1 = dot %a, %b, %c") == CLASS_DOT);
}

TEST(tolerances_grow_with_the_class) {
    for (int dtype = TERN_FLOAT8E4M3; dtype <= TERN_FLOAT64; dtype++)
        CHECK(tolerance_of((tern_dtype)dtype, CLASS_ELEMENTWISE).relative <=
              tolerance_of((tern_dtype)dtype, CLASS_REDUCTION).relative);
    CHECK(tolerance_of(TERN_INT32, CLASS_DOT).relative == 0 &&
          tolerance_of(TERN_BOOL, CLASS_DOT).absolute == 0);
}

TEST(json) {
    Json json = {.out.arena = arena_new(NULL)};
    json_open(&json, '{');
    json_key(&json, "a"), json_text(&json, "q\"\\\n\x01\xff\xc3\xa9");
    json_key(&json, "b"), json_open(&json, '[');
    json_int(&json, -5), json_number(&json, 0.1), json_number(&json, (double)NAN),
        json_bool(&json, true);
    json_close(&json, ']');
    json_key(&json, "c"), json_text(&json, NULL);
    json_close(&json, '}');
    CHECK_STR(json.out.data,
              "{\"a\":\"q\\\"\\\\\\n\\u0001\\ufffd\xc3\xa9\",\"b\":[-5,0.1,null,true],\"c\":null}");
    arena_free(json.out.arena);
}

TEST_MAIN()
