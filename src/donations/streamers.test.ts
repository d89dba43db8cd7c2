import { expect, test } from "vitest";
import type { BatchedReads } from "../db/batched-reads.ts";
import type { OperationRequest, Principal } from "../http/operations.ts";
import { getMe } from "./streamers.ts";

const request = {} as OperationRequest<"getMe">;

const principalOf = (kind: "api_key" | "access_token", streamerId: string): Principal => ({
  streamerId,
  applicationId: `application of ${streamerId}`,
  scopes: ["read:donations"],
  credential: { kind, id: "1" },
});

/** A database in which each application is called by the number of the read, so that the test sees when it was read. */
function renamingReads(): BatchedReads {
  let read = 0;
  return (async (write: Parameters<BatchedReads>[0]) => {
    const values: unknown[] = [];
    write((value) => `v${values.push(value)}`);
    read += 1;
    return [{ handle: `handle of ${values[0]}`, name: `name ${read}` }];
  }) as BatchedReads;
}

const shown = async (me: ReturnType<typeof getMe>, principal: Principal) => {
  const reply = await me(request, principal);
  if (!("body" in reply)) throw new Error("an answer has a body");
  const { streamer, application } = reply.body.data;
  return `${streamer.handle}, ${application.name}`;
};

test("getMe reads the names behind an API key once for each time that the key is verified", async () => {
  const me = getMe(renamingReads());
  const [first, second] = [principalOf("api_key", "a"), principalOf("api_key", "b")];
  expect([await shown(me, first), await shown(me, second), await shown(me, first)]).toEqual([
    "handle of a, name 1",
    "handle of b, name 2",
    "handle of a, name 1",
  ]);
  expect(await shown(me, principalOf("api_key", "a"))).toBe("handle of a, name 3");
});

test("getMe reads the names behind an access token each time, because an OAuth client can be renamed", async () => {
  const me = getMe(renamingReads());
  const principal = principalOf("access_token", "a");
  expect([await shown(me, principal), await shown(me, principal)]).toEqual(["handle of a, name 1", "handle of a, name 2"]);
});
