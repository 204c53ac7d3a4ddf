# Rules for kernels of spc, for GNU make (4.2 or later). A makefile names the kernels and how each is compiled, and
# includes this file, whose path 'pkg-config --variable=kernel_mk spc' prints:
#
#     SPC_KERNELS       = sddmm sddmm_f32
#     SPCFLAGS_sddmm    = --format S=csr.json
#     SPCFLAGS_sddmm_f32 = --format S=csr.json --type f32
#     SPC_FILE_sddmm_f32 = sddmm.tex
#     include $(shell pkg-config --variable=kernel_mk spc)
#
# A kernel's file is SPC_FILE_<name>, or <name>.tex. <name>.o and <name>.h are made, in the folder SPC_BUILD (build/) or
# here, and made anew where the kernel, a format, an option or spc itself has changed; a header whose text stays the same
# is left alone. SPC is the compiler, SPCFLAGS holds options of all kernels.
# SPDX-License-Identifier: Apache-2.0

SPC      ?= spc
SPCFLAGS ?= -O3

spc_program := $(shell command -v $(SPC))
spc_flags    = $(SPC) $(SPCFLAGS) $(SPCFLAGS_$(1))
spc_quoted   = '$(subst ','\'',$(1))'
# What a kernel was compiled with lies beside it.
spc_changed  = $(if $(subst x$(file <$(SPC_BUILD)$(1).flags)x,,x$(call spc_flags,$(1))x),.spc-always)

define spc_rules
$(SPC_BUILD)$(1).o: $$(or $$(SPC_FILE_$(1)),$(1).tex) $(spc_program) $(call spc_changed,$(1))
	@mkdir -p $$(@D)
	$$(SPC) compile $$< --name $(1) $$(SPCFLAGS) $$(SPCFLAGS_$(1)) -o $$@ --header $$(@:.o=.h).new -MD -MP
	@cmp -s $$(@:.o=.h).new $$(@:.o=.h) && rm $$(@:.o=.h).new || mv $$(@:.o=.h).new $$(@:.o=.h)
	@printf '%s\n' $$(call spc_quoted,$$(call spc_flags,$(1))) >$$(@:.o=.flags)

$(SPC_BUILD)$(1).h: $(SPC_BUILD)$(1).o
	@test -f $$@ || { rm -f $$< && $$(MAKE) --no-print-directory $$<; }

-include $(SPC_BUILD)$(1).d
endef

.PHONY: .spc-always
$(foreach kernel,$(SPC_KERNELS),$(eval $(call spc_rules,$(kernel))))
