// A VM that the platform has created in advance. It reports Ready, waits in a pool until it is given away, and then
// receives its real provisioning data:
//
//   Running               its network link goes down and comes up in another network
//   Savable               its network card is removed and another one is attached
//   PreprovisionedOSDisk  it is shut down; its disk becomes that of another VM, which is not pre-provisioned
//
// From then on the metadata service has the data, in the form of the provisioning disc; before, it has none.
#pragma once

#include <functional>
#include <string>

#include "azure/provisioning_report.h"
#include "base/result.h"
#include "guest/provisioning_data.h"
#include "host/host.h"

namespace sunup::guest {

inline constexpr char kPoolOfDisks[] = "PreprovisionedOSDisk";

struct Pool {
  std::string type;                        // as in azure/ovf_env.h
  bool has_reported = false;               // by an earlier process: the platform has its report
  bool may_have_reported = false;          // an earlier process that did not learn whether its report was accepted
  azure::ProvisioningReport report;        // the report of Ready
  host::Duration report_limit;             // of one report
  host::Duration metadata;                 // of the metadata service, after the VM is given away
  std::function<Result<void>()> reported;  // called when the platform has accepted the report
};

// Whether wait_until_given_away() knows the type.
bool is_known_pool(std::string_view type);

// Returns the data of the VM that this one becomes. Does not return if the VM is to be shut down. May be called again
// after an interruption at any point.
host::Task<Result<ProvisioningData>> wait_until_given_away(host::Host& host, Pool pool, Note note);

}  // namespace sunup::guest
