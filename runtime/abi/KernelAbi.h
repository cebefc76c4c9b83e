/* The one header that compiler and runtime share: how generated machine code is called.
 * C, so that a user's own kernel can be written against it.
 *
 * A generated kernel computes work items [begin, end) of the `work` items its command names. The
 * runtime splits that range over threads in any way it likes, so results never depend on the split.
 *   operands  base addresses, inputs first and then results, in the order of the command
 *   params    64-bit arguments: extents, strides (in elements), random-op ids; float scalars are
 *             stored as the bit pattern of a double
 *   scratch   this thread's scratch memory, 64-byte aligned, at least the command's scratch_bytes
 */
#ifndef RAF_RUNTIME_ABI_KERNELABI_H
#define RAF_RUNTIME_ABI_KERNELABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*raf_kernel_fn)(void *const *operands, const int64_t *params, int64_t begin,
                              int64_t end, void *scratch);

#ifdef __cplusplus
}
#endif
#endif
