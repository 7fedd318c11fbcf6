#include "host/real/start_beside.h"

#include <gtest/gtest.h>

namespace sunup::host::real {
namespace {

// The start of kubelet beside that of containerd, if all other units in its relations are in the normal state.
class StartBeside : public testing::Test {
 protected:
  StartBeside() {
    relations.waits_for = {"containerd.service", "network.target", "late.target"};
    relations.conflicts = {"shutdown.target"};
    relations.needs = {"sysinit.target", "system.slice"};
    relations.wants = {"containerd.service", "optional.service", "missing.service"};
    units = {{.name = "kubelet.service"},
             {.name = "containerd.service", .active = "activating", .job = "start"},
             {.name = "network.target", .active = "active"},
             {.name = "late.target"},  // ordered before it, but not started by anything
             {.name = "shutdown.target"},
             {.name = "sysinit.target", .active = "active"},
             {.name = "system.slice", .active = "active"},
             {.name = "optional.service", .active = "active"},
             {.name = "missing.service", .load = "not-found"}};
  }

  ListedUnit& unit(const std::string& name) {
    for (ListedUnit& one : units)
      if (one.name == name) return one;
    return units.emplace_back(ListedUnit{.name = name});
  }
  bool only() const { return waits_only_for(relations, units, "containerd.service"); }

  Relations relations;
  std::vector<ListedUnit> units;
};

TEST_F(StartBeside, WaitsOnlyForTheOtherIfAllTheRestIsThere) {
  EXPECT_TRUE(only());
}

TEST_F(StartBeside, TakesAnOtherThatStartsRestartsOrIsUp) {
  for (const char* job : {"start", "restart"}) {
    unit("containerd.service").job = job;
    EXPECT_TRUE(only()) << job;
  }
  unit("containerd.service").job = "";
  EXPECT_FALSE(only()) << "the start would start it";
  unit("containerd.service").active = "active";
  EXPECT_TRUE(only());
}

TEST_F(StartBeside, DoesNotPassAnOtherThatIsStoppedOrReloaded) {
  for (const char* job : {"stop", "reload", "verify-active", "try-restart", "nop"}) {
    unit("containerd.service").job = job;
    EXPECT_FALSE(only()) << job;
  }
}

TEST_F(StartBeside, DoesNotPassAConflictThatRunsOrHasAJob) {
  for (const char* state : {"active", "activating", "deactivating", "reloading", "maintenance"}) {
    unit("shutdown.target").active = state;
    EXPECT_FALSE(only()) << state;
  }
  unit("shutdown.target").active = "failed";
  EXPECT_TRUE(only());
  unit("shutdown.target").job = "start";
  EXPECT_FALSE(only());
}

TEST_F(StartBeside, KnowsBothDirectionsOfAConflict) {
  EXPECT_EQ(relations.list("ConflictedBy"), relations.list("Conflicts"));
  EXPECT_EQ(relations.list("Before"), nullptr);
  for (const char* property : {"Requires", "Requisite", "BindsTo"})
    EXPECT_EQ(relations.list(property), &relations.needs) << property;
}

TEST_F(StartBeside, DoesNotPassAJobOfAUnitThatIsOrderedBeforeIt) {
  unit("late.target").job = "start";
  EXPECT_FALSE(only());
}

TEST_F(StartBeside, DoesNotPassWhatItNeedsOrWantsAndWouldStart) {
  unit("system.slice").active = "inactive";
  EXPECT_FALSE(only());
  unit("system.slice").active = "active";
  unit("optional.service").active = "inactive";
  EXPECT_FALSE(only());
  unit("optional.service").load = "masked";
  EXPECT_TRUE(only()) << "a wanted unit that is masked is not started";
}

TEST_F(StartBeside, DoesNotPassAJobOfTheUnitItself) {
  unit("kubelet.service").job = "stop";
  EXPECT_FALSE(only());
}

TEST_F(StartBeside, AsksForEveryUnitThatARelationNames) {
  EXPECT_EQ(relations.names().size(), 8U);
  EXPECT_TRUE(relations.names().contains("shutdown.target"));
}

}  // namespace
}  // namespace sunup::host::real
