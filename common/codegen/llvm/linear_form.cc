#include <algorithm>
#include <numeric>

#include "common/codegen/llvm/index_emitter.h"

namespace alt::codegen {

void LinearForm::Add(IndexValue atom, int64_t coefficient) {
  if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(atom.value)) {
    constant += coefficient * number->getSExtValue();
    return;
  }
  auto it = std::find_if(terms.begin(), terms.end(),
                         [&](const Term& t) { return t.atom.value == atom.value; });
  if (it == terms.end()) {
    if (coefficient != 0) terms.push_back({atom, coefficient});
    return;
  }
  it->coefficient += coefficient;
  if (it->coefficient == 0) terms.erase(it);
}

bool LinearForm::SameTerms(const LinearForm& other) const {
  if (terms.size() != other.terms.size()) return false;
  return std::all_of(terms.begin(), terms.end(), [&](const Term& t) {
    return std::any_of(other.terms.begin(), other.terms.end(), [&](const Term& u) {
      return t.atom.value == u.atom.value && t.coefficient == u.coefficient;
    });
  });
}

uint64_t LinearForm::TermsAlignment(uint64_t align) const {
  for (const Term& term : terms) {
    align = std::gcd(align, static_cast<uint64_t>(std::abs(term.coefficient)));
  }
  return align;
}

}  // namespace alt::codegen
