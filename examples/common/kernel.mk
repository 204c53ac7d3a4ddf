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
#
# Kernels become libraries with a header each, here libkernels.h:
#
#     SPC_LIBRARIES            = libkernels.a
#     SPC_KERNELS_libkernels.a = sddmm sddmm_f32          (default: SPC_KERNELS)
#     SPCFLAGS_libkernels.a    = --overload sddmm_any=sddmm,sddmm_f32
# SPDX-License-Identifier: Apache-2.0

SPC      ?= spc
SPCFLAGS ?= -O3

spc_program := $(shell command -v $(SPC))
spc_flags    = $(SPC) $(SPCFLAGS) $(SPCFLAGS_$(1))
spc_quoted   = '$(subst ','\'',$(1))'
# How $(1) was made lies beside it: $(2).
spc_changed  = $(if $(subst x$(file <$(SPC_BUILD)$(1).flags)x,,x$(2)x),.spc-always)
spc_keep     = @cmp -s $(1).new $(1) && rm $(1).new || mv $(1).new $(1)

define spc_rules
$(SPC_BUILD)$(1).o: $$(or $$(SPC_FILE_$(1)),$(1).tex) $(spc_program) $(call spc_changed,$(1),$(call spc_flags,$(1)))
	@mkdir -p $$(@D)
	$$(SPC) compile $$< --name $(1) $$(SPCFLAGS) $$(SPCFLAGS_$(1)) -o $$@ --header $$(@:.o=.h).new -MD -MP
	$$(call spc_keep,$$(@:.o=.h))
	@printf '%s\n' $$(call spc_quoted,$$(call spc_flags,$(1))) >$$(@:.o=.flags)

$(SPC_BUILD)$(1).h: $(SPC_BUILD)$(1).o
	@test -f $$@ || { rm -f $$< && $$(MAKE) --no-print-directory $$<; }

-include $(SPC_BUILD)$(1).d
endef

# Of a library: its kernels, the objects, the header, how it is made.
spc_kernels_of = $(or $(SPC_KERNELS_$(1)),$(SPC_KERNELS),$(error the library $(1) has no kernels: set SPC_KERNELS_$(1)))
spc_objects    = $(patsubst %,$(SPC_BUILD)%.o,$(call spc_kernels_of,$(1)))
spc_header     = $(SPC_BUILD)$(firstword $(subst ., ,$(1))).h
spc_link       = $(SPC) library $(call spc_objects,$(1)) $(SPCFLAGS_$(1)) -o $(SPC_BUILD)$(1)

define spc_library_rules
$(SPC_BUILD)$(1): $(spc_objects) $(call spc_changed,$(1),$(spc_link)) | $(patsubst %.o,%.h,$(spc_objects))
	$$(call spc_link,$(1)) --header $(spc_header).new
	$$(call spc_keep,$(spc_header))
	@printf '%s\n' $$(call spc_quoted,$$(call spc_link,$(1))) >$$@.flags

$(spc_header): $(SPC_BUILD)$(1)
	@test -f $$@ || { rm -f $$< && $$(MAKE) --no-print-directory $$<; }
endef

.PHONY: .spc-always
$(foreach kernel,$(sort $(SPC_KERNELS) $(foreach library,$(SPC_LIBRARIES),$(call spc_kernels_of,$(library)))),\
  $(eval $(call spc_rules,$(kernel))))
$(foreach library,$(SPC_LIBRARIES),$(eval $(call spc_library_rules,$(library))))
