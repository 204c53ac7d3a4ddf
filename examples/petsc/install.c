/* SpcMatInstall as a function of a shared library, for petsc4py. SPDX-License-Identifier: Apache-2.0 */
#include <spc/petsc.h>

PetscErrorCode install(Mat A);
PetscErrorCode install(Mat A) {
  return SpcMatInstall(A);
}
