# The image asks for the built-in steps and has scripts, too: those of the case scripts-mode.
start=opt/azure/containers/provision_start.sh
install -D -m 0755 "$(dirname "$0")/../scripts-mode/files/$start" "$ROOT/$start"
echo NATIVE_PROVISIONING=true >"$ROOT/opt/azure/containers/enabled_features.sh"
