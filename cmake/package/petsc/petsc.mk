# The kernels of <spc/petsc.h>: petsc_kernels.a and petsc_kernels.h, in this folder or in SPC_BUILD (build/), for the
# PETSc that pkg-config finds:
#
#     make -f $(pkg-config --variable=petsc_mk spc)
#
# PETSC_SCALAR (f64, f32, cf64, cf32) and PETSC_INDEX (i32, i64) say what PetscScalar and PetscInt are where they are
# set, and are else what petscconf.h says; PETSC_PC is the name that pkg-config knows PETSc by. SPC, SPCFLAGS: kernel.mk.
# SPDX-License-Identifier: Apache-2.0

spc_petsc_folder := $(dir $(lastword $(MAKEFILE_LIST)))
PETSC_PC ?= petsc
CC       ?= cc
spc_petsc_conf   = $(shell $(CC) $(shell pkg-config --cflags $(PETSC_PC)) -include petscconf.h -E -dM -x c /dev/null | \
  sed -n 's/^.define PETSC_USE_\([A-Z0-9_]*\) 1$$/\1/p')
spc_petsc_found := $(if $(and $(PETSC_SCALAR),$(PETSC_INDEX)),,$(or $(spc_petsc_conf),\
  $(error pkg-config finds no PETSc by the name $(PETSC_PC): set PETSC_PC, or PETSC_SCALAR and PETSC_INDEX)))
PETSC_SCALAR ?= $(if $(filter COMPLEX,$(spc_petsc_found)),c)f$(if $(filter REAL_SINGLE,$(spc_petsc_found)),32,64)
PETSC_INDEX  ?= i$(if $(filter 64BIT_INDICES,$(spc_petsc_found)),64,32)

.PHONY: spc_petsc
spc_petsc: $(SPC_BUILD)petsc_kernels.a

SPC_LIBRARIES += petsc_kernels.a
SPC_KERNELS_petsc_kernels.a := aij_mult aij_mult_add aij_mult_transpose aij_mult_transpose_add aij_mat_mult \
  aij_mat_mult_16
define spc_petsc_rules
SPC_FILE_$(1) := $(spc_petsc_folder)$(1).tex
SPCFLAGS_$(1) := --format A=csr --type T=$(PETSC_SCALAR) --index $(PETSC_INDEX) -Wno-output-format
endef
$(foreach kernel,$(SPC_KERNELS_petsc_kernels.a),$(eval $(call spc_petsc_rules,$(kernel))))
# Installed beside this folder; in the source elsewhere.
include $(firstword $(wildcard $(spc_petsc_folder)../kernel.mk $(spc_petsc_folder)../../../examples/common/kernel.mk))
