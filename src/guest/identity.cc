#include "guest/identity.h"

#include <algorithm>
#include <optional>

#include "azure/names.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "host/edit.h"

namespace sunup::guest {
namespace {

using namespace std::chrono_literals;
using host::Task;

constexpr auto& kHostName = paths::kHostName;
constexpr char kHosts[] = "/etc/hosts";
constexpr char kPasswd[] = "/etc/passwd";
constexpr char kGroup[] = "/etc/group";
constexpr char kSudoers[] = "/etc/sudoers.d/90-aks-node-controller";
constexpr char kSshDirectory[] = "/etc/ssh";
constexpr char kSshDropIns[] = "/etc/ssh/sshd_config.d";
constexpr char kSshPasswords[] = "/etc/ssh/sshd_config.d/50-aks-node-controller.conf";
constexpr char kThisHost[] = "127.0.1.1";
constexpr host::Duration kProgramLimit = 60s;

// The groups of the default users of Ubuntu, Debian and Azure Linux. A group that the image does not have is omitted.
constexpr const char* kGroups[] = {"adm", "cdrom", "dip", "lxd", "plugdev", "sudo", "wheel"};

struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home;
};

Result<std::optional<Account>> account_of(host::Files& files, std::string_view name) {
  const auto text = files.read(kPasswd);
  if (!text) return text.error();
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto fields = split(take_until(rest, '\n'), ':');
    if (fields.size() < 7 || fields[0] != name) continue;
    const auto uid = as_number<int64_t>(fields[2]);
    const auto gid = as_number<int64_t>(fields[3]);
    if (!uid || !gid || !fields[5].starts_with('/')) return Error("/etc/passwd: the entry of this user is damaged");
    return std::optional(Account{static_cast<uid_t>(*uid), static_cast<gid_t>(*gid), std::string(fields[5])});
  }
  return std::optional<Account>();
}

Result<std::string> groups_that_exist(host::Files& files) {
  const auto text = files.read(kGroup);
  if (!text) return text.error();
  std::vector<std::string> found;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view name = split(take_until(rest, '\n'), ':')[0];
    if (std::ranges::find(kGroups, name) != std::end(kGroups)) found.emplace_back(name);
  }
  std::ranges::sort(found);
  return joined(found, ",");
}

Task<Result<void>> run(host::Host& host, host::Command command) {
  const std::string name = command.argv[0];
  auto exit = co_await host.processes.run(std::move(command).with_limit(kProgramLimit));
  if (!exit) co_return std::move(exit).error().in(name);
  if (!exit->ok()) co_return exit->as_error(name);
  co_return Result<void>();
}

Task<Result<Account>> account_made(host::Host& host, std::string name) {
  const auto groups = groups_that_exist(host.files);
  if (!groups) co_return groups.error();
  auto known = account_of(host.files, name);
  if (!known) co_return std::move(known).error();
  host::Command command =
      *known ? host::command("usermod", "--append") : host::command("useradd", "--create-home", "--shell", "/bin/bash");
  // An existing account that needs no group is not changed.
  if (!groups->empty()) {
    command.argv.emplace_back("--groups");
    command.argv.push_back(*groups);
  }
  if (!*known || !groups->empty()) {
    command.argv.emplace_back("--");
    command.argv.push_back(name);
    auto made = co_await run(host, std::move(command));
    if (!made) co_return std::move(made).error();
  }
  if (!*known) known = account_of(host.files, name);
  if (!known) co_return std::move(known).error();
  if (!*known) co_return Error("useradd has made no user " + name);
  co_return **known;
}

// Existing keys stay, because a user may have added them.
std::string with_keys(std::string text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    bool there = false;
    for (const std::string_view known : split(text, '\n')) there = there || trimmed(known) == line;
    if (there) continue;
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += line + "\n";
  }
  return text;
}

Result<void> authorize(host::Files& files, const Account& account, const std::vector<std::string>& lines) {
  const std::string directory = account.home + "/.ssh";
  const std::string path = directory + "/authorized_keys";
  // The home directory belongs to the user: a symbolic link in it must not redirect this program.
  for (const std::string& one : {account.home, directory, path}) {
    const auto link = files.link_if_there(one);
    if (!link) return link.error();
    if (*link) return Error(one + " is a link: no keys are written through it");
  }
  if (auto made = files.make_directories(directory, 0700); !made) return made;
  // An earlier run may have been killed between the two calls.
  const host::FileOwner owner{account.uid, account.gid};
  const auto made = files.info(directory);
  if (!made) return made.error();
  if (host::FileOwner{made->uid, made->gid} != owner)
    if (auto owned = files.set_owner(directory, owner.uid, owner.gid); !owned) return owned;
  // The agent and cloud-init write keys, too.
  const auto edited = host::edit(files, path, [&](const std::optional<host::FileText>& before) {
    using Change = Result<std::optional<host::FileText>>;
    return Change(host::FileText{with_keys(before ? before->text : "", lines), 0600, owner});
  });
  if (!edited) return edited.error();
  return {};
}

Result<void> set_password_login(host::Files& files, const azure::OvfEnvironment& environment) {
  if (!environment.password_login_disabled) return {};
  const auto drop_ins = files.exists(kSshDropIns);
  if (!drop_ins) return drop_ins.error();
  if (!*drop_ins) return {};
  const std::string text =
      std::string("PasswordAuthentication ") + (*environment.password_login_disabled ? "no" : "yes") + "\n";
  return files.write(kSshPasswords, text, 0600);
}

// The comment of a key would be the host name, which is that of the image, or of another VM, before it is set. A system
// that allows only certain algorithms refuses to make some of the keys.
Task<Result<void>> make_one_of_each_type(host::Host& host) {
  Result<void> first;
  bool any = false;
  for (const std::string type : {"ed25519", "ecdsa", "rsa"}) {
    const std::string path = std::string(kSshDirectory) + "/ssh_host_" + type + "_key";
    auto made = co_await run(host, host::command("ssh-keygen", "-q", "-t", type, "-N", "", "-C", "", "-f", path));
    any = any || made;
    if (!made && first) first = std::move(made);
  }
  co_return any ? Result<void>() : first;
}

}  // namespace

std::string hosts_with(std::string_view before, const std::string& name) {
  const std::string short_name = name.substr(0, name.find('.'));
  const std::string line = std::string(kThisHost) + " " + name + (short_name == name ? "" : " " + short_name) + "\n";
  std::string out;
  bool written = false;
  while (!before.empty()) {
    const std::string_view old = take_until(before, '\n');
    const auto parts = words(old);
    if (parts.empty() || parts[0] != kThisHost) {
      out += std::string(old) + "\n";
    } else if (!written) {
      out += line;
      written = true;
    }
  }
  return written ? out : out + line;
}

Result<void> set_host_name(host::Host& host, const std::string& name) {
  if (auto good = azure::check_host_name(name); !good) return good;
  const auto before = host.files.read_if_there(kHostName, 4096);
  if (!before) return before.error();
  if (!*before || trimmed(**before) != name)
    if (auto written = host.files.write_durable(kHostName, name + "\n"); !written) return written;
  if (auto set = host.kernel.set_sysctl("kernel.hostname", name); !set) return set;
  const auto edited = host::edit(host.files, kHosts, [&](const std::optional<host::FileText>& text) {
    const std::string after = hosts_with(text ? text->text : "127.0.0.1 localhost\n", name);
    using Change = Result<std::optional<host::FileText>>;
    if (text && text->text == after) return Change(std::optional<host::FileText>());
    return Change(host::FileText{after, text ? text->mode : 0644});
  });
  if (!edited) return edited.error();
  return {};
}

Task<Result<void>> make_user(host::Host& host, azure::OvfEnvironment environment) {
  const std::string& name = environment.user_name;
  if (name.empty()) co_return Result<void>();
  if (auto good = azure::check_user_name(name); !good) co_return good;
  std::vector<std::string> lines;
  for (const std::string& key : environment.public_keys) {
    auto line = azure::public_key_line(key);
    if (!line) co_return std::move(line).error().in("user " + name);
    lines.push_back(*std::move(line));
  }
  auto account = co_await account_made(host, name);
  if (!account) co_return std::move(account).error();
  if (auto written = host.files.write(kSudoers, name + " ALL=(ALL) NOPASSWD:ALL\n", 0440); !written) co_return written;
  if (!lines.empty())
    if (auto written = authorize(host.files, *account, lines); !written) co_return written;
  if (!environment.password.empty()) {
    auto set = host::command("chpasswd").with_input(name + ":" + std::string(environment.password.reveal()) + "\n");
    if (auto done = co_await run(host, std::move(set)); !done) co_return done;
  }
  co_return set_password_login(host.files, environment);
}

Task<Result<void>> make_host_keys(host::Host& host) {
  const auto names = host.files.list_if_there(kSshDirectory);
  if (!names) co_return names.error();
  if (names->empty()) co_return Result<void>();  // no ssh server on this image
  for (const std::string& name : *names) {
    if (!name.starts_with("ssh_host_") || name.find("_key") == std::string::npos) continue;
    if (auto removed = host.files.remove(std::string(kSshDirectory) + "/" + name); !removed) co_return removed;
  }
  if (auto made = co_await make_one_of_each_type(host); !made) co_return made;
  for (const char* unit : {"ssh.service", "sshd.service"}) {
    const auto state = co_await host.units.state(unit);
    if (!state || !(state->is_active() || state->active == "failed")) continue;
    Result<void> again = co_await host.units.restart(unit, host::JobWait::kQueued);
    if (!again) co_return std::move(again).error().in("restarting the ssh server with its new keys");
  }
  co_return Result<void>();
}

}  // namespace sunup::guest
