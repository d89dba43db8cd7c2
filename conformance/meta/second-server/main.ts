// Serves the second server on its own, to try the suite against it by hand.

import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { bugs } from "./bugs.ts";
import { newServer, settingsFor } from "./server.ts";
import { variants } from "./variants.ts";

const help = `Starts a small server that implements the interface document and nothing more.

  node conformance/meta/second-server/main.ts [--port N] [--bug NAME | --variant NAME]

  --port N      port on 127.0.0.1 (default: any free port)
  --bug NAME    the server has this bug
  --variant NAME  the server makes this choice, which the interface document leaves open
  --help        prints this text

It prints the environment variables for the conformance suite as export lines for a shell. Its donations are kept in memory.

Bugs: ${Object.keys(bugs).join(", ")}

Variants: ${Object.keys(variants).join(", ")}`;

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    bug: { type: "string" },
    variant: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const isUnknown = (name: string | undefined, names: object): boolean => name !== undefined && !(name in names);

if (values.help || isUnknown(values.bug, bugs) || isUnknown(values.variant, variants)) {
  console.error(help);
  process.exit(values.help ? 0 : 64);
}

const { server, credentials } = newServer(() => bugs[values.bug ?? ""] ?? variants[values.variant ?? ""] ?? null);
server.listen(Number(values.port), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  const settings = Object.entries(settingsFor(`http://127.0.0.1:${port}`, credentials));
  console.log(settings.map(([name, value]) => `export ${name}='${value}'`).join("\n"));
});
