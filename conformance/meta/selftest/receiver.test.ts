// `receiver`: a receiver that keeps Standard Webhooks passes, and each mistake is found by the cases that name it.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { acceptedCases, lastCase, refusedCases, soundCases } from "../../receiver/cases.ts";
import { receiverSettingsOf, withReceiverOptions } from "../../receiver/command.ts";
import { eventOf, newSecret } from "../../receiver/deliveries.ts";
import { newCommand, parse, UsageError } from "../../suite/command/usage-error.ts";
import { eventTypes, sealed } from "../../suite/contract/contract.ts";
import { type Answer, always, serving } from "./command.ts";
import { failedIn, handling, mistaken, previous, receiver, secret, titlesOf, verify } from "./webhook-receivers.ts";

describe("a receiver that verifies", () => {
  test("a receiver that verifies with the library standardwebhooks passes with one secret", async () => {
    const outcome = await receiver([await serving(handling((request) => verify(request)))]);
    expect(failedIn(outcome)).toEqual([]);
    expect(outcome).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^passed: no rule failed; all \d+ rules were run$/m),
    });
    expect(outcome.stdout).toContain("Answers do not show whether the receiver acted twice.");
  });

  test("a receiver that verifies with the library standardwebhooks passes with a previous secret", async () => {
    const env = { WEBHOOK_SECRET: secret, WEBHOOK_PREVIOUS_SECRET: previous };
    const outcome = await receiver([await serving(handling((request) => verify(request, [secret, previous])))], env);
    expect([outcome.code, failedIn(outcome)]).toEqual([0, []]);
    expect(outcome.stdout).toContain("✓ a delivery signed by the previous secret alone is accepted: came 204");
  });

  test("a receiver passes with its secret on the command line, and with a status of its own for what it refuses", async () => {
    const answer = handling((request) => {
      try {
        verify(request);
      } catch {
        return 500;
      }
    });
    const outcome = await receiver([await serving(answer), "--secret", secret, "--only", "empty"], {});
    expect([outcome.code, failedIn(outcome)]).toEqual([0, []]);
    expect(outcome.stdout).toMatch(/✓ an empty webhook-signature is refused: came 500\n +note +That is no acceptance, but 400 or 401/);
  });
});

describe("a receiver with one mistake", () => {
  test.each(Object.entries(mistaken))(
    "a receiver that %s fails the cases that name the mistake, and no others",
    async (_, { handle, failed }) => {
      const outcome = await receiver([await serving(handling(handle))]);
      expect(failedIn(outcome)).toEqual(failed);
      expect(outcome.code).toBe(1);
    },
  );
});

test("a repeated event that is refused is found", async () => {
  const seen = new Set<string>();
  const answer = handling((request) => {
    verify(request);
    const id = String(request.headers["webhook-id"]);
    if (seen.has(id)) return 409;
    seen.add(id);
  });
  const outcome = await receiver([await serving(answer)]);
  expect([outcome.code, failedIn(outcome)]).toEqual([1, ["an event that arrives twice is accepted both times"]]);
});

test("a receiver that stops accepting after some deliveries is found", async () => {
  let count = 0;
  const outcome = await receiver([await serving(handling((request) => (++count > 12 ? 503 : verify(request))))]);
  expect([outcome.code, failedIn(outcome).includes(lastCase.title)]).toEqual([1, true]);
});

describe("a receiver that cannot be judged", () => {
  test("a receiver that cannot be reached is not measurable", async () => {
    const outcome = await receiver(["http://127.0.0.1:9/hooks"]);
    expect([outcome.code, outcome.stdout]).toEqual([2, expect.stringContaining("not measurable: the receiver cannot be reached")]);
    expect(outcome.stdout).toContain("1 case:");
  });

  test("a receiver that refuses every sound delivery is not measurable", async () => {
    const outcome = await receiver([await serving(always(404))]);
    expect([outcome.code, outcome.stdout]).toEqual([
      2,
      expect.stringMatching(/^not measurable: every sound delivery was refused \(404\)/m),
    ]);
    expect(outcome.stdout).toContain(`${soundCases.length} cases:`);
  });

  test("a case that the receiver's rate limit refuses in every attempt is not run", async () => {
    const limited: Answer = (request, response, body) =>
      body.includes("conformance.unknown")
        ? always(429, "", { "Retry-After": "0" })(request, response, body)
        : always(200)(request, response, body);
    const outcome = await receiver([await serving(limited), "--only", "unknown type"]);
    expect([outcome.code, outcome.stdout]).toEqual([
      2,
      expect.stringMatching(/^ {2}– an event of an unknown type is accepted: not run, /m),
    ]);
  });
});

test("the printed curl lines send the same delivery, also one with an empty header", async () => {
  const seen: string[] = [];
  const url = await serving(
    handling(({ headers, body }) => {
      seen.push(JSON.stringify([headers["webhook-id"], headers["webhook-timestamp"], headers["webhook-signature"], body]));
    }),
  );
  const { stdout } = await receiver([`${url}/hooks?source=namjai`, "--curl"]);
  const curls = [...stdout.matchAll(/^ +request +(curl .*)$/gm)].map(([, curl = ""]) => curl);
  const sent = [...seen];
  expect(curls).toHaveLength(sent.length);
  for (const curl of curls) await promisify(execFile)("bash", ["-c", `${curl} --silent`]);
  expect(seen.slice(sent.length)).toEqual(sent);
});

test("--format writes a report to standard output and the text to standard error", async () => {
  const { handle } = mistaken["accepts an empty signature"] ?? { handle: () => {} };
  const outcome = await receiver([await serving(handling(handle)), "--format", "junit"]);
  expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringContaining("✗ an empty webhook-signature is refused")]);
  expect(outcome.stdout).toMatch(/^<\?xml .*>\n<testsuites name="conformance" tests="\d+" failures="2" errors="0"/);
  expect(outcome.stdout).toContain("wrongly accepted: expected any status but 200 to 299, came 204");
  expect(outcome.stdout).toMatch(/receiver http:\S+ --only 'an empty webhook-signature is refused'/);
  expect(outcome.stdout + outcome.stderr).not.toContain(secret);
});

describe("wrong usage", () => {
  const settingsOf = (words: readonly string[]) =>
    receiverSettingsOf(parse(withReceiverOptions(newCommand("receiver")), [...words, "--secret", secret]));

  test.each([
    [["http://127.0.0.1:9"], {}, "needs --secret"],
    [["http://127.0.0.1:9", "--secret", "whsec_c2hvcnQ="], {}, "24 to 64 bytes"],
    [["http://127.0.0.1:9", "--only", "no such case"], { WEBHOOK_SECRET: secret }, "matches no case"],
  ])("the receiver suite called with %j exits with 64 before anything is sent", async (words, env, reason) => {
    const { code, stderr } = await receiver(words, env as Record<string, string>);
    expect([code, stderr]).toEqual([64, expect.stringContaining(reason)]);
  });

  test.each([
    [[]],
    [["http://a.example", "http://b.example"]],
    [["ftp://a.example"]],
    [["http://user@a.example"]],
    [["http://a.example/#x"]],
  ])("the receiver suite refuses to be called with %j", (words) => expect(() => settingsOf(words)).toThrow(UsageError));

  test.each([["--format", "yaml"], ["--previous-secret", "x"], ["--nonsense"]])("the receiver suite refuses the option %s", (...words) =>
    expect(() => settingsOf(["http://a.example", ...words])).toThrow(UsageError),
  );
});

test("--help describes every option", async () => {
  const { code, stdout } = await receiver(["--help"], {});
  expect(code).toBe(0);
  for (const word of ["--secret", "--previous-secret", "--only", "--format", "--curl", "WEBHOOK_SECRET", "Exit codes"])
    expect(stdout).toContain(word);
});

test.each(eventTypes)("the event of the type %s is one of the contract", (type) => {
  const event = eventOf(type);
  expect(sealed("#/components/schemas/Event", { id: "01932f6e-8a00-7000-8000-3f1e5a7c9b21", ...event })).toEqual([]);
  if (!/^(goal|timer)\./.test(type)) expect(event.data).toMatchObject({ source: "test", isTest: true });
});

test("no two cases have the same title, and the long body has 20 kB", () => {
  const secrets = { current: newSecret(), previous: newSecret() };
  const cases = [...soundCases, ...acceptedCases(secrets), ...refusedCases, lastCase];
  expect(new Set(titlesOf(cases)).size).toBe(cases.length);
  const [long] = cases.find(({ title }) => title.includes("20 kB"))?.deliveries(secrets) ?? [];
  expect(Buffer.byteLength(long?.body ?? "") / 20_480).toBeCloseTo(1, 3);
});
