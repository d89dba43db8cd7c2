import { expect, test } from "vitest";

import { type Reply, send } from "../../harness/client/http-client.ts";
import { operation, scopes } from "../../harness/oracle/contract.ts";
import { target } from "../../harness/server/target.ts";

const path = "/.well-known/oauth-protected-resource/mcp";
const metadata = (): Promise<Reply> => send({ path, key: null, headers: { Origin: "https://spa.example" } });

test("it lies where RFC 9728 3.1 looks for it", () => expect(operation("getResourceMetadata").path).toBe(path));

test("the resource is /mcp, and its tokens come from here", async () =>
  expect((await metadata()).body).toMatchObject({
    resource: `${target().url}/mcp`,
    authorization_servers: [target().url],
    bearer_methods_supported: ["header"],
  }));

test("every scope that a tool needs is named", async () => {
  const { scopes_supported } = (await metadata()).body as { scopes_supported: string[] };
  expect(scopes_supported.sort()).toEqual([...scopes].sort());
});

test("anyone may read it, applications in browsers too", async () =>
  expect((await metadata()).headers["access-control-allow-origin"]).toBeOneOf(["*", "https://spa.example"]));
