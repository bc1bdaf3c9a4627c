// SPDX-License-Identifier: Apache-2.0
/* Which texts are assembled a second time for one more block on a multiprocessor, with what, and
 * which of the two is kept: over the mock driver, and by ptxas where it is. */
#include "base/cap.h"

#include "cuda_mock.h"

/* A text as the generator writes it. */
static Str text_of(Arena *arena, const char *target, int threads, const char *head,
                   const char *body) {
    return str_format(arena,
                      ".version 8.0\n.target %s\n.address_size 64\n\n.visible .entry k_record(\n"
                      "\t.param .u64 param_0)\n.reqntid %d, 1, 1\n%s{\n%s\tret;\n}\n",
                      target, threads, head, body);
}

static bool is_cap(Arena *arena, const char *target, int threads, int registers, const char *head,
                   const char *body, int blocks, int most) {
    Cap caps[MOST_CAPS] = {{0}}, cap;
    int count = caps_for(text_of(arena, target, threads, head, body), registers, caps);
    cap = caps[0];
    if (count == (blocks > 0) && cap.blocks == blocks && cap.registers == most) return true;
    printf("%s, %d threads, %d registers: %d blocks, %d registers\n", target, threads, registers,
           cap.blocks, cap.registers);
    return false;
}

TEST(one_block_more_for_a_fifth_of_the_registers) {
    Arena *arena = arena_new(NULL);
    CHECK(is_cap(arena, "sm_90a", 256, 58, "", "", 5, 48));
    CHECK(is_cap(arena, "sm_90a", 256, 61, "", "", 0, 0)); /* 48 are 21 % fewer */
    CHECK(is_cap(arena, "sm_90a", 512, 44, "", "", 3, 40));
    CHECK(is_cap(arena, "sm_90a", 1024, 38, "", "", 2, 32));
    CHECK(is_cap(arena, "sm_90a", 1024, 32, "", "", 0, 0)); /* no more threads */
    CHECK(is_cap(arena, "sm_90a", 256, 33, "", "", 7, 32));
    CHECK(is_cap(arena, "sm_90a", 128, 33, "", "", 13, 32));
    CHECK(is_cap(arena, "sm_86", 256, 44, "", "", 6, 40));
    CHECK(is_cap(arena, "sm_86", 256, 40, "", "", 0, 0)); /* 1536 threads */
    CHECK(is_cap(arena, "sm_75", 256, 80, "", "", 4, 64));
    CHECK(is_cap(arena, "sm_75", 256, 64, "", "", 0, 0)); /* 1024 threads */
    CHECK(is_cap(arena, "sm_90a", 256, 255, "", "", 0, 0));
    CHECK(is_cap(arena, "sm_90a", 256, 0, "", "", 0, 0));
    CHECK(is_cap(arena, "sm_90a", 16, 58, "", "", 0, 0));
    arena_free(arena);
}

TEST(where_turns_and_products_are_for_few_registers) {
    Arena *arena = arena_new(NULL);
    static const char loop[] = "L1:\n\t@%p0 bra L2;\n\tbra L1;\nL2:\n";
    static const char ahead[] = "\t@%p0 bra L1;\n\tmov.u32 %r0, 0;\nL1:\n";
    static const char product[] = "\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32;\n";
    CHECK(is_cap(arena, "sm_90a", 256, 58, "", loop, 0, 0));
    CHECK(is_cap(arena, "sm_90a", 256, 58, "", ahead, 5, 48));
    CHECK(is_cap(arena, "sm_90a", 256, 58, "", product, 0, 0));
    CHECK(is_cap(arena, "sm_90a", 128, 132, "", loop, 4, 128));
    CHECK(is_cap(arena, "sm_90a", 128, 132, "", product, 4, 128));
    arena_free(arena);
}

TEST(what_the_text_says_and_shared_memory_stand) {
    Arena *arena = arena_new(NULL);
    static const char some[] = "\t.shared .align 16 .b8 shared_memory[8192];\n";
    static const char much[] = "\t.shared .align 16 .b8 shared_memory[46080];\n";
    CHECK(is_cap(arena, "sm_90a", 256, 58, ".minnctapersm 2\n", "", 0, 0));
    CHECK(is_cap(arena, "sm_90a", 256, 58, ".maxnreg 64\n", "", 0, 0));
    CHECK(is_cap(arena, "sm_90a", 256, 58, "", some, 5, 48));
    CHECK(is_cap(arena, "sm_90a", 256, 58, "", much, 0, 0));
    CHECK(is_cap(arena, "sm_90a", 512, 44, "", much, 3, 40));
    CHECK(is_cap(arena, "sm_80", 512, 44, "", much, 3, 40));
    CHECK(is_cap(arena, "sm_86", 512, 44, "", much, 0, 0));
    CHECK(is_cap(arena, "sm_75", 256, 80, "", some, 4, 64));
    CHECK(is_cap(arena, "sm_90a", 256, 58, "", "\t.local .align 8 .b8 depot[8];\n", 0, 0));
    Str text = text_of(arena, "sm_90a", 256, "", "");
    Str dynamic =
        str_format(arena, ".extern .shared .align 16 .b8 shared_memory[];\n%.*s", STR_ARG(text));
    Cap caps[MOST_CAPS];
    CHECK(caps_for(dynamic, 58, caps) == 0);
    CHECK(caps_for(STR(""), 58, caps) == 0);
    for (int length = 0; length < text.length; length++)
        caps_for(str_copy(arena, (Str){text.data, length}), 58, caps);
    char *longer = memset(arena_alloc(arena, 100000), ' ', 100000);
    CHECK(caps_for(str_format(arena, "%.*s%.*s", STR_ARG(text), 100000, longer), 58, caps) == 0);
    CHECK(caps_for(text, 58, caps) == 1);
    Str capped = cap_text(arena, text, caps[0]);
    CHECK(strstr(capped.data, "\n.reqntid 256, 1, 1\n.minnctapersm 5\n{\n"));
    CHECK(capped.length == text.length + (int)strlen(".minnctapersm 5\n"));
    CHECK(caps_for(capped, 48, caps) == 0);
    arena_free(arena);
}

#define LOAD(at) "\t@%p0 ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d" at "];\n"

/* Loads of several tiles may wait for each other: the blocks there are are asked for. */
TEST(as_many_blocks_with_all_their_registers) {
    Arena *arena = arena_new(NULL);
    static const char three[] = LOAD("1") LOAD("1+2048") LOAD("2") LOAD("3+16");
    static const char two[] = LOAD("1") LOAD("1+2048") LOAD("2") LOAD("2+16");
    static const char few[] = LOAD("1") LOAD("2") LOAD("3");
    static const char turns[] =
        "L1:\n" LOAD("1") LOAD("1+2048") LOAD("2") LOAD("2+16") "\tbra L1;\n";
    static const char tile[] =
        "L1:\n" LOAD("1") LOAD("1+8") LOAD("1+16") LOAD("1+24") "\tbra L1;\n";
    static const char mma[] = "\tmma.sync;\n" LOAD("1") LOAD("2") LOAD("3") LOAD("4");
    CHECK(is_cap(arena, "sm_90a", 512, 52, "", three, 2, 64));
    CHECK(is_cap(arena, "sm_90a", 128, 24, "", three, 16, 32)); /* no more threads */
    CHECK(is_cap(arena, "sm_90a", 128, 250, "", three, 2, 256));
    CHECK(is_cap(arena, "sm_90a", 512, 90, "", three, 1, 128));
    CHECK(is_cap(arena, "sm_90a", 512, 52, "", turns, 2, 64));
    CHECK(is_cap(arena, "sm_90a", 512, 52, "", two, 0, 0));
    CHECK(is_cap(arena, "sm_90a", 512, 52, "", few, 0, 0));
    CHECK(is_cap(arena, "sm_90a", 512, 52, "", tile, 0, 0));
    CHECK(is_cap(arena, "sm_90a", 512, 52, "", mma, 0, 0));
    Cap caps[MOST_CAPS];
    CHECK(caps_for(text_of(arena, "sm_90a", 256, "", three), 58, caps) == 2);
    CHECK(caps[0].blocks == 5 && caps[0].registers == 48);
    CHECK(caps[1].blocks == 4 && caps[1].registers == 64);
    arena_free(arena);
}

/* Of so many registers that one block fits, a second is worth two of them. */
TEST(a_second_block_is_worth_a_few_bytes) {
    Arena *arena = arena_new(NULL);
    static const char loop[] = "L1:\n\tbra L1;\n";
    Cap caps[MOST_CAPS];
    CHECK(caps_for(text_of(arena, "sm_90a", 512, "", ""), 69, caps) == 1 && caps[0].spilled == 16);
    CHECK(cap_pays(caps[0], (PtxasUse){69, 0, 0, 0}, (PtxasUse){64, 8, 8, 8}));
    CHECK(!cap_pays(caps[0], (PtxasUse){69, 0, 0, 0}, (PtxasUse){64, 24, 24, 24}));
    CHECK(caps_for(text_of(arena, "sm_90a", 512, "", loop), 66, caps) == 1 && !caps[0].spilled);
    CHECK(caps_for(text_of(arena, "sm_90a", 256, "", ""), 58, caps) == 1 && !caps[0].spilled);
    arena_free(arena);
}

TEST(spills_do_not_pay) {
    Cap cap = {5, 48, 0};
    CHECK(cap_pays(cap, (PtxasUse){58, 0, 0, 0}, (PtxasUse){48, 0, 0, 0}));
    CHECK(cap_pays(cap, (PtxasUse){58, 8, 4, 4}, (PtxasUse){48, 8, 4, 4}));
    CHECK(!cap_pays(cap, (PtxasUse){58, 0, 0, 0}, (PtxasUse){56, 0, 0, 0}));
    CHECK(!cap_pays(cap, (PtxasUse){58, 0, 0, 0}, (PtxasUse){48, 8, 0, 0}));
    CHECK(!cap_pays(cap, (PtxasUse){58, 8, 4, 4}, (PtxasUse){48, 8, 8, 4}));
    CHECK(!cap_pays(cap, (PtxasUse){58, 8, 4, 4}, (PtxasUse){48, 8, 4, 8}));
    CHECK(!cap_pays(cap, (PtxasUse){58, 0, 0, 0}, (PtxasUse){-1, -1, -1, -1}));
}

/* ---- the driver's ---- */

static int count_of(const char *text, const char *words) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, words)); at++) count++;
    return count;
}

/* How many modules are loaded of such a text, whether the second stays, and that all goes. */
static bool loads(const char *words, int expected, bool takes_second) {
    fresh();
    Fixture f;
    open_device(&f, NULL, NULL);
    if (f.status) return false;
    int before = mock()->live();
    Str text =
        str_format(f.arena, "%.*s// %s\n", STR_ARG(text_of(f.arena, "sm_90a", 256, "", "")), words);
    CompiledKernel kernel = kernel_of(f.arena, "k_record", text.data, 256, 0);
    void *loaded = NULL;
    mock()->trace();
    bool fine = device_cuda.load(&f.device, &kernel, &loaded) == TERN_OK;
    const char *trace = mock()->trace();
    bool counts = count_of(trace, "\nload ") == expected && mock()->live() == before + 2;
    const char *facts = device_cuda.loaded_facts(&f.device, loaded).data;
    fine = fine && counts && !strstr(facts, "registers: 48") == !takes_second;
    if (!fine) printf("%s: live %d of %d\n%s%s", words, mock()->live(), before, trace, facts);
    device_cuda.unload(&f.device, loaded);
    fine = fine && mock()->live() == before;
    close_device(&f);
    return fine;
}

TEST(the_driver_is_asked_twice_where_it_may_pay) {
    CHECK(loads("registers=58,48", 2, true));
    CHECK(loads("registers=58,56", 2, false));
    CHECK(loads("registers=58,48 local_bytes=0,16", 2, false));
    CHECK(loads("registers=58,48 local_bytes=8,8", 2, true));
    CHECK(loads("registers=64", 1, false));
}

/* Whatever call of a load fails, nothing stays behind; a second that is refused is not missed. */
TEST(a_second_that_is_refused_is_not_missed) {
    int fine = 0;
    for (int call = 1; call < 40; call++) {
        fresh();
        Fixture f;
        open_device(&f, NULL, NULL);
        CHECK(!f.status);
        int before = mock()->live();
        Str text = str_format(f.arena, "%.*s// registers=58,48\n",
                              STR_ARG(text_of(f.arena, "sm_90a", 256, "", "")));
        CompiledKernel kernel = kernel_of(f.arena, "k_record", text.data, 256, 0);
        void *loaded = NULL;
        mock()->fail(call, CUDA_INVALID_VALUE);
        bool works = device_cuda.load(&f.device, &kernel, &loaded) == TERN_OK;
        bool failed = mock()->failed_call() != NULL;
        mock()->fail(0, 0);
        if (works) {
            fine += failed;
            CHECK(mock()->live() == before + 2);
            device_cuda.unload(&f.device, loaded);
        }
        CHECK(mock()->live() == before);
        close_device(&f);
    }
    CHECK(fine == 2); /* loading the second, unloading the first */
}

/* ---- ptxas ---- */

/* Enough values alive at a time for some 58 registers, in blocks of 256. */
static Str wide_text(Arena *arena, int values) {
    Buf body = {.arena = arena};
    buf_puts(&body, "\t.reg .b64 %d<2>;\n\t.reg .b32 %r<1>;\n\t.reg .f32 %f<128>;\n"
                    "\tld.param.u64 %d0, [param_0];\n\tmov.u32 %r0, %tid.x;\n"
                    "\tmad.wide.u32 %d1, %r0, 4, %d0;\n");
    for (int i = 0; i < values; i++)
        buf_printf(&body, "\tld.volatile.global.f32 %%f%d, [%%d1+%d];\n", i, 4096 * i);
    for (int i = 0; i < values; i++)
        buf_printf(&body, "\tst.volatile.global.f32 [%%d1+%d], %%f%d;\n", 4096 * i, i);
    return text_of(arena, "sm_90a", 256, "", buf_str(&body).data);
}

TEST(ptxas_makes_what_the_driver_makes) {
    Arena *arena = arena_new(NULL);
    Str words, cubin;
    for (int values = 44; values <= 56; values += 2) {
        Str text = wide_text(arena, values);
        PtxasResult result = ptxas_run(arena, "sm_90a", text, false, &cubin, &words);
        if (result == PTXAS_MISSING) {
            SKIP("no ptxas");
            break;
        }
        CHECK(result == PTXAS_FINE);
        PtxasUse use = ptxas_use(words);
        CHECK(cubin.length > 0 && use.registers > 0);
        CHECK(use.spill_stores == 0);
        CHECK(use.registers >= values);
    }
    arena_free(arena);
}

TEST_MAIN()
