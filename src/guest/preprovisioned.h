// A VM that the platform has created before anybody wanted it. It reports Ready, waits in a pool until it is given
// away, and receives its real provisioning data then:
//
//   Running               its network link goes down and comes up in another network
//   Savable               its network card is removed and another one is attached
//   PreprovisionedOSDisk  it is shut down; its disk becomes that of another VM, which is not pre-provisioned
//
// The metadata service has the data from then on, in the form of the provisioning disc, and no data before.
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
  bool has_reported = false;               // by an earlier process: the platform knows that this VM is in the pool
  azure::ProvisioningReport report;        // Ready
  host::Duration report_limit;             // of one report
  host::Duration metadata;                 // for the metadata service, when this VM was given away
  std::function<Result<void>()> reported;  // called when the platform has accepted the report
};

// Whether wait_until_given_away() knows the type.
bool is_known_pool(std::string_view type);

// Returns the data of the VM that this one becomes. Does not return if the VM is to be shut down. May be called again
// after it was cut off at any point.
host::Task<Result<ProvisioningData>> wait_until_given_away(host::Host& host, Pool pool, Note note);

}  // namespace sunup::guest
