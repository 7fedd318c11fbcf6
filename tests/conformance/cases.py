#!/usr/bin/env python3
"""The recorded cases: node configs, and the environment that the original renders for each.

usage: cases.py pack FOLDER > cases.jsonl     from a folder of cases
       cases.py unpack FOLDER                 back into one, to look at a case or to change it

A case is a folder with config.json, the bytes of a config (malformed ones too), and case.json:

  containerd_version   what the image's containerd says, "" if there is none
  verdict              env: accepted, with the environment below
                       unsupported, malformed: refused
                       either: accepted or refused, but in good order
  env                  variable -> value
  structured           variable -> {"kind", "value"}: base64 of a file, compared by what it means
  must_be_valid        variables where the original's file is of no use to anybody: any well-formed one passes

cases.jsonl keeps each value once: its first line holds the `typical` value of every variable and the values that are
`shared` by several cases; then one line a case, which names only what is not typical. {"shared": 3} is the fourth of
those, null a variable that the case does not have. A config is `json` with the `layout` that gives back its bytes, or
the `text` itself, or `base64` where it is not UTF-8.
"""
import base64
import collections
import json
import os
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.jsonl")

LAYOUTS = {
    "indented": {"indent": 2},
    "indented-utf8": {"indent": 2, "ensure_ascii": False},
    "compact": {"separators": (",", ":")},
    "compact-utf8": {"separators": (",", ":"), "ensure_ascii": False},
}


def line(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=False)


def pack_config(data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {"text": text}
    if isinstance(value, dict):
        for layout, options in LAYOUTS.items():
            if json.dumps(value, **options) == text:
                return {"json": value, "layout": layout}
    return {"text": text}


def unpack_config(config):
    if "base64" in config:
        return base64.b64decode(config["base64"])
    text = config["text"] if "text" in config else json.dumps(config["json"], **LAYOUTS[config["layout"]])
    return text.encode("utf-8")


def pack(folder, out):
    cases = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name, "case.json"), encoding="utf-8") as file:
            case = json.load(file)
        with open(os.path.join(folder, name, "config.json"), "rb") as file:
            cases.append({"name": name, **case, "config": pack_config(file.read())})

    # Typical: the most common value of a variable that most cases have (of several, the first in print order, to be
    # deterministic).
    accepted = sum("env" in case for case in cases)
    typical = {}
    for part in ("env", "structured"):
        counts = collections.defaultdict(collections.Counter)
        for case in cases:
            for key, value in case.get(part, {}).items():
                counts[key][line(value)] += 1
        typical[part] = {key: json.loads(min(values, key=lambda text: (-values[text], text)))
                         for key, values in sorted(counts.items()) if values.total() > accepted / 2}
    for case in cases:
        for part in ("env", "structured"):
            if part in case:
                values = case[part]
                case[part] = {key: values.get(key) for key in sorted(values.keys() | typical[part].keys())
                              if values.get(key) != typical[part].get(key)}

    # Shared: values that occur in several places of configs and environments and are worth a reference.
    counts = collections.Counter()

    def count(value):
        for inner in value.values() if isinstance(value, dict) else ():
            counts[line(inner)] += 1
            count(inner)

    def refer(value):
        return {key: {"shared": places[line(inner)]} if line(inner) in places else refer(inner)
                for key, inner in value.items()} if isinstance(value, dict) else value

    for case in cases:
        for holder in (case["config"].get("json"), case.get("env"), case.get("structured")):
            count(holder)
    shared = [text for text, times in sorted(counts.items()) if times > 1 and len(text) > 24]
    places = {text: number for number, text in enumerate(shared)}
    for case in cases:
        for holder, key in ((case["config"], "json"), (case, "env"), (case, "structured")):
            if key in holder:
                holder[key] = refer(holder[key])

    out.write(line({"typical": typical, "shared": [json.loads(text) for text in shared]}) + "\n")
    for case in cases:
        out.write(line(case) + "\n")


def load(path=FILE):
    """All cases, with env, structured, must_be_valid and config (bytes) as they were recorded."""
    with open(path, encoding="utf-8", newline="\n") as file:
        first, *lines = (json.loads(text) for text in file)

    def expand(value):
        if not isinstance(value, dict):
            return value
        if value.keys() == {"shared"}:
            return first["shared"][value["shared"]]
        return {key: expand(inner) for key, inner in value.items()}

    for case in lines:
        for part in ("env", "structured"):
            if part in case:
                values = first["typical"][part] | expand(case[part])
                case[part] = {key: value for key, value in values.items() if value is not None}
        if "json" in case["config"]:
            case["config"]["json"] = expand(case["config"]["json"])
        case["config"] = unpack_config(case["config"])
    return lines


def unpack(folder):
    for case in load():
        target = os.path.join(folder, case.pop("name"))
        os.makedirs(target, exist_ok=True)
        with open(os.path.join(target, "config.json"), "wb") as file:
            file.write(case.pop("config"))
        with open(os.path.join(target, "case.json"), "w", encoding="utf-8") as file:
            json.dump(case, file, indent=1, sort_keys=True, ensure_ascii=False)


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__)
    if sys.argv[1] == "pack":
        pack(sys.argv[2], sys.stdout)
    else:
        unpack(sys.argv[2])


if __name__ == "__main__":
    main()
