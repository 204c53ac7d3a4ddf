// What the syntax tests share: parsing a text, and comparing trees without their places.
#pragma once

#include "support/render.h"
#include "syntax/parser.h"

#include <catch2/catch.hpp>
#include <deque>
#include <string>

namespace spc::syntax {

/// A parsed text with everything that its spans point into.
struct Parsed {
  explicit Parsed(std::string text) : file("k.tex", std::move(text)), kernel(parse(file, diagnostics)) {}

  std::string rendered() const {
    std::string all;
    for (const Diagnostic &diagnostic : diagnostics.all())
      all += renderText(diagnostic, false);
    return all;
  }

  /// The ids of what was reported, in order, with a blank between.
  std::string ids() const {
    std::string all;
    for (const Diagnostic &diagnostic : diagnostics.all())
      all += (all.empty() ? "" : " ") + std::string(diagnostic.kind.id);
    return all;
  }

  SourceFile file;
  Diagnostics diagnostics;
  Kernel kernel;
};

/// A tree fully spelled out, so that two are equal where their texts are; parentheses count where `parens` says so.
inline std::string structure(const Expr &expr, bool parens = true) {
  auto names = [](const auto &list) {
    std::string text;
    for (const Name &name : list)
      text += ' ' + name.text;
    return text;
  };
  if (auto *literal = std::get_if<Literal>(&expr.node))
    return '#' + literal->spelling;
  if (auto *access = std::get_if<Access>(&expr.node))
    return '[' + access->tensor.text + names(access->indices) + ']';
  if (auto *negate = std::get_if<Negate>(&expr.node))
    return "(neg " + structure(*negate->operand, parens) + ')';
  if (auto *binary = std::get_if<Binary>(&expr.node))
    return '(' + std::string(1, "+-*/"[static_cast<int>(binary->op)]) + ' ' + structure(*binary->left, parens) + ' ' +
           structure(*binary->right, parens) + ')';
  if (auto *call = std::get_if<Call>(&expr.node)) {
    std::string text = "(call " + call->name.text + std::string(spellingOf(call->function).text);
    for (const ExprPtr &argument : call->arguments)
      text += ' ' + structure(*argument, parens);
    return text + ')';
  }
  if (auto *sum = std::get_if<Reduce>(&expr.node))
    return "(sum" + names(sum->variables) + ": " + structure(*sum->body, parens) + ')';
  std::string inner = structure(*std::get<Paren>(expr.node).inner, parens);
  return parens ? "(paren " + inner + ')' : inner;
}

/// The structure of the only statement's right side.
inline std::string right(const std::string &text) {
  Parsed parsed(text);
  INFO(parsed.rendered());
  REQUIRE(parsed.diagnostics.all().empty());
  REQUIRE(parsed.kernel.statements.size() == 1);
  return structure(*parsed.kernel.statements[0].value);
}

} // namespace spc::syntax
