// `semiring(min, +)`: other meanings of `+`, `*` and of sums in the statements that follow. Private to this folder.
#pragma once

#include "syntax/ast.h"
#include "syntax/syntax_errors.h"

namespace spc::syntax {

/// The meanings of `+` and sums, and of `*`. `first` and `second` are one factor, where the other one has an entry.
struct Semiring {
  enum class Addition { Plus, Min, Max, Or };
  enum class Multiplication { Times, Plus, Min, Max, And, First, Second };
  Addition addition = Addition::Plus;
  Multiplication multiplication = Multiplication::Times;
};

/// The addition so spelled: `+`, `min`, `max`, `or`; nullopt for anything else.
std::optional<Semiring::Addition> additionNamed(std::string_view text);

/// The multiplication so spelled: `*`, `+`, `min`, `max`, `and`, `first`, `second`; nullopt for anything else.
std::optional<Semiring::Multiplication> multiplicationNamed(std::string_view text);

/// The value of missing entries where a declaration does not say it: the identity of the addition, nullopt for 0.
std::optional<double> fillOf(const Semiring &semiring);

/// Writes a statement in usual arithmetic: operators become functions, and the variables that an addend has and the
/// target lacks are reduced over by name. Reports factors that `first` or `second` cannot ask for their pattern.
void applySemiring(const Semiring &semiring, Statement &statement, SyntaxErrors &errors);

} // namespace spc::syntax
