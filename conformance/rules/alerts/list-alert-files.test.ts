import { expect, test } from "vitest";

import { send } from "../../suite/client/http-client.ts";
import { keyOf } from "../../suite/values/target.ts";

const idsOf = async (key?: string): Promise<string[]> => {
  const { status, body } = await send({ path: "/api/v1/alert-files", key });
  expect(status).toBe(200);
  return (body as { data: { id: string }[] }).data.map(({ id }) => id);
};

test("every alert file is listed once, and none of another streamer", async (context) => {
  const [own, others] = [await idsOf(), await idsOf(keyOf(context, "other"))];
  expect(new Set([...own, ...others]).size).toBe(own.length + others.length);
});
