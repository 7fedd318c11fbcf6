// A clang plugin for ./dev lint: clang-tidy's checks walk what this repository declares, not the headers of the system.
// What they find in those is thrown away anyhow, and walking them was more than half of the time that a file takes.
// clang-tidy --load=FILE.so is all it takes: the plugin runs by itself, before the checks.
#include <memory>
#include <string>
#include <vector>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

namespace {

class OwnCode : public clang::ASTConsumer {
 public:
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* declaration : group) {
      const clang::SourceManager& sources = declaration->getASTContext().getSourceManager();
      if (!sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation()))) own_.push_back(declaration);
    }
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext& context) override { context.setTraversalScope(own_); }

 private:
  std::vector<clang::Decl*> own_;
};

class OwnCodeFirst : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<OwnCode>();
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<OwnCodeFirst> kRegistration("own-code", "walk this repository's code only");

}  // namespace
