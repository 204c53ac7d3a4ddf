/* Times products of a matrix with spc's products against PETSc's own, in turns: README.md in the folder above.
 * SPDX-License-Identifier: Apache-2.0 */
#include <spc/petsc.h>

enum { MOST_ROUNDS = 201 };

typedef struct {
  Mat A, B, C; /* C is the result of a product with B */
  Vec x, y;
} Contender;

static PetscErrorCode once(Contender *contender, int dense, int transposed) {
  PetscFunctionBegin;
  if (dense)
    PetscCall(MatMatMult(contender->A, contender->B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &contender->C));
  else if (transposed)
    PetscCall(MatMultTranspose(contender->A, contender->y, contender->x));
  else
    PetscCall(MatMult(contender->A, contender->x, contender->y));
  PetscFunctionReturn(0);
}

static PetscErrorCode seconds(Contender *contender, int dense, int transposed, int calls, double *time) {
  PetscFunctionBegin;
  MPI_Barrier(PETSC_COMM_WORLD);
  *time = -MPI_Wtime();
  for (int call = 0; call < calls; ++call)
    PetscCall(once(contender, dense, transposed));
  MPI_Barrier(PETSC_COMM_WORLD);
  *time = (*time + MPI_Wtime()) / calls;
  PetscFunctionReturn(0);
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *numbers, int count) {
  qsort(numbers, (size_t)count, sizeof *numbers, by_size);
  return numbers[count / 2];
}

/* A line: milliseconds of PETSc's and of spc's, median and least, and the ratios of these and the median of the
 * rounds'. */
static PetscErrorCode compare(const char *name, Contender contenders[2], int dense, int transposed, int rounds) {
  static double times[2][MOST_ROUNDS], ratios[MOST_ROUNDS];
  double first;
  int calls;

  PetscFunctionBegin;
  PetscCall(once(&contenders[0], dense, transposed));
  PetscCall(once(&contenders[1], dense, transposed));
  PetscCall(seconds(&contenders[0], dense, transposed, 1, &first));
  calls = first < 0.01 ? (int)(0.01 / first) + 1 : 1;
  MPI_Bcast(&calls, 1, MPI_INT, 0, PETSC_COMM_WORLD);
  for (int round = 0; round < rounds; ++round) {
    for (int turn = 0; turn < 2; ++turn) {
      const int who = (round + turn) % 2;
      PetscCall(seconds(&contenders[who], dense, transposed, calls, &times[who][round]));
    }
    ratios[round] = times[0][round] / times[1][round];
  }
  {
    const double medians[2] = {median(times[0], rounds), median(times[1], rounds)};
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-12s %9.3f %9.3f  %9.3f %9.3f  %6.2f %6.2f\n", name, medians[0] * 1e3,
                          times[0][0] * 1e3, medians[1] * 1e3, times[1][0] * 1e3, median(ratios, rounds),
                          times[0][0] / times[1][0]));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode load(const char *file, Mat *A) {
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  char file[PETSC_MAX_PATH_LEN] = "";
  PetscInt columns = 32, rounds = 31, m, n;
  Contender contenders[2];

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof file, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-columns", &columns, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &rounds, NULL));
  PetscCheck(rounds > 0 && rounds <= MOST_ROUNDS, PETSC_COMM_WORLD, PETSC_ERR_USER, "-rounds is at most %d",
             MOST_ROUNDS);
  PetscCall(load(file, &contenders[0].A));
  PetscCall(MatDuplicate(contenders[0].A, MAT_COPY_VALUES, &contenders[1].A));
  PetscCall(SpcMatInstall(contenders[1].A));
  PetscCall(MatGetLocalSize(contenders[0].A, &m, &n));
  for (int who = 0; who < 2; ++who) {
    Contender *contender = &contenders[who];
    PetscCall(MatCreateVecs(contender->A, &contender->x, &contender->y));
    PetscCall(VecSet(contender->x, 1));
    PetscCall(MatCreateDense(PETSC_COMM_WORLD, n, PETSC_DECIDE, PETSC_DETERMINE, columns, NULL, &contender->B));
    PetscCall(MatSetRandom(contender->B, NULL));
    PetscCall(MatMatMult(contender->A, contender->B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &contender->C));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-12s %19s  %19s  %13s\n", "ms", "PETSc: median least", "spc: median least",
                        "median least"));
  PetscCall(compare("MatMult", contenders, 0, 0, (int)rounds));
  PetscCall(compare("transposed", contenders, 0, 1, (int)rounds));
  PetscCall(compare("MatMatMult", contenders, 1, 0, (int)PetscMax(3, rounds / 3)));
  for (int who = 0; who < 2; ++who) {
    PetscCall(MatDestroy(&contenders[who].A));
    PetscCall(MatDestroy(&contenders[who].B));
    PetscCall(MatDestroy(&contenders[who].C));
    PetscCall(VecDestroy(&contenders[who].x));
    PetscCall(VecDestroy(&contenders[who].y));
  }
  PetscCall(PetscFinalize());
  return 0;
}
