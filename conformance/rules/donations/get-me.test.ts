import { expect, test } from "vitest";

import { type Me, me } from "../../suite/client/api.ts";
import { type Holder, keyOf, target } from "../../suite/values/target.ts";

const readMe = async (key: string): Promise<Me> => ((await me({ key })).body as { data: Me }).data;

test("a key with both donation scopes is an API key and has them", async () => {
  const { credential, scopes } = await readMe(target().keys.main);
  expect(credential).toBe("api_key");
  expect(scopes).toEqual(expect.arrayContaining(["write:donations", "read:donations"]));
});

test.for<[Holder, string]>([
  ["readOnly", "read:donations"],
  ["writeOnly", "write:donations"],
])("a %s key has %s alone, and getMe accepts it", async ([holder, scope], context) => {
  expect((await readMe(keyOf(context, holder))).scopes).toEqual([scope]);
});

test("keys of one streamer name the same streamer, keys of two streamers different ones", async (context) => {
  const [main, readOnly, other] = await Promise.all([
    readMe(target().keys.main),
    readMe(keyOf(context, "readOnly")),
    readMe(keyOf(context, "other")),
  ]);
  expect(readOnly.streamer).toEqual(main.streamer);
  expect(other.streamer.id).not.toBe(main.streamer.id);
});

test("each key names its own application", async (context) => {
  const [main, second] = await Promise.all([readMe(target().keys.main), readMe(keyOf(context, "secondApplication"))]);
  expect(second.streamer).toEqual(main.streamer);
  expect(second.application.id).not.toBe(main.application.id);
});
