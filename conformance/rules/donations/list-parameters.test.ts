import { expect, test } from "vitest";

import cases from "../../cases/parameters.json" with { type: "json" };
import { expectFaults, list } from "../../suite/client/api.ts";
import { send, sendUnchecked } from "../../suite/client/http-client.ts";
import { lengthsOf } from "../../suite/contract/interface.ts";

const invalidQueries = cases.filter(({ faults }) => faults.length > 0);
const validQueries = cases.filter(({ faults }) => faults.length === 0);
const ask = (query: string): ReturnType<typeof send> => send({ path: `/api/v1/donations?${query}` });

test.each(invalidQueries)("a list with ?$query is refused, and each fault is named", async ({ query, faults }) =>
  expectFaults(await ask(query), ...faults),
);

test.each(validQueries)("a list with ?$query is accepted", async ({ query }) => expect((await ask(query)).status).toBe(200));

test.each(["%00", "%ff", "%E0%B8", "%ED%A0%80", "%zz"])(
  "NUL, bytes that are no UTF-8 and malformed escapes in a query are read or refused with 400, by lists and searches: %s",
  async (octets) => {
    for (const query of [`?identifier=a${octets}`, `/search?q=${octets}`]) {
      const reply = await sendUnchecked({ path: `/api/v1/donations${query}` });
      expect(reply.status, reply.text).toBeOneOf([200, 400]);
    }
  },
);

test.each([
  ["identifier", lengthsOf("identifier").max],
  ["timezone", 64],
  ["cursor", 4096],
])("parameter %s of more than %i code points is too long", async (parameter, limit) =>
  expectFaults(await list({ [parameter]: "x".repeat(limit + 1) }), `${parameter} too_long`),
);

test("the filter identifier accepts every identifier that a donation may have, in any alphabet", async () => {
  const { max } = lengthsOf("identifier");
  for (const letter of ["x", "ก", "😀"]) expect((await list({ identifier: letter.repeat(max) })).status).toBe(200);
});
