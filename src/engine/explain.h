// Why each step ran, was skipped, waited or was tried again: recorded against the step, shown on demand.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/observer.h"

namespace sunup::engine {

class Explanations : public Observer {
 public:
  void on(const Event& event) override;

  // The reasons recorded for a step, in order; empty if nothing ever happened to it.
  const std::vector<std::string>& of(const std::string& step) const;
  // All of them: "containerd.start: ran: not done before; waited last for 'containerd.config'".
  std::string print() const;

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::string>, std::less<>> reasons_;
};

}  // namespace sunup::engine
