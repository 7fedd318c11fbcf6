#!/usr/bin/env python3
"""docs/http-api.md lists the routes that /openapi.json describes.  --update writes the list."""
import json
import re
import sys
import unittest

from serving import SOURCE, Case, Server

PAGE = SOURCE / "docs" / "http-api.md"
PART = re.compile(r"(<!-- routes: .*? -->\n)(.*?)(<!-- end of routes -->)", re.DOTALL)


def body_of(content):
    """A short description of a body."""
    ((kind, media),) = content.items()
    schema = media["schema"]
    if kind in ("text/plain", "application/yaml"):
        return {"text/plain": "text", "application/yaml": "YAML"}[kind]
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    required = schema.get("required", [])
    names = [f"`{name}`" if name in required else f"[`{name}`]" for name in schema.get("properties", {})]
    return ", ".join(names) or "an object"


def table(description):
    rows = ["| route | query | body | what it answers |", "| --- | --- | --- | --- |"]
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            query = ", ".join(f"`{one['name']}`" for one in operation.get("parameters", []) if one["in"] == "query")
            body = body_of(operation["requestBody"]["content"]) if "requestBody" in operation else ""
            rows.append(f"| `{method.upper()} {path}` | {query} | {body} | {operation['summary']} |")
    return "\n".join(rows) + "\n"


class Docs(Case):
    def test_the_page_lists_the_routes(self):
        made = table(json.loads(self.serve().ask("GET", "/openapi.json")[1]))
        self.assertEqual(PART.search(PAGE.read_text())[2], made, "run: python3 tests/server/docs_test.py --update")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        server = Server()
        made = table(json.loads(server.ask("GET", "/openapi.json")[1]))
        server.end()
        PAGE.write_text(PART.sub(lambda found: found[1] + made + found[3], PAGE.read_text()))
    else:
        unittest.main()
