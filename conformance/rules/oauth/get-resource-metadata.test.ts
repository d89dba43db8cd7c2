import { expect, test } from "vitest";

import { send } from "../../suite/client/http-client.ts";
import { toolScopes } from "../../suite/client/mcp.ts";
import { operation } from "../../suite/contract/contract.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { target } from "../../suite/values/target.ts";

const path = "/.well-known/oauth-protected-resource/mcp";
const metadata = (): Promise<Reply> => send({ path, key: null, headers: { Origin: "https://spa.example" } });

test("the resource metadata is at the path of RFC 9728 3.1", () => expect(operation("getResourceMetadata").path).toBe(path));

test("the resource metadata names /mcp as resource and this server as the issuer of its tokens", async () =>
  expect((await metadata()).body).toMatchObject({
    resource: `${target().url}/mcp`,
    authorization_servers: [target().url],
    bearer_methods_supported: ["header"],
  }));

test("the resource metadata names every scope that a tool needs, and no other", async () => {
  const { scopes_supported } = (await metadata()).body as { scopes_supported: string[] };
  expect(scopes_supported.sort()).toEqual(toolScopes);
});

test("the resource metadata can be read by anyone, including applications in browsers", async () =>
  expect((await metadata()).headers["access-control-allow-origin"]).toBeOneOf(["*", "https://spa.example"]));
