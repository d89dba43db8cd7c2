import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";

import { bugs } from "./bugs.ts";
import { settingsFor } from "./credentials.ts";
import { newServer } from "./server.ts";

const help = `A small server that claims the interface and nothing more.

  node conformance/foreign/main.ts [--port N] [--bug NAME]

It prints what the conformance suite needs to know, as lines for a shell. Its donations are gone when it stops.
Bugs: ${Object.keys(bugs).join(", ")}`;

const { values } = parseArgs({
  options: { port: { type: "string", default: "0" }, bug: { type: "string" }, help: { type: "boolean", default: false } },
});

if (values.help || (values.bug !== undefined && !(values.bug in bugs))) {
  console.error(help);
  process.exit(values.help ? 0 : 64);
}

const { server, credentials } = newServer(() => bugs[values.bug ?? ""] ?? null);
server.listen(Number(values.port), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  const settings = Object.entries(settingsFor(`http://127.0.0.1:${port}`, credentials));
  console.log(settings.map(([name, value]) => `export ${name}='${value}'`).join("\n"));
});
