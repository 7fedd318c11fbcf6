#!/usr/bin/env python3
"""Runs the ```console blocks of a page and compares the output with the page.

usage: console_test.py PAGE PROGRAM_DIR...     UPDATE_DOCS=1 rewrites the page instead

A line "$ COMMAND" is run from the root of the source tree; the lines below it are its output, stdout and stderr in
one. A line "..." stands for any lines. A block without "$ " is not looked at, and a page without blocks passes.
"""
import os
import pathlib
import re
import subprocess
import sys


def run(command, path):
    env = dict(os.environ, PATH=os.pathsep.join([*path, os.environ["PATH"]]), LC_ALL="C.UTF-8", TZ="UTC", COLUMNS="120")
    done = subprocess.run(["bash", "-c", command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, timeout=60)
    return [line.rstrip() for line in done.stdout.splitlines()]


def fits(shown, seen):
    pattern = "".join("(?:.*\n)*" if line.strip() == "..." else re.escape(line.rstrip()) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in seen)) is not None


def blocks(lines):
    """(first, past the last) line of each command's output, with the command."""
    command, start, inside = None, 0, False
    for number, line in enumerate(lines):
        fence = line.startswith("```")
        if inside and command and (fence or line.startswith("$ ")):
            yield command, start, number
            command = None
        if fence:
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            command, start = line[2:], number + 1


def main():
    page, path = pathlib.Path(sys.argv[1]), [os.path.abspath(p) for p in sys.argv[2:]]
    lines = page.read_text().splitlines()
    bad = count = 0
    for command, start, end in reversed(list(blocks(lines))):
        count += 1
        shown = lines[start:end]
        while shown and not shown[-1].strip():
            shown.pop()
        seen = run(command, path)
        if fits(shown, seen):
            continue
        if os.environ.get("UPDATE_DOCS"):
            lines[start : start + len(shown)] = seen
            continue
        bad += 1
        print(f"{page}:{start}: $ {command}\n--- shown\n" + "\n".join(shown) + "\n--- seen\n" + "\n".join(seen))
    if os.environ.get("UPDATE_DOCS"):
        page.write_text("\n".join(lines) + "\n")
    print(f"{page.name}: {count} commands, {bad} print something else")
    sys.exit(1 if bad else 0)


main()
