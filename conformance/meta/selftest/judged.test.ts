// How the suite judges an answer: a 404 to a valid request, an event that does not fit the contract, what a subscriber received, and what is tried once a value
// has broken a rule.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkAnswer, refusingProxy } from "../../suite/client/check-answer.ts";
import { holds } from "../../suite/client/holds.ts";
import { createTarget } from "../../suite/command/settings.ts";
import { operation, operationsIn, sealed } from "../../suite/contract/contract.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { inputsOf } from "../../suite/contract/inputs.ts";
import type { Case } from "../../suite/models/derive/cases.ts";
import { expectVerdict } from "../../suite/models/derive/rule.ts";
import { compare, noBreach } from "../../suite/servers/cuts/log.ts";
import { useTarget } from "../../suite/values/target.ts";

const validCase: Case = {
  field: "",
  keyword: "type",
  edge: "",
  name: "",
  parts: { path: {}, query: [], headers: {}, body: null },
  broken: [],
};

const notFound = (code: string): Reply => ({ status: 404, headers: {}, text: code, body: { status: 404, code } });

/** Checks the answer to a valid request of an operation that documents these statuses. */
function check(path: string, statuses: string[], reply: Reply): void {
  const responses = Object.fromEntries(statuses.map((status) => [status, {}]));
  const [operation] = operationsIn({ paths: { [path]: { get: { operationId: "getThing", responses } } } });
  if (!operation) throw new Error("the contract has no operation");
  expectVerdict(inputsOf(operation), validCase, reply);
}

describe("404 in answer to a valid request", () => {
  test("404 passes where the operation documents it, whether its path has a parameter or not", () => {
    check("/api/v1/donations/latest", ["200", "404"], notFound("donation_not_found"));
    check("/api/v1/donations/{donationId}", ["200", "404"], notFound("donation_not_found"));
  });

  test("404 fails where the operation does not document it, whether its path has a parameter or not", () => {
    expect(() => check("/api/v1/donations/latest", ["200"], notFound("donation_not_found"))).toThrow();
    expect(() => check("/api/v1/donations/{donationId}", ["200"], notFound("donation_not_found"))).toThrow();
  });

  test("404 with route_not_found fails for an operation of the contract", () =>
    expect(() => check("/api/v1/donations/latest", ["200", "404"], notFound("route_not_found"))).toThrow(/route_not_found/));

  test("404 is reported as undocumented where the operation documents no 404", () =>
    expect(() => checkAnswer({ path: "/api/v1/me" }, notFound("route_not_found"))).toThrow(/status 404 is not documented/));
});

test("a page that names the reverse proxy by which it was written says nothing about the server, and any other page does", () => {
  const page = (text: string, headers = {}): Reply => ({ status: 400, headers, text, body: text });
  const ofNginx = "<html><center><h1>400 Bad Request</h1></center><hr><center>nginx/1.22.1</center></html>";
  const ofApache = "<h1>Bad Request</h1><hr><address>Apache/2.4.65 (Debian) Server at localhost Port 80</address>";
  expect(refusingProxy(page(ofNginx))).toBe("nginx/1.22.1");
  expect(refusingProxy(page(ofApache))).toBe("Apache/2.4.65 (Debian) Server at localhost Port 80");
  for (const ofServer of [page("<pre>URIError: nginx</pre>"), page(ofNginx, { "x-request-id": "a" }), { ...page(ofNginx), status: 502 }])
    expect(refusingProxy(ofServer)).toBeNull();
});

const { responses } = operation("streamOverlay");

const sent = String(responses["200"]?.content?.["text/event-stream"]?.example);

const snapshot = { event: "snapshot", data: JSON.parse(/^data: (.*)$/m.exec(sent)?.[1] ?? "") as object };

const faultsOf = (event: unknown): string[] => sealed("#/components/schemas/OverlayEvent", event);

test("a snapshot whose data has a member too many is refused by that member alone", () => {
  expect(faultsOf(snapshot)).toEqual([]);
  expect(faultsOf({ ...snapshot, data: { ...snapshot.data, mood: "calm" } })).toEqual([
    "/data has the member mood, which the contract does not name",
  ]);
});

test("an event of a kind that is not listed first is refused by the faults of its own kind", () =>
  expect(faultsOf({ event: "role", data: { role: "player", mood: "calm" } })).toEqual([
    "/data has the member mood, which the contract does not name",
  ]));

test("an event of an unknown kind is refused with the names of the known ones", () =>
  expect(faultsOf({ ...snapshot, event: "snap" }).join()).toContain(
    '/event must be equal to one of the allowed values {"allowedValues":["role"]}',
  ));

const seen = (ids: string) => [...ids].map((id) => ({ id, cursor: `after ${id}` }));

test.each([
  ["all that is listed, in its order", "abcd", noBreach],
  ["an event less", "abd", { ...noBreach, missed: 1 }],
  ["the last event less", "abc", { ...noBreach, missed: 1 }],
  ["an event twice in a row", "abbcd", { ...noBreach, doubled: 1 }],
  ["an event again later", "abcbd", { missed: 0, doubled: 1, misplaced: 1 }],
  ["two events the other way round", "acbd", { ...noBreach, misplaced: 1 }],
  ["an event that is not listed", "abcxd", { ...noBreach, misplaced: 1 }],
])("a subscriber that received %s is judged so", (_, received, expected) => expect(compare(seen(received), [..."abcd"])).toEqual(expected));

const settings = {
  seed: 1,
  path: null,
  depth: "full",
  only: null,
  lengthUnit: "code-points",
  harMegabytes: 1,
  corpus: null,
  receiver: null,
} as const;

const served = { url: "http://127.0.0.1:9", keys: { main: "" }, client: null, operator: null, oauth: null } as never;

/** How many values are tried of a property that no value has. */
async function triesOf(titles: RegExp | undefined): Promise<number> {
  useTarget(createTarget({ ...settings, ...(titles && { titles }) }, served));
  let tries = 0;
  const failing = holds(
    fc.integer({ min: 1000, max: 2_000_000 }),
    async (value) => {
      tries += 1;
      expect(value).toBeLessThan(10);
    },
    { concurrency: 1 },
  );
  await expect(failing).rejects.toThrow("fails for");
  return tries;
}

test("a value that breaks a rule is shrunk", async () => expect(await triesOf(undefined)).toBeGreaterThan(1));

test("a further seed of a mutant, which runs rules by their titles, shrinks nothing", async () => expect(await triesOf(/a title/)).toBe(1));

test("the seed of a failure is short however often the value was shrunk, and repeats the failure", async () => {
  const failureOf = async (path: string | null): Promise<string> => {
    useTarget(createTarget({ ...settings, path }, served));
    const tooLong = (value: string): Promise<void> => (value.length > 7 ? Promise.reject(new Error("too long")) : Promise.resolve());
    const failing = holds(fc.string({ minLength: 300, maxLength: 600 }), tooLong, { concurrency: 1 });
    return failing.then(
      () => "",
      ({ message }: Error) => message,
    );
  };
  const first = await failureOf(null);
  const [, replay = ""] = /SEED='1:(.*?)'/.exec(first) ?? [];
  expect([first, replay.length]).toEqual([expect.stringContaining("too long"), expect.toSatisfy((length: number) => length <= 40)]);
  expect(await failureOf(replay)).toContain("too long");
});
