# SPDX-License-Identifier: Apache-2.0
# NVTX: a tool of ours is told of ranges and calls, as one that NVTX's own headers load is.
. test/cli/lib.sh
cc=${CC:-cc}
export NVTX_SEEN="$work/seen"
run="$TERN run kernels/vector_add.py --device interp --grid 4 -a x_ptr=randn(4096) -a y_ptr=randn(4096) -a out_ptr=empty(4096) -a n=4096 -a BLOCK=1024"
if $cc -shared -fPIC test/mock/nvtx_injection.c -o "$work/tool.so" 2>/dev/null; then
    check 'a tool is loaded' env NVTX_INJECTION64_PATH="$work/tool.so" $run
    check 'the domain comes first' sh -c "grep -v '^module' '$NVTX_SEEN' | head -n 1 | grep -qx 'domain tern'"
    check 'a launch, with its programs' grep -qx 'push vector_add_kernel 3 ff34a853 4' "$NVTX_SEEN"
    check 'a copy, with its bytes' grep -qx 'push tern_write 5 fffbbc04 16384' "$NVTX_SEEN"
    check 'a name is registered once' sh -c "[ \$(grep -cx 'register tern_write' '$NVTX_SEEN') = 1 ]"
    check 'categories have names' grep -qx 'category 3 launch' "$NVTX_SEEN"
    check 'what begins ends' awk '/^push/ { n++ } /^pop/ { if (--n < 0) exit 1 } /malformed|\?/ { exit 1 }
        END { exit n != 0 }' "$NVTX_SEEN"
    check 'the domain ends' sh -c "tail -n 1 '$NVTX_SEEN' | grep -qx end"
    # 0: it saw what came then, balanced; 3: all of it, since this machine was busy until it was there
    late() {
        NVTX_LATE=1 NVTX_INJECTION64_PATH="$work/tool.so" $run --repeat 2000 || return 1
        awk '/^domain/ { d = 1 } /^push vector/ { if (!d) exit bad = 1; k++; n++ } /^push [^v]/ { n++ }
            /^pop/ { if (--n < 0) exit bad = 1 } /malformed|\?/ { exit bad = 1 }
            END { exit bad || n != 0 || k < 1 ? 1 : k >= 2000 ? 3 : 0 }' "$NVTX_SEEN"
    }
    for again in 1 2 3 4 5; do
        late >"$work/late" 2>&1
        saw=$?
        [ $saw = 3 ] || break
    done
    check 'a tool may be late, and sees what comes then, balanced' test $saw = 0
    rm "$NVTX_SEEN"
    NVTX_INJECTION64_PATH=/nonexistent.so $run >"$work/without"
    check 'a tool that is not there changes nothing' sh -c "[ ! -e '$NVTX_SEEN' ] && grep -q vector_add '$work/without'"
    NVTX_SEEN=/nonexistent/seen NVTX_INJECTION64_PATH="$work/tool.so" $run >"$work/without"
    check 'nor does one that refuses' grep -q vector_add "$work/without"
    # Streams that a program makes have names, on the NVIDIA device over the mock driver, once its test has made that.
    cat >"$work/streams.c" <<'END'
#include <tern.h>
int main(void) {
    tern_context *context = tern_open(&(tern_open_options){.device = "cuda", .cache_dir = ""}, NULL, NULL, 0);
    if (!context) return 1;
    tern_stream *a = tern_stream_create(context), *b = tern_stream_create(context);
    tern_stream_free(a);
    tern_stream_free(b);
    tern_close(context);
    return !a || !b;
}
END
    if [ -e "$BUILD/test/mock/libcuda_mock.so" ] && $cc -Iinclude "$work/streams.c" -o "$work/streams" "$BUILD/libtern.a" -lm -ldl -lpthread 2>/dev/null; then
        check 'streams are made' env NVTX_INJECTION64_PATH="$work/tool.so" \
            TERN_CUDA_DRIVER="$(realpath "$BUILD")/test/mock/libcuda_mock.so" "$work/streams"
        check 'and have names' sh -c "[ \"\$(grep '^stream' '$NVTX_SEEN' | tr '\\n' ' ')\" = 'stream tern 1 stream tern 2 ' ]"
    else skip 2 'no mock driver'; fi
    # NVTX's own headers, where they are, tell the tool of the same ranges the same.
    cat >"$work/app.c" <<'END'
#include <nvtx3/nvToolsExt.h>
int main(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("tern");
    nvtxDomainNameCategoryA(domain, 3, "launch");
    nvtxEventAttributes_t a = {0};
    a.version = NVTX_VERSION, a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE, a.category = 3;
    a.colorType = NVTX_COLOR_ARGB, a.color = 0xff34a853;
    a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, a.payload.ullValue = 4;
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringA(domain, "vector_add_kernel");
    nvtxDomainRangePushEx(domain, &a);
    nvtxDomainRangePop(domain);
    nvtxDomainDestroy(domain);
}
END
    if $cc -I"${CUDA_HOME:-/usr/local/cuda}/include" "$work/app.c" -o "$work/app" -ldl 2>/dev/null; then
        NVTX_INJECTION64_PATH="$work/tool.so" "$work/app"
        grep -v '^[de]' "$NVTX_SEEN" >"$work/app.seen"
        NVTX_INJECTION64_PATH="$work/tool.so" $run >/dev/null
        check "as NVTX's headers tell it" sh -c "while read -r line; do grep -qxF \"\$line\" '$NVTX_SEEN' || exit 1; done <'$work/app.seen'
            [ \$(wc -l <'$work/app.seen') = 10 ]"
    else skip 1 'the headers of NVTX are not here'; fi
else skip 15 'no C compiler'; fi
finish
