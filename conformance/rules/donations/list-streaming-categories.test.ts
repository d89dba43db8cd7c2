import { describe, expect, test } from "vitest";

import { categories, expectFaults, expectProblem, me } from "../../suite/client/api.ts";
import { holdsForAll } from "../../suite/client/holds.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { type Holder, keyOf } from "../../suite/values/target.ts";

type Category = { id: string; name: { th: string; en: string } };

const dataOf = (reply: Reply): Category[] => {
  expect(reply.status, reply.text).toBe(200);
  return (reply.body as { data: Category[] }).data;
};

test("the list holds categories, each with an id of its own and names in Thai and English", async () => {
  const all = dataOf(await categories());
  expect(all.length).toBeGreaterThan(0);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const { name } of all) {
    expect([name.th.trim(), name.en.trim()]).not.toContain("");
    expect(name.en).not.toMatch(/\p{Script=Thai}/u);
  }
});

test.for<Holder>(["readOnly", "writeOnly", "other", "quiet"])(
  "the categories can be read with the key of %s: any credential may",
  async (holder, context) => expect(dataOf(await categories({}, { key: keyOf(context, holder) })).length).toBeGreaterThan(0),
);

const folded = (text: string): string => text.normalize("NFC").toLowerCase();
/** Wild cards of databases, and what hardly any category is called. */
const namesOfNone = ["%", "_", "no such category"];

/** A name, parts of it, and it in another case, where case alone tells them apart. */
function partsOf(name: string): string[] {
  const letters = [...name];
  const cased = [name.toUpperCase(), name.toLowerCase()].filter((other) => folded(other) === folded(name));
  return [name, letters.slice(1).join(""), letters.slice(0, 3).join(""), ...cased].filter((part) => part.trim() !== "");
}

test("the filter q keeps the categories whose Thai or English name contains it, in any case", async () => {
  const all = dataOf(await categories());
  const texts = new Set([...all.flatMap(({ name }) => [name.th, name.en]).flatMap(partsOf), ...namesOfNone]);
  const holds = (name: string, q: string): boolean => folded(name).includes(folded(q));
  await holdsForAll([...texts], async (q) =>
    expect(dataOf(await categories({ q }))).toEqual(all.filter(({ name }) => holds(name.th, q) || holds(name.en, q))),
  );
});

test("the filter q of no letter or of 101 is refused", async () => {
  expectFaults(await categories({ q: "" }), "q too_short");
  expectFaults(await categories({ q: "ก".repeat(101) }), "q too_long");
});

describe("caching", () => {
  const tagOf = (reply: Reply): string => String(reply.headers.etag);
  const asking = (tag: string): Promise<Reply> => categories({}, { headers: { "If-None-Match": tag } });

  test("a list of categories may be kept for an hour by the caller alone, and has an ETag", async () => {
    const reply = await categories();
    expect(reply.headers["cache-control"]).toBe("private, max-age=3600");
    expect(tagOf(reply)).toMatch(/^(W\/)?"[\x21\x23-\x7e]+"$/);
    expect(tagOf(await categories())).toBe(tagOf(reply));
  });

  test("a different list of categories has a different ETag", async () =>
    expect(tagOf(await categories({ q: "no such category" }))).not.toBe(tagOf(await categories())));

  test("If-None-Match with the ETag, alone, in a list, weak or as *, is 304 without a body", async () => {
    const tag = tagOf(await categories());
    const opaque = tag.replace(/^W\//, ""); // compared weakly (RFC 9110 13.1.2)
    for (const sent of [tag, `"x", ${tag}`, `W/${opaque}`, "*"]) {
      const reply = await asking(sent);
      expect([reply.status, reply.text, tagOf(reply), reply.headers["cache-control"]]).toEqual([304, "", tag, "private, max-age=3600"]);
    }
  });

  test("If-None-Match without a valid credential is refused with 401, whatever it matches", async () => {
    for (const tag of [tagOf(await categories()), "*"]) {
      const headers = { "If-None-Match": tag };
      expectProblem(await categories({}, { key: null, headers }), 401, "missing_credentials");
      expectProblem(await categories({}, { key: "made-up", headers }), 401, "invalid_token");
    }
  });

  test("If-None-Match with another tag is answered in full", async () => {
    const tag = tagOf(await categories());
    for (const sent of ['"x"', `${tag.slice(0, -1)}x"`]) expect(dataOf(await asking(sent)).length).toBeGreaterThan(0);
  });

  test("an error of the list of categories may not be cached", async () => {
    expect((await categories({ q: "" })).headers["cache-control"]).toBe("no-store");
    expect((await me()).headers["cache-control"]).toBe("no-store");
  });
});
