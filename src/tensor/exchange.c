// SPDX-License-Identifier: Apache-2.0
/* exchange: tensors from and to others: .npy files, and DLPack for other libraries of this
 * process. */
#include "tensor/tensor.h"

#include <stdlib.h>

/* ---- .npy ---- */

tern_tensor *tern_load_npy(tern_session *session, const char *path) {
    tern_array array = {.rank = 0};
    if (tern_npy_read(session->context, path, &array)) return NULL;
    tern_tensor *tensor = tern_from(session, array.data, array.dtype, array.rank, array.shape);
    tern_free(array.data);
    return tensor;
}

tern_status tern_save_npy(tern_tensor *tensor, const char *path) {
    if (!tensor_is_live(tensor)) return TERN_ERROR_ARGUMENT;
    tern_array array = {.dtype = tensor->dtype,
                        .rank = tensor->rank,
                        .size_bytes = (size_t)tensor->numel * tern_dtype_size(tensor->dtype)};
    memcpy(array.shape, tensor->shape, sizeof tensor->shape);
    array.data = malloc(array.size_bytes + 1);
    if (!array.data) return session_fail(tensor->session, TERN_ERROR_NO_MEMORY, "out of memory");
    tern_status status = tensor_read(tensor, array.data);
    if (!status) status = tern_npy_write(tensor->session->context, path, &array);
    free(array.data);
    return status;
}

/* ---- DLPack 0.8: the layout is its ABI ---- */

typedef struct DLDevice {
    int32_t type, id;
} DLDevice;
typedef struct DLDataType {
    uint8_t code, bits;
    uint16_t lanes;
} DLDataType;
typedef struct DLTensor {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides; /* strides NULL: row-major */
    uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
    DLTensor tensor;
    void *manager;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
enum { DL_CPU = 1, DL_CUDA = 2 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6 };

typedef struct Exported {
    DLManagedTensor managed;
    int64_t shape[TERN_MAX_RANK], strides[TERN_MAX_RANK];
} Exported;

static bool dl_type(tern_dtype dtype, DLDataType *type) {
    bool is_float8 = tern_dtype_is_float(dtype) && tern_dtype_size(dtype) == 1;
    int code = dtype == TERN_BOOL            ? DL_BOOL
               : dtype == TERN_BFLOAT16      ? DL_BFLOAT
               : tern_dtype_is_float(dtype)  ? DL_FLOAT
               : tern_dtype_is_signed(dtype) ? DL_INT
                                             : DL_UINT;
    *type = (DLDataType){(uint8_t)code, (uint8_t)(tern_dtype_size(dtype) * 8), 1};
    return !is_float8;
}

static tern_dtype dtype_of_dl(DLDataType type) {
    for (int dtype = TERN_BOOL; dtype <= TERN_FLOAT64; dtype++) {
        DLDataType have;
        if (dl_type((tern_dtype)dtype, &have) && have.code == type.code && have.bits == type.bits &&
            type.lanes == 1)
            return (tern_dtype)dtype;
    }
    return TERN_VOID;
}

static DLDevice dl_device(const tern_session *session) {
    const char *name = tern_device_name(session->context);
    if (session->on_host) return (DLDevice){DL_CPU, 0};
    return (DLDevice){DL_CUDA, name[4] == ':' ? atoi(name + 5) : 0};
}

static void exported_delete(DLManagedTensor *managed) {
    tern_drop(managed->manager);
    free(managed);
}

struct DLManagedTensor *tern_to_dlpack(tern_tensor *tensor) {
    DLDataType type;
    if (!tensor_is_live(tensor) || !tensor_has_values(tensor, "tern_to_dlpack")) return NULL;
    tern_session *session = tensor->session;
    if (!dl_type(tensor->dtype, &type)) {
        session_fail(session, TERN_ERROR_UNSUPPORTED, "%s types are not supported by dlpack",
                     tern_torch_name(tensor->dtype));
        return NULL;
    }
    Exported *exported = calloc(1, sizeof *exported);
    if (!exported || tern_synchronize(session->context)) {
        if (!exported) session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
        free(exported);
        return NULL;
    }
    memcpy(exported->shape, tensor->shape, sizeof tensor->shape);
    memcpy(exported->strides, tensor->strides, sizeof tensor->strides);
    exported->managed = (DLManagedTensor){
        .tensor = {.data = tern_buffer_pointer(tensor->storage->buffer),
                   .device = dl_device(session),
                   .ndim = tensor->rank,
                   .dtype = type,
                   .shape = exported->shape,
                   .strides = exported->strides,
                   .byte_offset = (uint64_t)tensor->offset * tern_dtype_size(tensor->dtype)},
        .manager = tern_keep(tensor),
        .deleter = exported_delete};
    return &exported->managed;
}

static void release_imported(void *managed) {
    DLManagedTensor *imported = managed;
    if (imported->deleter) imported->deleter(imported);
}

/* The storage begins where the tensor does. */
tern_tensor *tern_from_dlpack(tern_session *session, struct DLManagedTensor *managed) {
    const DLTensor *from = &managed->tensor;
    tern_dtype dtype = dtype_of_dl(from->dtype);
    DLDevice device = dl_device(session);
    int64_t numel, extent, dense[TERN_MAX_RANK];
    if (dtype == TERN_VOID)
        return session_fail_null(session, TERN_ERROR_UNSUPPORTED,
                                 "Unsupported dlpack type: code %d, %d bits, %d lanes",
                                 from->dtype.code, from->dtype.bits, from->dtype.lanes);
    if (from->device.type != device.type || from->device.id != device.id)
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "the dlpack tensor is on device type %d number %d, the session on "
                                 "type %d number %d",
                                 from->device.type, from->device.id, device.type, device.id);
    if (!sizes_check(session, dtype, from->ndim, from->shape, &numel)) return NULL;
    strides_of(from->ndim, from->shape, dense);
    const int64_t *strides = from->strides ? from->strides : dense;
    for (int d = 0; d < from->ndim; d++)
        if (strides[d] < 0)
            return session_fail_null(session, TERN_ERROR_UNSUPPORTED,
                                     "a dlpack tensor with negative strides: %s",
                                     sizes_text(strides, from->ndim).text);
    size_t size = tern_dtype_size(dtype), bytes;
    char *data = (char *)from->data + from->byte_offset;
    if (!view_extent(from->ndim, from->shape, strides, &extent) ||
        __builtin_mul_overflow((size_t)extent, size, &bytes) || (uintptr_t)data % size)
        return session_fail_null(session, TERN_ERROR_ARGUMENT,
                                 "a dlpack tensor of no possible size or alignment");
    tern_buffer *buffer = tern_wrap(session->context, data, bytes);
    Storage *storage = buffer ? storage_of_buffer(session, buffer, false) : NULL;
    if (!storage) {
        tern_buffer_free(buffer);
        return NULL;
    }
    tern_tensor *tensor =
        tensor_create(session, storage, dtype, from->ndim, from->shape, strides, 0);
    if (tensor) {
        storage->release = release_imported;
        storage->released = managed;
    }
    return tensor;
}
