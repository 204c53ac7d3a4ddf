#include "sema/terms/domains.h"

#include <algorithm>

namespace spc::sema {

bool isEverywhere(const MaybeDomain &domain) {
  return domain && domain->kind == AccessDomain::Kind::Everywhere;
}

static AccessDomain joined(AccessDomain::Kind kind, const AccessDomain &a, const AccessDomain &b) {
  AccessDomain result{kind, {}, {}};
  for (const AccessDomain *side : {&a, &b})
    for (const AccessDomain &part : side->kind == kind ? side->parts : std::vector<AccessDomain>{*side})
      if (std::none_of(result.parts.begin(), result.parts.end(),
                       [&](const AccessDomain &other) { return isSame(part, other); }))
        result.parts.push_back(part);
  return result.parts.size() == 1 ? AccessDomain(result.parts.front()) : result;
}

MaybeDomain unionOf(const MaybeDomain &a, const MaybeDomain &b) {
  if (!a || !b)
    return a ? a : b;
  return isEverywhere(a) || isEverywhere(b) ? AccessDomain{} : joined(AccessDomain::Kind::Any, *a, *b);
}

MaybeDomain intersectionOf(const MaybeDomain &a, const MaybeDomain &b) {
  if (!a || !b)
    return std::nullopt;
  if (isEverywhere(a) || isEverywhere(b))
    return isEverywhere(a) ? b : a;
  return joined(AccessDomain::Kind::All, *a, *b);
}

bool isSame(const AccessDomain &a, const AccessDomain &b) {
  return a.kind == b.kind && a.operand == b.operand &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), isSame);
}

bool isWithin(const AccessDomain &domain, const AccessDomain &other) {
  const auto isPart = [&](const AccessDomain &part) { return isWithin(domain, part); };
  if (isSame(domain, other) || other.kind == AccessDomain::Kind::Everywhere)
    return true;
  if (other.kind == AccessDomain::Kind::All)
    return std::all_of(other.parts.begin(), other.parts.end(), isPart);
  if (domain.kind == AccessDomain::Kind::All)
    return std::any_of(domain.parts.begin(), domain.parts.end(),
                       [&](const AccessDomain &part) { return isWithin(part, other); });
  return other.kind == AccessDomain::Kind::Any && std::any_of(other.parts.begin(), other.parts.end(), isPart);
}

bool isEmpty(const AccessDomain &domain) {
  if (domain.kind == AccessDomain::Kind::Any)
    return std::all_of(domain.parts.begin(), domain.parts.end(), isEmpty);
  const auto contradicts = [&](const AccessDomain &part) {
    const AccessDomain stored{AccessDomain::Kind::Stored, part.operand, {}};
    return isEmpty(part) || (part.kind == AccessDomain::Kind::Missing &&
                             std::any_of(domain.parts.begin(), domain.parts.end(),
                                         [&](const AccessDomain &other) { return isWithin(other, stored); }));
  };
  return std::any_of(domain.parts.begin(), domain.parts.end(), contradicts);
}

AccessDomain withoutEmpty(AccessDomain domain) {
  if (domain.kind == AccessDomain::Kind::Any)
    std::erase_if(domain.parts, isEmpty);
  if (domain.kind == AccessDomain::Kind::Any && domain.parts.size() == 1)
    return withoutEmpty(AccessDomain(domain.parts.front()));
  std::transform(domain.parts.begin(), domain.parts.end(), domain.parts.begin(), withoutEmpty);
  return domain;
}

/// The least domain that has this one and asks nowhere for what an operand lacks.
static AccessDomain withoutComplements(const AccessDomain &domain) {
  if (domain.kind == AccessDomain::Kind::Missing)
    return {};
  if (domain.parts.empty())
    return domain;
  MaybeDomain result;
  for (const AccessDomain &part : domain.parts) {
    const AccessDomain wider = withoutComplements(part);
    result = !result                                  ? wider
             : domain.kind == AccessDomain::Kind::All ? intersectionOf(result, wider)
                                                      : unionOf(result, wider);
  }
  return *result;
}

AccessDomain visitable(const AccessDomain &domain) {
  if (domain.kind != AccessDomain::Kind::All)
    return domain.kind == AccessDomain::Kind::Any ? withoutComplements(domain) : domain;
  MaybeDomain result;
  for (const AccessDomain &part : domain.parts)
    result = result ? intersectionOf(result, visitable(part)) : visitable(part);
  return *result;
}

NodePtr asCondition(const AccessDomain &domain, Span where) {
  const auto call = [&](Function function, NodePtr a, NodePtr b = nullptr) {
    CallNode call{function, ValueType::Bool, {}};
    call.arguments.push_back(std::move(a));
    if (b)
      call.arguments.push_back(std::move(b));
    return makeNode(std::move(call), where);
  };
  switch (domain.kind) {
  case DomainKind::Everywhere:
    return makeNode(NumberNode{1, "true"}, where);
  case DomainKind::Stored:
    return call(Function::Pattern, makeNode(AccessNode{domain.operand}, where));
  case DomainKind::Missing:
    return call(Function::Not, call(Function::Pattern, makeNode(AccessNode{domain.operand}, where)));
  case DomainKind::All:
  case DomainKind::Any:
    break;
  }
  NodePtr all;
  for (const AccessDomain &part : domain.parts) {
    NodePtr own = asCondition(part, where);
    const Function joint = domain.kind == DomainKind::All ? Function::And : Function::Or;
    all = all ? call(joint, std::move(all), std::move(own)) : std::move(own);
  }
  return all;
}

bool isNowhere(const AccessDomain &domain) {
  return domain.kind == AccessDomain::Kind::All && domain.parts.front().kind == AccessDomain::Kind::Stored &&
         domain.parts[1].kind == AccessDomain::Kind::Missing && domain.parts.front().operand == domain.parts[1].operand;
}

std::optional<AccessId> singleOperand(const AccessDomain &domain) {
  return domain.kind == AccessDomain::Kind::Stored ? std::optional(domain.operand) : std::nullopt;
}

} // namespace spc::sema
