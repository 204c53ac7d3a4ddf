// Our passes; pipeline/passes.cpp has the order in which they run. They work on a kernel's bodies (mlirgen/mlirgen.h).

#ifndef SPC_TRANSFORMS_PASSES
#define SPC_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def Sparsify : Pass<"spc-sparsify", "mlir::ModuleOp"> {
  let summary = "Run MLIR's sparsifier, and put what it misplaces where it belongs";
  let description = [{
    The loops are serial. Where the region of a `sparse_tensor` operation reads a coordinate and then a dense operand
    from outside, the sparsifier may load the operand before its index is computed: `relinkBranch` inserts at whatever
    it followed last. Operations that use a value of their block too early are moved behind it.

    Loops get their place in the body's nests (`spc.place`), which the `linalg.generic` that they are made of has: all of
    them have its location, and how many of them stand around a loop says which one it is.
  }];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
                           "mlir::bufferization::BufferizationDialect", "mlir::linalg::LinalgDialect",
                           "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::sparse_tensor::SparseTensorDialect"];
}

def LowerDense : Pass<"spc-lower-dense", "mlir::func::FuncOp"> {
  let summary = "Turn dense tensors into buffers, updated in place";
  let description = [{
    Every dense tensor argument becomes a memref argument, and scalars and it get the binds of what they hold (`values`,
    `scalar`); stand-ins for sparse outputs have none. The innermost of its `modes` has stride 1, the others strides at
    run time, all of a `strided` tensor; without modes the elements are contiguous. Operations on dense tensors (`linalg`
    on dense operands, `tensor.extract`, `bufferization.to_buffer`, `to_tensor`) work on these buffers, and dense
    statements become loops, but for fills. MLIR's one-shot bufferization would have to prove what holds by construction
    here: each operation updates the buffer of its `outs` operand, and nothing reads the value before. Sizes of all
    tensors become arguments, one for all tensors with the same extent. The pass fails on a linalg operation with a
    sparse operand: the sparsifier has left it behind.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::affine::AffineDialect",
                           "mlir::arith::ArithDialect"];
}

def MarkIndices : Pass<"spc-mark-indices", "mlir::func::FuncOp"> {
  let summary = "Mark the coordinates that loops run over, for debuggers";
  let description = [{
    A loop's place in the body's nests says which index variables it is a part of. One whose induction variable is the
    coordinate gets them as attribute `spc.indices`; one that loads coordinates, or takes the least of several, gets them
    as `spc.listed_indices`, and what computes the coordinate as metadata of its location. A loop whose coordinate nothing
    computes gets neither. Marks change no code: passes that rewrite a loop or a coordinate either keep its mark or lose
    it.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect"];
}

def StoreIndices : Pass<"spc-store-indices", "mlir::func::FuncOp"> {
  let summary = "Store index variables where debuggers find them";
  let description = [{
    For each variable whose loops are all marked by `spc-mark-indices`, a slot on the stack, which holds -1 before the
    loops, and a store in the innermost of these loops, as soon as the coordinate is known. Both have an attribute
    `spc.index`, the variable's name, and no memory that other operations access.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect"];
}

def Assemble : Pass<"spc-assemble", "mlir::ModuleOp"> {
  let summary = "Collect the entries of assembled outputs";
  let description = [{
    An assembled output has been sparsified as a dense array of zeros (a `run` in its `spc.tensor`): one for all terms
    where each loops over all rows, which then becomes one loop, else one for each term. The loops become a *run*
    (`spc.open_run`): what they store at `A[i, j]` is appended where coordinates come in order and once, or else
    accumulated in a workspace. What several terms append to a row is joined (`spc.join_row`). At the end of the loops
    over the row the row ends. An entry exists where its element is updated: a sum that the sparsifier has made a scalar
    notes that it gets an addend. Loops over all of the first dimension run from `begin` to `end`, so that chunks of rows
    are collected in parallel, and are marked (`spc.row_loop`). MLIR's own lowering inserts one element after the other,
    serially, into one growing tensor.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect",
                           "mlir::arith::ArithDialect", "mlir::complex::ComplexDialect"];
}

def ShareStructure : Pass<"spc-share-structure", "mlir::func::FuncOp"> {
  let summary = "Write outputs that share an operand's pattern into their values array";
  let description = [{
    An output D with `pattern_of = "S"` in its `spc.tensor` has been sparsified as a dense array. Each access
    `D[i, j]` becomes `values[p]`, p being the position at which the same loop nest loads S's value. The fill with zero
    goes over the stored values only, and goes away altogether where every position is then stored exactly once.
    LLVM cannot do this: it does not know that (i, j) and p name the same entry.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::arith::ArithDialect"];
}

def SinkFill : Pass<"spc-sink-fill", "mlir::func::FuncOp"> {
  let summary = "Initialise an output row by row in the loop that owns the rows";
  let description = [{
    `fill(C)` followed by a loop over all rows i that touches C only as `C[i, ...]` becomes a fill of row i at the start
    of iteration i: one pass over C instead of two, the row still in cache, and for a vector no memory traffic at all.
    LLVM does not fuse loops across the nest.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::arith::ArithDialect"];
}

def ClipLoops : Pass<"spc-clip-loops", "mlir::func::FuncOp"> {
  let summary = "Keep every index that is a sum of loop variables inside its extent";
  let description = [{
    Blocks and diagonals index dense tensors, and the dense roots of sparse ones, by sums: `x[8 * jo + ji]`, `x[i + d]`.
    At the last block and at the ends of a diagonal these sums leave their extent, where the storage holds padding that
    is no part of the tensor. The innermost loop of such a sum runs over less: from `max(lower, -rest)` to
    `min(upper, extent - rest)`.
    Block loops get two versions, so that full blocks keep constant bounds and unroll. Where only a loop over positions
    has the index, there are no bounds to narrow: the rest of its body is predicated.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::arith::ArithDialect"];
}

def ComputeTies : Pass<"spc-compute-ties", "mlir::func::FuncOp"> {
  let summary = "Compute the column of a tie's row in place of a loop over what its lists hold";
  let description = [{
    A loop over the one entry that a row of a tie may have becomes what is inside of it, under a condition where the row
    may have none: the column is computed by the equation, or read at the row's own place where each row has one. Loops
    at the top of a body stay: the entry divides their work among threads.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def NarrowLoops : Pass<"spc-narrow-loops", "mlir::func::FuncOp"> {
  let summary = "Run loops only where an equality of their variables lets them add something";
  let description = [{
    The loop over q of `acc += select(q == 2 * i + p, e, 0)` runs from `max(lower, 2 * i + p)` to
    `min(upper, 2 * i + p + 1)` where the others are around it. A loop with others of the equality inside runs over what
    their bounds leave, so that the derivative of a window takes no more steps than the window. A 0 that is not added
    leaves a -0 what it is. LLVM sees such bounds where there is one loop and nothing else to take into account.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def SkipEmpty : Pass<"spc-skip-empty", "mlir::func::FuncOp"> {
  let summary = "Run no loops of a nest where the call's sizes leave it without addends";
  let description = [{
    The outermost loops that a `#spc.nest` has alone end where they begin if one of its extents `empty` is 0. Of a loop that
    other nests share those inside are the outermost ones. A nest that `sets` elements stores 0 in them.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::complex::ComplexDialect"];
}

def LowerStorage : Pass<"spc-lower-storage", "mlir::func::FuncOp"> {
  let summary = "Bind every storage query to an argument, or compute it";
  let description = [{
    `sparse_tensor.positions`, `coordinates` and `values` on sparse arguments become arguments of their own, with a
    `spc.bind` attribute each; the sparse arguments go. A compressed root has no pointers array: its bounds are 0 and
    the bound entry count. Positions and coordinates of the levels that `spc.tensor` describes are computed,
    sign-extended or read from an array of structs; the gather `x[j]` of a dense ragged level turns into a contiguous
    load that way.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::memref::MemRefDialect", "mlir::arith::ArithDialect",
                           "mlir::LLVM::LLVMDialect"];
}

def ApplyMasks : Pass<"spc-apply-masks", "mlir::func::FuncOp"> {
  let summary = "Make products 0 where a comparison of index variables is false";
  let description = [{
    A product with a conversion that has the mark `spc.mask` becomes a choice between the other factor and 0: times 0, an
    infinity would be no number. Only behind the sparsifier, which knows by the product where a term has entries.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def RevealZeros : Pass<"spc-reveal-zeros", "mlir::func::FuncOp"> {
  let summary = "Fold the zeros that mlirgen has hidden from MLIR's folding";
  let description = [{
    `(x << 1) & 1` of a stored value keeps the sparsifier from folding a term, and its pattern with it. What the loops
    are is settled now: a loop that needs a pattern alone need not read values, which may be missing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def ScaleRows : Pass<"spc-scale-rows", "mlir::func::FuncOp"> {
  let summary = "Scale the elements of a row behind the loop that adds them up in memory";
  let description = [{
    In a nest that is `scaled`, `y[i, k] += d[i] * (a[p] * x[j, k])` in a loop over entries p around one over k becomes
    `y[i, k] += a[p] * x[j, k]`, and behind the loop over entries, where that has an iteration, a loop over k sets
    `y[i, k] = y[i, k] * d[i]`. The sum is what the text multiplies or divides: an infinite factor of each of its terms
    would be infinities of both signs. Sums that loops carry are left to spc-factor-reductions.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect"];
}

def FactorReductions : Pass<"spc-factor-reductions", "mlir::func::FuncOp"> {
  let summary = "Apply factors that a reduction does not touch once, after it";
  let description = [{
    `acc += s * x[k] * y[k]` in a loop over k becomes `acc += s * sum` with `sum += x[k] * y[k]` inside, and so do
    quotients by what the loop does not change; what is subtracted or negated is added up first, too. This is a
    reassociation, so the pass runs only where sums may be reassociated. LLVM's own reassociation does not look across loops. `acc |= s` over k, with nothing in it of k, becomes `acc |= s` where there is an iteration.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::arith::ArithDialect"];
}

def HoistQuotients : Pass<"spc-hoist-quotients", "mlir::func::FuncOp"> {
  let summary = "Divide what a loop does not change in front of it";
  let description = [{
    `y[k] += a * x[k] / d` in a loop over k becomes `y[k] += q * x[k]`, with `q = a / d` in front of it: one division in
    place of one for each k, and as many roundings. Where nothing but numbers is multiplied with what changes, the
    quotient stays: `x[k] * (1 / d)` rounds once more. A product is divided factor by factor, so the pass is left out
    under --fp=strict.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def RelaxFloats : Pass<"spc-relax-floats", "mlir::func::FuncOp"> {
  let summary = "Allow sums to be reassociated and multiply-adds contracted";
  let description = [{
    Sets `fastmath<contract>` on floating-point arithmetic, `reassoc` on additions and on products of what is read, and
    nothing else: infinities, NaNs and signed zeros keep their meaning. LLVM would multiply `(x - 1.1) * 0.1` out, and
    make `exp(x + y)` of `exp(x) * exp(y)`, where it may reassociate their products, and `1 * z` of `0 * z + z`, where it
    may reassociate that sum. Left out under --fp=strict.
  }];
}

def ExpandExponentials : Pass<"spc-expand-exponentials", "mlir::func::FuncOp"> {
  let summary = "Compute exponentials of single floats by arithmetic, which LLVM vectorises";
  let description = [{
    `math.exp` or `math.exp2` of an f32 becomes a power of two, which is made of bits, times a polynomial: a loop with it is vectors then,
    where a call of the C library computes one element. The error is a little more than a unit in the last place at most;
    infinities, NaNs and results below the least normal number are what the function has. Left out under --fp=strict, and
    behind spc-relax-floats, as what it adds is not to be reassociated.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def LookUpMerges : Pass<"spc-look-up-merges", "mlir::func::FuncOp"> {
  let summary = "Look a row's entries up in an array where it is merged with many others";
  let description = [{
    In `A(i,j) * B(j,k) * C(i,k)` the row i of C is merged with a row of B for each entry of A's row. The sparsifier steps
    through both each time, and each step is a branch that processors cannot foresee. Within the loop that leaves the row
    as it is, the pass writes down where its entries are, by coordinates, in an array of as many numbers as the dimension
    has coordinates, as far as some other row reaches. The other rows alone are gone through, in the same order as
    before, long ones up to the last coordinate of the row that stays: a merge ends with the list that does first, too.
    Behind the loop what was written is wiped away. The array is asked for once a call of the body
    (`spc.take_positions`), and is NULL where the dimension is large for the entries there are, or there is no memory: a
    copy of the loop merges then, and where the row has few entries, or there are few others.

    TACO merges, too; GraphBLAS and SpGEMM by rows have such an array (Gustavson's sparse accumulator).
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect",
                           "mlir::LLVM::LLVMDialect"];
}

def BranchMerges : Pass<"spc-branch-merges", "mlir::func::FuncOp"> {
  let summary = "Let the branches of a merge advance its operands";
  let description = [{
    The sparsifier's loop that merges operands branches on whose coordinate is the least one, and then computes each
    operand's next position, `select(isLeast, p + 1, p)`. The next load waits for this select, while the processor has
    long predicted the branch. Where the branches write, they yield the next positions instead. LLVM's SelectOptimize
    makes branches of selects too, but new ones, where it takes them for cheaper; it does not find the branch that is
    there.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::arith::ArithDialect"];
}

def ChunkRows : Pass<"spc-chunk-rows", "mlir::func::FuncOp"> {
  let summary = "Let the caller run the rows in chunks";
  let description = [{
    The loops at the top of the body that run over the rows of a dimension m, over all of them or over those that a
    compressed root lists, are recorded as such (`spc.row_loop`). Where each row's iterations write only what no other
    row accesses (its row of a dense output, the positions below it of a shared pattern: the owner computes), the loops
    are cut: they run from an argument bound as `begin` to one bound as `end`. The positions of a root, whose rows must
    ascend, are found by bisection. Where a root lists diagonals, their rows are cut. Each row is computed as before, so
    results do not depend on the chunks.

    One loop that only adds to one dense output, at any place, is cut as well, into rows or into positions of a root,
    where the sum may be reassociated: each chunk then gets a copy of the output, and the copies are added up.

    The attribute `spc.chunks` says how, for the entry, which hands chunks of equal work to the context's parallel-for.
    MLIR's parallelization strategies are directives: they parallelise loops that scatter, which is a data race.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::arith::ArithDialect"];
  let options = [Option<"reassociate", "reassociate", "bool", "false", "every sum may be reassociated, whatever its flags">];
}

def FillRoots : Pass<"spc-fill-roots", "mlir::func::FuncOp"> {
  let summary = "Fill the rows of an output as the loop over a compressed root gets to them";
  let description = [{
    A root lists the rows that have entries, in ascending order. The other rows of the output are filled too. A fill in
    front of the loop would write all of the output, which would have left the cache before its rows are written again.
    Instead each position fills the rows up to its own, and the rows behind the last position are filled after the
    loop. The root's loop is what `spc.row_loop` says is one.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect"];
}

def BlockDiagonals : Pass<"spc-block-diagonals", "mlir::func::FuncOp"> {
  let summary = "Go through all diagonals of a matrix for some rows before the next ones";
  let description = [{
    `for d: for i: y[i] += a[d, i] * x[i + d]`, as DIA stores its levels, goes through all of y once for each diagonal.
    `for each block of rows: for d: for i in the block` adds in the same order, while the block's rows of y stay in the
    first-level cache; the block is filled right before. LLVM interchanges no loops whose bounds are loaded.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect"];
}

def PromoteBlocks : Pass<"spc-promote-blocks", "mlir::func::FuncOp"> {
  let summary = "Unroll and jam the rows of a block, and promote their sums to registers";
  let description = [{
    `for p: for r in 0..8: for c in 0..8: y[8 * i + r] += a[p, r, c] * x[8 * j + c]` becomes
    `for p: for c in 0..8: y0 += a[p, 0, c] * x[8 * j + c]; y1 += ...`: the loop over rows is unrolled and jammed, and
    each row's element of y promoted to a scalar accumulator for all of the reduction. Where sums may be reassociated
    an accumulator is a vector of partial sums along c, whose lanes are added up once, at the end. What a loop in front
    has filled all elements of y with goes there without being stored and loaded. Where the elements of
    a row are loops of their own (`C[8 * i + r, k]`), a few rows are jammed for spc-tile-registers to tile. Matrices
    that whole blocks make up have a copy of the loop that tests no block for lying at the edge. LLVM does not unroll
    and jam loops with conditions inside, nor keep vectors of partial sums across an outer loop.
  }];
  let dependentDialects = ["mlir::memref::MemRefDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect",
                           "mlir::vector::VectorDialect", "mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "16", "Bytes of the target's vector registers">,
    Option<"registers", "registers", "int64_t", "16", "How many vector registers the target has">,
    Option<"strictFp", "strict-fp", "bool", "false", "Add up floats in the order of the source">
  ];
}

def JoinRows : Pass<"spc-join-rows", "mlir::func::FuncOp"> {
  let summary = "Add up all of a matrix in one loop";
  let description = [{
    `for i: for p in ptr[i] .. ptr[i + 1]: s += f(v[p])`, whose inner loop does not depend on the row, becomes
    `for p in ptr[begin] .. ptr[end]: s += f(v[p])`: lists of rows adjoin. So do the rows of arrays where their stride is
    their length, which `for i: for c: s += f(A[i, c])` asks at run time. Vectors of partial sums are added up once, not
    for each row, and short rows fill them. Addends keep their order.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect"];
}

def FactorFibers : Pass<"spc-factor-fibers", "mlir::func::FuncOp"> {
  let summary = "Add a fiber up once where dense loops multiply it out";
  let description = [{
    `for p: for q: for r: C[i, q, r] += s[p] * b[j, q] * c[k[p], r]`, p being the entries of a fiber (i,j), takes as many
    steps as entries times q times r. It becomes `row[r] = sum over p of s[p] * c[k[p], r]` and, behind that,
    `C[i, q, r] += b[j, q] * row[r]`: entries times r, and fibers times q times r. The row is on the stack;
    `spc-tile-registers` keeps it in registers. Where a slice's p entries in f fibers do not save more than is
    set to 0 and left beside them, `p*(q - 1) > f*(q + 2)`, rows have over 256 columns, or there are fewer than four q,
    the loop over q goes around the fibers of the slice instead: each element gets its addends in the same order, and
    stays in its register for all of them. The former is a reassociation, as those of `spc-factor-reductions` are.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect"];
}

def TileRegisters : Pass<"spc-tile-registers", "mlir::func::FuncOp"> {
  let summary = "Move dense loops out of reductions, in register tiles";
  let description = [{
    `for p: for k: C[i, k] += a[p] * B[j, k]` becomes `for each tile of k: c = 0; for p: c += a[p] * B[j, tile];
    C[i, tile] = c`: the tile of C stays in vector registers instead of being loaded and stored for each p, and the
    fill of C disappears. The loop over tiles stands where C's row is known, or outside of a group of rows, so that B's
    rows are read whole before they leave the cache. Each number of vectors that a tile can have gets its own code,
    chosen by the size at run time, once for a group; a last tile ends at the size and overlaps the one before. Where the
    row of C is another one for each p, it is loaded and stored there, and the tile holds what does not change, B's row.
    LLVM does not interchange loops, and promotes to registers no array whose length it does not know.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::arith::ArithDialect",
                           "mlir::vector::VectorDialect", "mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "16", "Bytes of the target's vector registers">,
    Option<"registers", "registers", "int64_t", "16", "How many vector registers the target has">
  ];
}

def UnrollAndJamReductions : Pass<"spc-unroll-and-jam-reductions", "mlir::func::FuncOp"> {
  let summary = "Unroll and jam loops over entries whose bodies are dense dot products";
  let description = [{
    `for p: D[p] = s[p] * (sum over k of A[i, k] * B[j, k])`: four entries are done at a time, so that A's row is loaded
    once for the four, their additions overlap, and one horizontal reduction adds up the lanes of all four sums. Each
    entry has two vector accumulators. A rest that is no whole vector is a vector that ends at the size, whose lanes
    that are done already are masked. Sizes of a few vectors have code of their own, also for the entries that four do
    not divide. Where empty sums are selected apart (spc-factor-reductions), these have a loop of their own. The pass
    reassociates, which --fp=strict forbids. LLVM vectorises the inner loop alone, and adds up lanes for each entry.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::arith::ArithDialect", "mlir::vector::VectorDialect",
                           "mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "16", "Bytes of the target's vector registers">
  ];
}

def WidenSums : Pass<"spc-widen-sums", "mlir::func::FuncOp"> {
  let summary = "Carry sums of half floats in single floats";
  let description = [{
    Half floats are added in f32, and a sum has the type of its target: what loops and branches hand on of such a sum
    stays in f32 until it is stored, and so do its addends. Conversions that the source asks for are left alone:
    arith-emulate-unsupported-floats marks its own by `contract`, and what it extends is an addend in its target's type.
    For loops that carry sums as scalars and, once more, for the vectors of register tiles.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def SplitComplexSums : Pass<"spc-split-complex-sums", "mlir::func::FuncOp"> {
  let summary = "Carry complex numbers as two floats";
  let description = [{
    A loop that carries a complex sum carries its real and its imaginary part instead, and complex arithmetic becomes
    that of floats: both are then sums as others are, which passes after this one interleave and LLVM vectorises. It does
    not look into structs that are carried.
  }];
  let dependentDialects = ["mlir::complex::ComplexDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect",
                           "mlir::math::MathDialect"];
}

def FlattenSegments : Pass<"spc-flatten-segments", "mlir::func::FuncOp"> {
  let summary = "Go through a list of coordinates some entries at a time, whatever runs they make up";
  let description = [{
    MLIR goes through a level that repeats coordinates (COO's rows) run by run: it looks for where the next coordinate
    differs, and then has a loop over the run's entries. Runs of one to five entries, whose ends nobody foresees, cost
    more than what they add up. Where each entry is a few operations on single numbers, the loop goes on by four
    entries: where all four have one coordinate they are added up in registers, together with those that follow for as
    long as four more have it, else each of the four is added to memory by itself. Entries keep their order.
    Where samples of a long list say that four are now of one row and now of several (rows of two to four entries), each
    entry is added to memory by itself: there is no branch that nobody foresees.

    A run may be split where it adds sums to memory, or where entries do all that they do in memory. Without
    `reassociate` a run has one accumulator, which begins with what is in memory. Sums of half floats stay as they are:
    they are rounded once a run.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect",
                           "mlir::LLVM::LLVMDialect"];
  let options = [Option<"reassociate", "reassociate", "bool", "false", "sums may be reassociated">];
}

def MaskGathers : Pass<"spc-mask-gathers", "mlir::func::FuncOp"> {
  let summary = "Sum gathered products on vectors under masks";
  let description = [{
    `for p: y += a[p] * x[indices[p]]` works on eight entries an iteration, of which a mask excludes those behind the
    segment's end: a segment of any length up to eight is one iteration, whose end no branch has to foresee. For
    processors that have masks and gather as fast as they load (Intel's with AVX-512). The pass reassociates, which
    --fp=strict forbids. LLVM's vector loop has no masks: what no vector fills is done one by one. Of bodies that are
    cut at rows, and have few entries in all, short rows keep the loop: their ends are known from the calls before.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect",
                           "mlir::vector::VectorDialect", "mlir::LLVM::LLVMDialect"];
}

def InterleaveReductions : Pass<"spc-interleave-reductions", "mlir::func::FuncOp"> {
  let summary = "Interleave short reductions: several independent accumulators";
  let description = [{
    A reduction waits for each addition before the next one. Loops over a segment that carry fewer than four sums (a
    sparse dot product, a tile of one or two vectors) work on several entries an iteration, each entry with accumulators
    of its own. Dot products that gather are interleaved in segments of 16 to 31 entries, fibers from 4 on: longer ones are left to
    LLVM's vector loop, shorter ones to the processor, which has several of them under way. The pass reassociates,
    which --fp=strict forbids. LLVM interleaves no loop that is on vectors already, and takes one version for all lengths.

    Where tiles work on several entries an iteration, each begins with prefetching the coordinates and values that lie
    1024 bytes further on, unless a schedule forbids prefetches: between vectors at places that follow no pattern,
    processors ask for these late.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect",
                           "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect"];
}

def PrefetchRows : Pass<"spc-prefetch-rows", "mlir::func::FuncOp"> {
  let summary = "Prefetch operand rows some entries before they are needed";
  let description = [{
    Where a row's entries lead to rows of a dense operand, `B[j, ...]` with `j = indices[p]`, the rows of entries a few
    positions later are prefetched, across the ends of segments. That gains up to half where these rows are all over an
    operand that no second-level cache holds, and costs as much where the next row needs what this one has loaded. So
    the body looks first: at the operand's size, and at how far apart the middle entries of some neighbouring rows are.
    LLVM prefetches no indirect accesses.

    With `trials`, large calls do not rely on that: the rows of a body that has a `trial` are cut into pieces, the first
    of which are computed with prefetches and without them in turn, and timed (`runtime::Trial`).
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect"];
  let options = [Option<"trials", "trials", "bool", "false", "Time pieces where the body has a trial">];
}

def PrefetchStreams : Pass<"spc-prefetch-streams", "mlir::func::FuncOp"> {
  let summary = "Prefetch the entries of later rows, where trying it out says so";
  let description = [{
    `for i: for p in row i: y[i] += a[p] * x[j[p]]`: a row begins with prefetching the lines of `a` and `j` that lie 2048
    bytes further on. Processors do so by themselves up to the end of a page, and with rows of a few entries, between
    which they gather, often not in time. Whether it pays depends on what else they have to wait for, so that only
    pieces of a body with a `trial` that find it out do (see spc-prefetch-rows), in a copy of the loop over rows.
  }];
  let dependentDialects = ["mlir::memref::MemRefDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect",
                           "mlir::LLVM::LLVMDialect", "spc::dialect::SpcDialect"];
}

def PrefetchSegments : Pass<"spc-prefetch-segments", "mlir::func::FuncOp"> {
  let summary = "Prefetch the rows that a list names, some of its entries ahead";
  let description = [{
    `for i: for p in row list[i]`: rows come in any order, and no processor knows the next one before it has come to it.
    The first lines of what is read at a row's positions are asked for eight rows ahead, its pointer sixteen.
  }];
  let dependentDialects = ["mlir::memref::MemRefDialect", "mlir::arith::ArithDialect", "spc::dialect::SpcDialect"];
}

def LowerLookups : Pass<"spc-lower-lookups", "mlir::ModuleOp"> {
  let summary = "Turn lookups of rows into calls of the runtime";
  let description = [{
    `spc.find_row` becomes the coordinate itself where the table is null, and a call of the runtime elsewhere. The
    condition is the same throughout a call of the body, which processors foresee. `spc.take_positions` and
    `spc.give_positions` become calls of the runtime.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::scf::SCFDialect"];
}

def LowerTrials : Pass<"spc-lower-trials", "mlir::ModuleOp"> {
  let summary = "Turn trials into calls of the runtime";
  let dependentDialects = ["dialect::SpcDialect", "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect"];
}

def ResumeReductions : Pass<"spc-resume-reductions", "mlir::func::FuncOp"> {
  let summary = "Let reductions that are no sums start from what their target holds";
  let description = [{
    Where MLIR's sparsifier makes a scalar of a `sparse_tensor.reduce`, the scalar starts from the reduction's identity
    and is stored over the element: what the target held, and what an outer loop has brought there, is lost. For targets
    with that `identity` in its `spc.tensor` the pass loads the element in place of the constant.
  }];
  let dependentDialects = ["mlir::memref::MemRefDialect"];
}

def SkipAbsent : Pass<"spc-skip-absent", "mlir::func::FuncOp"> {
  let summary = "Take sums with absent values out of loops";
  let description = [{
    A term that is computed only where an operand has no entry, `A(i,j) * (not pattern(M(i,j)))`, has no addend where
    there is one. MLIR's sparsifier has loops for differences of sets, but no sums over them, so an `spc.absent` stands
    for the addend. The pass replaces `sum + f(absent)` by `sum`. Where nothing is added, nothing is stored: it erases
    stores of such sums, and stores of what was loaded that are left when loops without addends have folded.
  }];
}

def CallLibm : Pass<"spc-call-libm", "mlir::ModuleOp"> {
  let summary = "Call the C library's functions where MLIR's lowering would lose digits";
  let description = [{
    MLIR lowers `math.expm1` to `exp(x) - 1` and `math.log1p` to `log(1 + x)`, which is 0 for small x, and has no
    lowering to LLVM at all for `math.cbrt` or `math.erf`. These and the tangents become calls of the C library's
    functions, which read and write no memory as far as LLVM is concerned.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def BindBuffers : Pass<"spc-bind-buffers", "mlir::func::FuncOp"> {
  let summary = "Turn buffer arguments into plain pointers that do not alias";
  let description = [{
    Each memref argument becomes an `!llvm.ptr` with `llvm.noalias`, in the memref's memory space; its sizes and strides
    come from the arguments bound as `size` and `stride`. The body then has the signature that the entry code calls.
  }];
  let dependentDialects = ["dialect::SpcDialect", "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect"];
}

def LowerAssembly : Pass<"spc-lower-assembly", "mlir::ModuleOp"> {
  let summary = "Turn the collecting of entries into stores and calls of the runtime";
  let description = [{
    A run becomes its handle, which the runtime gives, and variables that LLVM promotes to registers: how many entries
    there are and how many fit, where they and the workspace are. What is done for each entry is inline; the runtime
    makes room, ends rows and keeps hash tables. A run with a workspace gets its loops twice, for a dense one and for a
    hash table, as the runtime decides.

    With `hoist`, loops that accumulate in a dense workspace have a form that takes four neighbouring keys at once, and
    those that append whole rows of operands one that takes the entries of all rows at once.
  }];
  let options = [Option<"hoist", "hoist", "bool", "false",
                        "Move what loops do not change in front of them, accumulate neighbours as vectors">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect",
                           "mlir::vector::VectorDialect", "mlir::complex::ComplexDialect"];
}

#endif
