#include "fleet/resolve/bootstrapper.h"

#include "base/base64.h"
#include "fleet/resolve/bootstrap_script.h"
#include "fleet/resolve/node_config.h"
#include "render/cse_command.h"
#include "render/custom_data.h"

namespace sunup::fleet {
namespace {

class Scriptless : public Bootstrapper {
 public:
  std::string_view name() const override { return "scriptless"; }
  std::unique_ptr<const BootstrapFrame> frame(const Resolution& kind) const override {
    return std::make_unique<Frame>(ScriptFrame(kind.variables));
  }

 private:
  class Frame : public BootstrapFrame {
   public:
    explicit Frame(const ScriptFrame& script) : script_(script.before(), script.after()) {}
    Result<BootstrapData> fill(const Resolution& node) const override {
      return BootstrapData{script_.fill(ScriptFrame::middle(node.variables)), std::nullopt};
    }

   private:
    Base64Frame script_;
  };
};

class NodeConfig : public Bootstrapper {
 public:
  std::string_view name() const override { return "nodeconfig"; }
  std::unique_ptr<const BootstrapFrame> frame(const Resolution& kind) const override {
    return std::make_unique<Frame>(kind);
  }

 private:
  class Frame : public BootstrapFrame {
   public:
    explicit Frame(const Resolution& kind) : text_(kind) {
      *features_.mutable_enabled_features() = node_config(kind).enabled_features();
    }
    Result<BootstrapData> fill(const Resolution& node) const override {
      auto form = render::form_for_os(node.image.family->custom_data_os);
      if (!form) return std::move(form).error();
      auto data = render::custom_data(features_, {.form = *form, .verbatim = text_.fill(node)});
      if (!data)  // asked again with the whole config, to hear which of its fields are the biggest
        data = render::custom_data(node_config(node), {.form = *form});
      if (!data) return std::move(data).error().in("custom data of " + node.vm_name);
      return BootstrapData{base64_encode(*data), std::string(render::kCseCommand)};
    }

   private:
    NodeConfigFrame text_;
    contract::Configuration features_;  // of the config, all that custom data asks for beside the text
  };
};

}  // namespace

const Bootstrapper& bootstrapper(Bootstrap kind) {
  static const Scriptless kScriptless;
  static const NodeConfig kNodeConfig;
  if (kind == Bootstrap::kNodeConfig) return kNodeConfig;
  return kScriptless;
}

}  // namespace sunup::fleet
