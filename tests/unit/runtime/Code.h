// Machine code for tests: small functions of the kernel ABI, assembled into this program and copied
// out of it byte by byte. rdi = operands, rsi = params, rdx = begin, rcx = end, r8 = scratch.
#pragma once

#include <cstdint>
#include <vector>

// clang-format off
asm(R"(
.pushsection .rodata
.balign 64
raf_code_double:            # operands[1][i] = 2 operands[0][i] + params[0], float32 and an integer
  movq (%rdi), %rax
  movq 8(%rdi), %r9
  cvtsi2ssq (%rsi), %xmm1
1: cmpq %rcx, %rdx
  jge 2f
  movss (%rax,%rdx,4), %xmm0
  addss %xmm0, %xmm0
  addss %xmm1, %xmm0
  movss %xmm0, (%r9,%rdx,4)
  incq %rdx
  jmp 1b
2: ret
raf_code_double_end:
.balign 64
raf_code_scratch:           # operands[0][i] = i through scratch, int64
  movq (%rdi), %rax
1: cmpq %rcx, %rdx
  jge 2f
  movq %rdx, (%r8)
  movq (%r8), %r9
  movq %r9, (%rax,%rdx,8)
  incq %rdx
  jmp 1b
2: ret
raf_code_scratch_end:
.balign 64
raf_code_exp:               # operands[1][0] = exp(operands[0][0]), float64, through the slot
  pushq %rbx
  movq 8(%rdi), %rbx
  movq (%rdi), %rax
  movsd (%rax), %xmm0
  callq *raf_code_exp_slot(%rip)
  movsd %xmm0, (%rbx)
  popq %rbx
  ret
.balign 8
raf_code_exp_slot:
  .quad 0
raf_code_exp_end:
.popsection
)");
// clang-format on

extern "C" {
extern const uint8_t raf_code_double[], raf_code_double_end[];
extern const uint8_t raf_code_scratch[], raf_code_scratch_end[];
extern const uint8_t raf_code_exp[], raf_code_exp_slot[], raf_code_exp_end[];
}

namespace raf::test {

inline std::vector<uint8_t> codeOf(const uint8_t *begin, const uint8_t *end) {
  return {begin, end};
}
inline std::vector<uint8_t> doubleCode() { return codeOf(raf_code_double, raf_code_double_end); }
inline std::vector<uint8_t> scratchCode() { return codeOf(raf_code_scratch, raf_code_scratch_end); }
inline std::vector<uint8_t> expCode() { return codeOf(raf_code_exp, raf_code_exp_end); }
inline uint64_t expSlot() { return static_cast<uint64_t>(raf_code_exp_slot - raf_code_exp); }

} // namespace raf::test
