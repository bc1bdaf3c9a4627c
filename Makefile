# SPDX-License-Identifier: Apache-2.0
# tern. `make help` lists what there is. Sources are found, not listed: drop a file in its folder.
# No configure step: what is optional is looked for with pkg-config, and 'make info' says what was.

PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
CC      ?= cc
OPT     ?= -O2
OBJCOPY ?= objcopy
# B: build folder; SAN: sanitizers, e.g. make B=build-asan SAN=address,undefined; their reports ask for
# lines only.
B       ?= build
VERSION := $(shell sed -n 's/.*define TERN_VERSION "\(.*\)"/\1/p' include/tern.h)
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wswitch-enum
CFLAGS  += -std=c11 -D_GNU_SOURCE $(OPT) $(if $(SAN),-g1,-g) $(WARN) -fPIC -fvisibility=hidden -Isrc -Iinclude -I$(B) -MMD -MP
LDLIBS  += -lm -ldl -lpthread
# LINKER: another than the compiler's own, e.g. lld, which takes half the time for the test programs.
ifdef LINKER
LDFLAGS += -fuse-ld=$(LINKER)
endif
ifdef SAN
CFLAGS  += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
LDFLAGS += -fsanitize=$(SAN)
endif

# What tools/set-up unpacked where it has no root's rights. Older makes give $(shell) their own PATH.
PACKAGES := $(wildcard build/packages/bin)
ifdef PACKAGES
export PATH := $(abspath $(PACKAGES)):$(PATH)
endif
WITH_PACKAGES := $(if $(PACKAGES),PATH='$(PATH)' )
PKG_CONFIG := $(WITH_PACKAGES)pkg-config

# Compilers newer than those that all of it is built with may warn of what these do not know.
COMPILER := $(shell $(WITH_PACKAGES)$(CC) --version 2>/dev/null | grep -q clang && echo clang || echo gcc)
COMPILER := $(COMPILER)-$(firstword $(subst ., ,$(shell $(WITH_PACKAGES)$(CC) -dumpversion 2>/dev/null)))
ifneq ($(filter gcc-9 gcc-10 gcc-11 gcc-12 gcc-13 clang-11 clang-12 clang-13 clang-14,$(COMPILER)),)
CFLAGS  += -Werror
endif

# Under the address sanitizer gcc 13 takes memory that is marked as not to be touched for memory that is read.
ifdef SAN
ifneq ($(filter gcc-%,$(COMPILER)),)
CFLAGS  += -Wno-error=maybe-uninitialized
endif
endif

# jansson reads JSON: without it 'tern replay' says that it cannot.
JANSSON := $(shell $(PKG_CONFIG) --exists jansson 2>/dev/null && echo yes)
ifeq ($(JANSSON),yes)
CLI_CFLAGS := -DTERN_HAVE_JANSSON $(shell $(PKG_CONFIG) --cflags jansson)
CLI_LDLIBS := $(shell $(PKG_CONFIG) --libs jansson)
endif

STAGES  := base ir lang cuda opt opt/gpu gen gen/c gen/ptx work compile device device/interp device/cpu device/cuda device/sim api host build tensor exec fuse bench prof
LIB_C   := $(wildcard $(STAGES:%=src/%/*.c))
CLI_C   := $(wildcard src/cli/*.c)
LIB_O   := $(LIB_C:%.c=$(B)/%.o) $(B)/texts.o
CLI_O   := $(CLI_C:%.c=$(B)/%.o) $(B)/cli_texts.o
TESTS_C := $(wildcard test/unit/*.c test/api/*.c)
TESTS   := $(TESTS_C:%.c=$(B)/%)
TOOLS   := $(patsubst %.c,$(B)/%,$(wildcard tools/*.c))
FUZZERS := $(patsubst %.c,$(B)/%,$(wildcard test/fuzz/*.c))

.PHONY: all
all: $(B)/tern $(B)/libtern.a $(B)/libtern.so ## build the command and the library

# V=1 prints whole commands; else one short line each.
ifneq ($(V),1)
say = @echo '  $(1) $@';
endif

# Holds the flags of the last build: other flags make everything anew.
FLAGS := $(CC) $(CFLAGS) $(CLI_CFLAGS) $(LDFLAGS)
$(shell mkdir -p $(B); echo '$(FLAGS)' | cmp -s - $(B)/flags || echo '$(FLAGS)' > $(B)/flags)

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(CFLAGS) -c $< -o $@
$(CLI_O): CFLAGS += $(CLI_CFLAGS)

# Texts that are in the library as they are: its functions that are written in the Triton language,
# std_NAME, or in CUDA C, cuda_NAME, and parts of C files that are written, text_NAME.
STD     := $(sort $(wildcard kernels/std/*.py))
CUH     := $(sort $(wildcard kernels/cuda/*.cuh))
HEADERS := src/base/tiles.h src/gen/c/abi.h src/gen/c/tests.h src/gen/ptx/number.h src/prof/report.html src/exec/autotuner.py $(sort $(wildcard kernels/cuda/*.hpp)) $(sort $(wildcard src/exec/lib/*.py)) $(sort $(wildcard src/build/runtime_*.inc))
$(B)/lang/std_files.def: $(STD) Makefile
	@mkdir -p $(@D)
	@for f in $(STD); do n=$$(basename $$f .py); echo "STD_FILE($$n, \"$$n.py\")"; done > $@
define embed
	@mkdir -p $(@D)
	@{ echo '.section .note.GNU-stack,"",%progbits'; echo '.section .rodata'; \
	for f in $(1); do n=$$(basename $${f%.*}); n=$${f%%_*}_$$n; \
	for e in start end; do echo ".globl $${n}_$$e"; echo ".hidden $${n}_$$e"; done; \
	echo "$${n}_start:"; echo ".incbin \"$${f#*_}\""; echo "$${n}_end:"; echo ".byte 0"; done; } > $@
endef
$(B)/texts.S: $(STD) $(CUH) $(HEADERS) Makefile
	$(call embed,$(STD:%=std_%) $(CUH:%=cuda_%) $(HEADERS:%=text_%))
$(B)/cli_texts.S: src/cli/view.html src/cli/lab.py Makefile
	$(call embed,text_src/cli/view.html text_src/cli/lab.py)
$(B)/texts.o $(B)/cli_texts.o: %.o: %.S
	$(CC) -c $< -o $@
$(B)/src/lang/builtin.o: $(B)/lang/std_files.def

# All objects, nothing hidden: what tern's own command and tests link.
$(B)/libtern-internal.a: $(LIB_O)
	@rm -f $@; $(AR) rcs $@ $^

# For users: one object in which only tern_* is visible, so that a user's own arena_new cannot
# replace ours.
$(B)/libtern.a: $(LIB_O)
	$(call say,ld)$(LD) -r $^ -o $(B)/tern-all.o
	@$(OBJCOPY) --wildcard --keep-global-symbol='tern_*' $(B)/tern-all.o
	@rm -f $@; $(AR) rcs $@ $(B)/tern-all.o

$(B)/libtern.so: $(LIB_O)
	$(call say,link)$(CC) -shared $(LDFLAGS) -Wl,-soname,libtern.so.0 $^ -o $@ $(LDLIBS)

# The command is a user of the library: it gets libtern.a, and a src/base of its own.
BASE_O := $(filter $(B)/src/base/%,$(LIB_O))
$(B)/tern: $(CLI_O) $(BASE_O) $(B)/libtern.a
	$(call say,link)$(CC) $(LDFLAGS) $^ -o $@ $(LDLIBS) $(CLI_LDLIBS)

# ---- from Python ----

# A package that works from where it lies: PYTHONPATH=build/python. The extension and the command, which
# tern.why asks, share one libtern.so beside them; PYTHON says whose headers. -Wpedantic knows no function
# pointers in slots.
PYTHON    ?= python3
PYTHON_H  := $(shell $(PYTHON) -c 'import sys, sysconfig; print(sys.version_info >= (3, 11) and sysconfig.get_path("include") or "")' 2>/dev/null)
BESIDE    ?= -Wl,-rpath,'$$ORIGIN'
IN_PYTHON := $(B)/python/tern
NATIVE_C  := $(wildcard python/native/*.c)
PACKAGE   := $(patsubst python/%,$(B)/python/%,$(shell find python/tern -name '*.py'))
# Static where it can be: other machines need not have it.
JANSSON_A := $(wildcard $(shell $(PKG_CONFIG) --variable=libdir jansson)/libjansson.a)
$(IN_PYTHON)/_tern.abi3.so: $(NATIVE_C) python/native/native.h include/tern.h $(B)/libtern.so $(B)/flags
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(filter-out -Wpedantic -MMD -MP,$(CFLAGS)) -Wno-missing-field-initializers -isystem $(PYTHON_H) \
	    -shared $(NATIVE_C) $(B)/libtern.so $(LDFLAGS) $(BESIDE) -Wl,-z,nodelete -o $@ $(LDLIBS)
$(IN_PYTHON)/libtern.so.0: $(B)/libtern.so
	@mkdir -p $(@D)
	@cp $< $@
$(IN_PYTHON)/tern: $(CLI_O) $(BASE_O) $(B)/libtern.so
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(LDFLAGS) $(BESIDE) $^ -o $@ $(LDLIBS) $(or $(JANSSON_A),$(CLI_LDLIBS))
$(B)/python/%.py: python/%.py
	@mkdir -p $(@D)
	@cp $< $@

.PHONY: python
python: $(addprefix $(IN_PYTHON)/,_tern.abi3.so libtern.so.0 tern) $(PACKAGE) ## build the Python package in build/python; needs Python 3.11's headers
# With the tests where it can be; a program under a sanitizer could not load it.
WITH_PYTHON := $(if $(SAN),,$(if $(wildcard $(PYTHON_H)/Python.h),python))

# ---- tests ----

# A driver without a GPU, from the same rows as the real one's loader.
MOCK := $(B)/test/mock/libcuda_mock.so
$(MOCK): test/mock/libcuda_mock.c src/device/cuda/driver.c src/device/cuda/driver.h src/device/cuda/cuda.def test/mock/mock.h
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(CFLAGS)) -Itest -shared $(filter %.c,$^) $(LDFLAGS) -o $@ -ldl
MOCK_NVML := $(B)/test/mock/libnvml_mock.so
$(MOCK_NVML): test/mock/libnvml_mock.c
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(filter-out -MMD -MP,$(CFLAGS)) -shared $< $(LDFLAGS) -o $@
MOCK_CUPTI := $(B)/test/mock/libcupti_mock.so
$(MOCK_CUPTI): test/mock/libcupti_mock.c src/prof/cupti.h src/prof/cupti.def src/prof/counters.h src/prof/counters.def test/mock/cupti.h
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(filter-out -MMD -MP,$(CFLAGS)) -Itest -shared $< $(LDFLAGS) -o $@ -lpthread
$(filter $(B)/test/unit/cuda%,$(TESTS)): $(MOCK) $(MOCK_NVML) $(MOCK_CUPTI)
$(B)/test/unit/cuda%: CFLAGS += -DMOCK_DRIVER='"$(abspath $(MOCK))"' -DMOCK_NVML='"$(abspath $(MOCK_NVML))"' \
    -DMOCK_CUPTI='"$(abspath $(MOCK_CUPTI))"'
$(B)/test/unit/cupti_signatures: CFLAGS += -Itest/compat
$(B)/test/gpu/honesty: $(MOCK_NVML)
$(B)/test/gpu/honesty: CFLAGS += -DMOCK_NVML='"$(abspath $(MOCK_NVML))"'

# TEST_LINKER: as LINKER, for the test programs alone.
ifdef TEST_LINKER
$(B)/test/%: LDFLAGS += -fuse-ld=$(TEST_LINKER)
endif
$(B)/test/%: test/%.c $(B)/libtern-internal.a
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(CFLAGS) -Itest $< $(B)/libtern-internal.a $(LDFLAGS) -o $@ $(LDLIBS)

# Tests of the command's own parts link those parts.
CLI_PARTS := $(filter-out $(B)/src/cli/main.o,$(CLI_O))
$(B)/test/unit/cli%: test/unit/cli%.c $(CLI_PARTS) $(BASE_O) $(B)/libtern.a
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(CFLAGS) -Itest $(filter %.c %.o %.a,$^) $(LDFLAGS) -o $@ $(LDLIBS) $(CLI_LDLIBS)

$(B)/tools/%: tools/%.c $(B)/libtern-internal.a
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(CFLAGS) $< $(B)/libtern-internal.a $(LDFLAGS) -o $@ $(LDLIBS)

.PHONY: tests
EXAMPLES := $(patsubst %.c,$(B)/%,$(wildcard examples/*.c examples/lab/*.c))
tests: all $(TESTS) $(EXAMPLES) $(WITH_PYTHON) ## build the test programs

.PHONY: check
check: ## set up what is missing, build, run all tests that need no GPU
	@tools/set-up
	@+$(MAKE) --no-print-directory check-ready

.PHONY: check-ready
check-ready: tests
	@tools/check-layers
	@tools/run-tests -b $(B)

.PHONY: check-quick
check-quick: tests ## check without the four slow tests
	@tools/check-layers
	@tools/run-tests -b $(B) -q

.PHONY: gpu-tests
gpu-tests: $(patsubst %.c,$(B)/%,$(wildcard test/gpu/*.c)) $(B)/test/api/run $(B)/test/api/ulp ## build what check-gpu runs

.PHONY: check-gpu
check-gpu: ## run all that needs an NVIDIA GPU: tools/gpu-check says what it takes
	@B=$(B) tools/gpu-check

.PHONY: check-layers
check-layers: ## check the includes' arrows, the sizes of functions and files
	@tools/check-layers

.PHONY: asan ubsan tsan
asan ubsan: ## run all tests under the address and undefined-behaviour sanitizers
	@+$(MAKE) --no-print-directory B=build-asan SAN=address,undefined OPT=-O1 check-ready

# Of the devices only cpu has threads of its own; interp and sim do not.
THREADED := api/library api/run unit/cpu unit/prof_threads
tsan: ## run the tests that use threads under the thread sanitizer
	@+$(MAKE) --no-print-directory B=build-tsan SAN=thread OPT=-O1 build-tsan/tern $(THREADED:%=build-tsan/test/%)
	@TERN_TEST_DEVICE=cpu tools/run-tests -b build-tsan $(THREADED:%=%.c) cli/threads.sh

.PHONY: fuzz
FUZZ_SECONDS ?= 60
fuzz: ## feed the parsers broken input for FUZZ_SECONDS each, under the sanitizers
	@+$(MAKE) --no-print-directory B=build-asan SAN=address,undefined OPT=-O1 fuzzers
	@tools/run-fuzzers build-asan $(FUZZ_SECONDS)

.PHONY: fuzzers
fuzzers: $(FUZZERS)

# Random kernels on every device against interp: SECONDS (3600 for an hour), DIFF_OPTIONS as in
# test/diff/main.c.
DIFF_O := $(patsubst %.c,$(B)/%.o,$(wildcard test/diff/*.c))
$(DIFF_O): CFLAGS += -Itest
$(B)/test/diff/diff: $(DIFF_O) $(B)/libtern-internal.a
	$(call say,link)$(CC) $(CFLAGS) $^ $(LDFLAGS) -o $@ $(LDLIBS)

.PHONY: check-torch
check-torch: all ## hold ops, gradients and random programs against the PyTorch of PYTHON: COUNT (20) of each, SEED (the time)
	@BUILD=$(B) TORCH_COUNT=$(or $(COUNT),20) TORCH_SEED=$(or $(SEED),$$(date +%s)) sh test/api/torch.sh

.PHONY: fuzz-diff
fuzz-diff: $(B)/test/diff/diff $(B)/test/unit/random_devices ## run random kernels on every device for SECONDS (60), compare
	@rm -rf $(B)/diff-ptx; mkdir -p $(B)/diff-ptx
	@TERN_RANDOM_SEED=$${TERN_RANDOM_SEED:-$$(date +%s)} TERN_RANDOM_FUNCTIONS=$(or $(SECONDS),60) \
	    TERN_KEEP_PTX=$(B)/diff-ptx $(B)/test/unit/random_devices
	@TERN_KEEP_PTX=$(B)/diff-ptx $(B)/test/diff/diff --seconds $(or $(SECONDS),60) $(DIFF_OPTIONS)
	@tools/assemble $(B)/diff-ptx

.PHONY: fuzz-cuda
fuzz-cuda: $(B)/tern ## random kernels of CUDA C on each device against g++ for SECONDS (60); OPTIONS as in tools/fuzz_cuda
	@TERN=$(B)/tern tools/fuzz_cuda --seconds $(or $(SECONDS),60) $(OPTIONS)

.PHONY: corpus corpus-triton corpus-cuda
corpus: all $(TOOLS) ## compile the kernels of public repositories: CORPUS='DIR..'
	@$(B)/tools/corpus $(CORPUS)
corpus-cuda: all $(TOOLS) ## compile the kernels of public CUDA C: DIR='DIR..'
	@$(B)/tools/corpus_cuda $(addprefix -I ,$(DIR)) $(DIR)
.PHONY: cuda-suite
cuda-suite: $(B)/tern ## kernels of CUDA C in REPOS=DIR against the NumPy references of SUITE=FILE: OPTIONS as in tools/cuda_suite.py
	@TERN=$(B)/tern tools/cuda_suite.py $(or $(SUITE),test/cuda/suite.py) $(or $(REPOS),test/cuda) $(OPTIONS)
corpus-triton: all $(TOOLS) ## the same, and ask the installed triton about what was refused
	@$(B)/tools/corpus --list $(B)/corpus.list $(CORPUS); python3 tools/corpus_triton.py $(B)/corpus.list

.PHONY: gen-diff
gen-diff: all $(B)/libtern-internal.a ## all kernels' C and PTX against another commit's or build folder's: BASE=main
	@CC='$(CC)' tools/gen-diff $(B) $(or $(BASE),main)

# Of tools/mutate, which builds the library's sources itself.
.PHONY: library-parts mutate-needs mutate
library-parts:
	@echo $(LIB_O)
mutate-needs: $(filter-out $(B)/src/%,$(LIB_O) $(CLI_O)) $(B)/lang/std_files.def $(MOCK) $(MOCK_NVML) $(MOCK_CUPTI) \
    $(B)/libtern.so $(EXAMPLES)
MUTATE_OPTIONS ?= --count 1000 --floor 90
mutate: ## change 1000 tokens of the library, one at a time: do tests notice 90 %?
	@tools/mutate prepare
	@tools/mutate run $(MUTATE_OPTIONS)

.PHONY: bless
bless: tests ## rewrite the wanted output of golden tests; read the diff
	@TERN_BLESS=1 tools/run-tests -b $(B) golden costs lang cli sim_rules sim_counts
	@git diff --stat -- test

# ---- demonstration and benchmarks ----

.PHONY: demo
demo: ## set up, build, and show the main job on a real kernel
	@tools/set-up
	@+$(MAKE) --no-print-directory demo-ready

.PHONY: demo-ready
demo-ready: all $(B)/examples/demo
	@tools/demo $(B)

# As a user's program is built: the public header and the public library.
$(B)/examples/%: examples/%.c $(B)/libtern.a $(B)/flags
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(filter-out -Isrc -I$(B),$(CFLAGS)) $< $(B)/libtern.a $(LDFLAGS) -o $@ $(LDLIBS)

.PHONY: bench
bench: $(B)/bench/cpu_bench $(B)/libtern.so ## measure the cpu device against memcpy, OpenBLAS and PyTorch
	@rm -rf $(B)/bench-cache; mkdir -p $(B)/bench-cache
	@$(B)/bench/cpu_bench $(B)/bench-cache
	@if python3 -c 'import torch' 2>/dev/null; then tools/bench_cpu.py --library $(B)/libtern.so $(BENCH_OPTIONS); \
	    else echo 'skipped the rows beside PyTorch: python3 has no torch'; fi

.PHONY: bench-sim
bench-sim: $(B)/bench/sim_bench ## measure how many instructions the simulator executes a second
	@$(B)/bench/sim_bench

.PHONY: bench-cuda
bench-cuda: $(B)/bench/cuda_compile $(B)/bench/cuda_cpu ## measure CUDA C: to PTX beside NVRTC, kernels on the cpu device beside C
	@$(B)/bench/cuda_compile
	@$(B)/bench/cuda_cpu
$(B)/bench/cuda_cpu: CFLAGS += -O3 -march=native

.PHONY: bench-range
bench-range: $(B)/bench/range_bench ## measure what recording a range costs, beside what a profile says of it
	@$(B)/bench/range_bench

.PHONY: bench-gpu
bench-gpu: all $(B)/bench/launch_bench ## measure the cuda target beside PyTorch and Triton; needs a GPU
	@tools/bench_gpu.py --library $(B)/libtern.so $(BENCH_OPTIONS)
	@tools/bench_products.py --lib $(B)/libtern.so

$(B)/bench/%: bench/%.c $(B)/libtern-internal.a $(B)/flags
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(CFLAGS) $< $(B)/libtern-internal.a $(LDFLAGS) -o $@ $(LDLIBS)

# ---- installation ----

MAN  := $(wildcard doc/man/*.1)
ZSHDIR ?= share/zsh/site-functions
DEST := $(DESTDIR)$(PREFIX)
LIB  := $(DESTDIR)$(LIBDIR)

.PHONY: install
install: all ## install below PREFIX (/usr/local), libraries in LIBDIR, inside DESTDIR
	install -d $(DEST)/bin $(DEST)/include $(LIB)/pkgconfig $(LIB)/cmake/tern $(DEST)/share/man/man1 \
	    $(DEST)/share/bash-completion/completions $(DEST)/$(ZSHDIR) $(DEST)/share/tern/kernels
	install -m 755 $(B)/tern $(DEST)/bin/tern
	install -m 644 $(wildcard include/*) $(DEST)/include
	install -m 644 $(B)/libtern.a $(LIB)/libtern.a
	install -m 755 $(B)/libtern.so $(LIB)/libtern.so.0
	ln -sf libtern.so.0 $(LIB)/libtern.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' tern.pc.in > $(LIB)/pkgconfig/tern.pc
	sed -e 's|@VERSION@|$(VERSION)|' -e 's|@UP@|$(shell realpath -ms --relative-to=$(LIBDIR)/cmake/tern $(PREFIX))|' \
	    -e 's|@LIB@|$(shell realpath -ms --relative-to=$(PREFIX) $(LIBDIR))|' tern-config.cmake.in > $(LIB)/cmake/tern/tern-config.cmake
	sed -e 's|@VERSION@|$(VERSION)|' tern-config-version.cmake.in > $(LIB)/cmake/tern/tern-config-version.cmake
	install -m 644 $(MAN) $(DEST)/share/man/man1
	install -m 644 completion/tern.bash $(DEST)/share/bash-completion/completions/tern
	install -m 644 completion/_tern $(DEST)/$(ZSHDIR)/_tern
	install -m 644 kernels/*.py $(DEST)/share/tern/kernels
	$(if $(wildcard $(B)/tern-api.json),install -m 644 $(B)/tern-api.json $(DEST)/share/tern)

.PHONY: dist
dist: ## the sources of HEAD as build/tern-VERSION.tar.gz
	@mkdir -p $(B)
	git archive --format=tar --prefix=tern-$(VERSION)/ HEAD | gzip -n9 > $(B)/tern-$(VERSION).tar.gz

.PHONY: uninstall
uninstall: ## remove what install put there
	rm -f $(DEST)/bin/tern $(patsubst %,$(DEST)/%,$(wildcard include/*)) $(LIB)/libtern.a $(LIB)/libtern.so \
	    $(LIB)/libtern.so.0 $(LIB)/pkgconfig/tern.pc $(MAN:doc/man/%=$(DEST)/share/man/man1/%) \
	    $(DEST)/share/bash-completion/completions/tern $(DEST)/$(ZSHDIR)/_tern
	rm -rf $(DEST)/share/tern $(LIB)/cmake/tern

.PHONY: man
man: all ## write doc/man from what the command says of itself
	@tools/gen-man $(B)/tern doc/man

.PHONY: api
api: ## write build/tern-api.json, the C API for those who bind it, which 'install' takes along
	@mkdir -p $(B)
	tools/api $(CC) > $(B)/tern-api.json

.PHONY: readme
readme: all ## write README.md from doc/README.in, with real output
	@tools/gen-readme $(abspath $(B))/tern

.PHONY: doc
doc: all ## run the commands that pages of doc/ show, and put in what they print
	@tools/doc-run $(B)/tern doc/softmax.md doc/c.md doc/build.md

.PHONY: format
format: ## clang-format all C files
	clang-format -i $$(git ls-files '*.c' '*.h')

.PHONY: info
info: ## what was found, and what is lost without the rest
	@echo "compiler: $(CC) ($$($(CC) --version | head -n 1))"
	@echo "python:   $(if $(wildcard $(PYTHON_H)/Python.h),found,missing: no Python package. apt-get install python3-dev)"
	@echo "jansson:  $(if $(JANSSON),found,missing: no 'tern replay'. apt-get install pkg-config libjansson-dev)"

.PHONY: clean
clean: ## remove what was built
	rm -rf build build-*

.PHONY: help
help: ## this list
	@grep -hE '^[a-z][a-z -]*:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ -/' | sort

-include $(LIB_O:.o=.d) $(CLI_O:.o=.d) $(DIFF_O:.o=.d) $(patsubst %,%.d,$(TESTS) $(TOOLS) $(FUZZERS) $(EXAMPLES))
