import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, createSourceFile, formatDiagnostic, NodeHost } from "@typespec/compiler";
import { expect, test } from "vitest";

import { checkout } from "../harness/server/start-server.ts";
import { edited } from "../mutants/copy.ts";

// What a designer can forget in spec/, forgotten on purpose: the compiler, and with it `make generate`, must say what and where.

type Edit = { file: string; from: string; to: string };
type Case = [title: string, edit: Edit, about: string, said: RegExp];

/** Errors of the contract with one edit, as the command line prints them. */
async function complaints({ file, from, to }: Edit): Promise<string[]> {
  const path = join(checkout, "spec", file);
  const text = edited(readFileSync(path, "utf8"), { file, from, to });
  const host: typeof NodeHost = {
    ...NodeHost,
    readFile: async (name) => (name === path ? createSourceFile(text, name) : NodeHost.readFile(name)),
    mkdirp: async () => undefined,
    writeFile: async () => {},
  };
  const program = await compile(host, `${checkout}/spec/main.tsp`, {
    emit: ["./lib/emitter.ts"],
    options: { namjai: { "emitter-output-dir": "/nowhere", "openapi-versions": ["3.1.0"], "omit-unreachable-types": true } },
  });
  return program.diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, { pretty: false }));
}

/** Line of the text that the complaint is about, once the edit is made. */
function lineOf({ file, from, to }: Edit, about: string): number {
  const text = edited(readFileSync(`${checkout}/spec/${file}`, "utf8"), { file, from, to });
  return text.slice(0, text.indexOf(about)).split("\n").length;
}

const getMe = "op getMe(";
const cases: Case[] = [
  [
    "an operation that does not decide on a rate limit",
    { file: "account.tsp", from: "@rateLimit(RateLimit.read)\n", to: "" },
    getMe,
    /getMe has no rate limit: add @rateLimit\(RateLimit\.…\).*or @noRateLimit/,
  ],
  [
    "an operation without a rate limit and without a reason for it",
    { file: "account.tsp", from: "@rateLimit(RateLimit.read)", to: '@noRateLimit("")' },
    getMe,
    /getMe does not say why it has no rate limit/,
  ],
  [
    "an operation whose bucket is not declared",
    { file: "account.tsp", from: "RateLimit.read", to: "RateLimit.raed" },
    "RateLimit.raed",
    /doesn't have member raed/,
  ],
  [
    "an operation that takes a member of another enum for a bucket",
    { file: "account.tsp", from: "RateLimit.read", to: "CredentialKind.api_key" },
    getMe,
    /api_key is no bucket/,
  ],
  [
    "an operation without a summary",
    { file: "account.tsp", from: '@summary("Get the current credential")\n', to: "" },
    getMe,
    /getMe has no @summary/,
  ],
  ["an operation without a tag", { file: "account.tsp", from: '@tag("Account")\n', to: "" }, getMe, /getMe has no @tag/],
  [
    "an operation without a description",
    {
      file: "account.tsp",
      from: "/** Returns the streamer, the application and the scopes of the credential. Any valid credential will do. */\n",
      to: "",
    },
    getMe,
    /getMe has no doc comment/,
  ],
  [
    "an operation whose parameters have no example",
    { file: "categories.tsp", from: '@opExample(#{ parameters: #{ q: "chat" } })\n', to: "" },
    "op listStreamingCategories(",
    /listStreamingCategories has no example of its parameters/,
  ],
  [
    "an operation that needs a scope which does not exist",
    { file: "search.tsp", from: '["read:donations"]', to: '["read:donation"]' },
    "op searchDonations(",
    /searchDonations needs "read:donation", which is no member of Scope/,
  ],
  [
    "a scope that does not say what it allows",
    { file: "security.tsp", from: "  /** Record donations. */\n", to: "" },
    "writeDonations:",
    /writeDonations does not say what it allows/,
  ],
  [
    "a body that takes members which it does not name",
    { file: "donations.tsp", from: "@closed\n", to: "" },
    "model ExternalDonation",
    /ExternalDonation is part of a request body .*add @closed/,
  ],
  [
    "a model in a body that takes members which it does not name",
    { file: "alerts.tsp", from: '@closed\n@example(#{ title: "ไมค์ตัวใหม่"', to: '@example(#{ title: "ไมค์ตัวใหม่"' },
    "model Goal",
    /Goal is part of a request body .*add @closed/,
  ],
  [
    "a member of a body that is any text",
    { file: "donations.tsp", from: "  identifier?: identifier;\n", to: "  identifier?: identifier;\n\n  note?: string;\n" },
    "note?: string",
    /ExternalDonation\.note is any text: declare a scalar/,
  ],
  [
    "a free text of which nobody has decided whether donors write it",
    { file: "search.tsp", from: "@donorText(false)\n", to: "" },
    "scalar searchText",
    /searchText is free text: add @donorText/,
  ],
  ...["string", "string | null", "string[]"].map(
    (type): Case => [
      `a member that assistants read as ${type} and of which nobody has decided whether donors write it`,
      { file: "donations.tsp", from: "model Donation {\n", to: `model Donation {\n  note?: ${type};\n\n` },
      `note?: ${type}`,
      /Donation\.note is free text that assistants read: add @donorText/,
    ],
  ),
  [
    "a free text in a model without a name",
    { file: "categories.tsp", from: "  name: LocalName;", to: "  name: LocalName;\n\n  more?: { note: string };" },
    "note: string",
    /A model without a name\.note is free text that assistants read: add @donorText/,
  ],
  [
    "a problem code that is not explained",
    { file: "errors.tsp", from: "  too_many_buckets,\n", to: "  too_many_buckets,\n  too_early,\n" },
    "too_early",
    /too_early is not explained: add @problem/,
  ],
  [
    "a problem code whose status is not that of its problem",
    { file: "errors.tsp", from: "status: 408,", to: "status: 409," },
    "request_timeout,",
    /request_timeout is answered with 408, and @problem says 409/,
  ],
  [
    "an answer without an example",
    { file: "donations.tsp", from: "@example(exampleDonation)\n", to: "" },
    "op getDonation(",
    /getDonation 200 has no example: give its model.*an @example/,
  ],
];

test("the contract as it is forgets nothing", async () =>
  expect(await complaints({ file: "account.tsp", from: getMe, to: getMe })).toEqual([]));

test.each(['@pattern("^a$")', '@format("uri")', "@donorText(true)", "@donorText(false)"])("a text is decided by %s", async (words) => {
  const scalar = { file: "search.tsp", from: "@donorText(false)\nscalar searchText", to: `${words}\nscalar searchText` };
  expect(await complaints(scalar)).toEqual([]);
  const member = { file: "account.tsp", from: "@donorText(false)\n  handle", to: `${words}\n  handle` };
  expect(await complaints(member)).toEqual([]);
});

test.each(cases)("%s is named with file and line", async (_title, edit, about, said) => {
  const found = (await complaints(edit)).find((line) => said.test(line));
  expect(found).toMatch(said);
  expect(found).toContain(`spec/${edit.file}:${lineOf(edit, about)}:`);
});
