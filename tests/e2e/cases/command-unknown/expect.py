"""The script ran with the command's environment; the result is that of the script and contains the reason why it was used."""

import json


def command(t, text):
    return text.replace(" /usr/bin/nohup ", ' SOMETHING_NEW="on" /usr/bin/nohup ')


def check(t):
    status = json.loads(t.node.read("/var/log/azure/aks/provision.json"))
    t.check(status["ExitCode"] == "0", f"the script failed: {status}")
    t.check("SOMETHING_NEW is not known" in status.get("NativeRefusal", ""), f"the result does not say why the script ran: {status}")
    t.check("column" in status.get("NativeRefusal", ""), f"the result does not say where: {status}")
