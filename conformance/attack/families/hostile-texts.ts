// Texts that a program may take for something else: names and messages that are code, and unusual request targets.

import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { formatStatusCounts, readUntilClosed, statusOf } from "../sockets.ts";

// Names and messages that are code or markup to a program that displays them. `make browser` checks how pages display such texts.

const texts = [
  "<script>alert(1)</script>",
  "</script><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "javascript:alert(1)",
  "{{7*7}}",
  "$\u007b7*7}",
  "#{7*7}",
  "<%= 7*7 %>",
  "'; drop table donations; --",
  "' or '1'='1",
  "=1+1",
  "+1+1",
  "@SUM(A1)",
  "-1+1|cmd",
  "../../etc/passwd",
  "%00%0a%0d",
  "a\r\nSet-Cookie: a=b",
  "\u0000",
  "\u202egnp.exe",
  "\ufeff",
  "\ud800",
  "\u200b\u200d",
  "\u2028\u2029",
  "ก้้้้้้้้้้้้้้้้้้้้",
  "𝕊𝕦𝕡𝕖𝕣",
  "👨‍👩‍👧‍👦",
  "__proto__",
  "constructor",
  "null",
  "undefined",
  "NaN",
  "]]>",
];

export const hostileTexts: readonly Attack[] = [
  {
    rule: "texts that are HTML, script, SQL or a formula are returned as they were sent, as JSON with X-Content-Type-Options: nosniff",
    run: async ({ url, keys }) => {
      const headers = { Authorization: `Bearer ${keys.regularClient}`, "Content-Type": "application/json" };
      for (const text of texts) {
        const body = JSON.stringify({ donatorName: text, message: text, identifier: text, amount: 1, skipAlert: true });
        const answer = await fetch(`${url}/api/v1/donations`, { method: "POST", headers, body });
        const { data } = (await answer.json()) as { data: { donatorName: string; message: string } };
        const stored = text.toWellFormed().replaceAll("\0", "\ufffd");
        if (answer.status !== 201 || data.donatorName !== stored || data.message !== stored)
          throw new Error(`${JSON.stringify(text)}: ${answer.status}`);
        if (
          !answer.headers.get("content-type")?.startsWith("application/json") ||
          answer.headers.get("x-content-type-options") !== "nosniff"
        )
          throw new Error(`${answer.headers.get("content-type")} of ${JSON.stringify(text)}`);
      }
      return `${texts.length} texts`;
    },
  },
];

// Unusual and invalid request targets: the answer is always a problem with a request id, never a 5xx.

const targets = [
  "//a@b#c",
  "//a@[#",
  "//",
  "///",
  "//[",
  "//a:b:c/",
  "/\\a\\b",
  "\\\\a\\b",
  "/%",
  "/%zz",
  "/%00",
  "/%c0%af",
  "/%ff%fe",
  "/api/v1/donations/%zz%",
  "/api/v1/donations/../me",
  "/api/v1/%6de",
  "/api/v1/me/",
  "/api//v1/me",
  "/api/v1/me;a=b",
  '/{}[]|^`"<>',
  "/ü",
  "/\xa0",
  "/\x7f",
  "/\x01",
  "/a\tb",
  "/a b",
  "*",
  "x",
  "?x",
  "",
  "http://[#",
  "http://%zz/nowhere",
  "http://a@b:c/nowhere",
  "HTTP://a/nowhere",
  "https:nowhere",
  "javascript:alert(1)",
  "data:,x",
  "file:///etc/passwd",
  "//127.0.0.1:1/",
  `/${"a".repeat(12_000)}`,
  `/${"a".repeat(20_000)}`,
  `/${"%41".repeat(3_000)}`,
  `/${"/".repeat(5_000)}`,
  `/nowhere?${"a=b&".repeat(3_000)}`,
  `/nowhere?${"[".repeat(5_000)}`,
];

export const unusualTargets: readonly Attack[] = [
  {
    rule: "every unusual request target is answered 400, 404 or 431 with a problem and a request id",
    run: async (server) =>
      `${targets.length} targets: ${formatStatusCounts(await Promise.all(targets.map((target) => expectProblem(server, target))))}`,
  },
  {
    rule: "a request target put together at random is never answered with a 5xx, nor without a request id",
    run: async (server, scale) => {
      const count = byScale(scale, 300, 20_000);
      const statuses: number[] = [];
      for (let first = 0; first < count; first += concurrency)
        statuses.push(
          ...(await Promise.all(
            Array.from({ length: concurrency }, (_, index) => expectNoServerError(server, generateTarget(first + index))),
          )),
        );
      return `${statuses.length} targets: ${formatStatusCounts(statuses)}`;
    },
  },
];

const concurrency = 50;

const sendTarget = (server: AttackedServer, target: string): Promise<string> =>
  readUntilClosed(
    server,
    Buffer.from(
      `GET ${target} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${server.keys.attacker}\r\nConnection: close\r\n\r\n`,
      "latin1",
    ),
  );

async function expectNoServerError(server: AttackedServer, target: string): Promise<number> {
  const text = await sendTarget(server, target);
  const status = statusOf(text);
  if (status === 0 || status >= 500 || !/^X-Request-Id: \S/im.test(text))
    throw new Error(`${JSON.stringify(target)}: ${text.slice(0, 300)}`);
  return status;
}

async function expectProblem(server: AttackedServer, target: string): Promise<number> {
  const text = await sendTarget(server, target);
  const [head = "", body = ""] = text.split("\r\n\r\n");
  const status = await expectNoServerError(server, target);
  if (![400, 404, 431].includes(status) || !/^Content-Type: application\/problem\+json/im.test(head))
    throw new Error(`${JSON.stringify(target.slice(0, 80))}: ${head.split("\r\n")[0]}`);
  const { instance } = JSON.parse(body);
  if (typeof instance !== "string" || instance === "null" || !URL.canParse(instance, "http://h"))
    throw new Error(`instance ${instance} of ${target}`);
  return status;
}

const pieces = [
  "/",
  "//",
  "#",
  "?",
  "@",
  ":",
  "[",
  "]",
  "%",
  "%2",
  "%zz",
  "\\",
  "..",
  ".",
  "*",
  "a",
  "api",
  "v1",
  "donations",
  "mcp",
  "docs",
  "{",
  "~",
  "&",
  "=",
  "http:",
];

/** A target put together from the pieces; the same number gives the same target. */
function generateTarget(number: number): string {
  let state = number * 2_654_435_761 + 12_345;
  let target = number % 10 === 0 ? "" : "/";
  for (let count = 0; count < 2 + (number % 7); count += 1) {
    target += pieces[state % pieces.length];
    state = Math.floor(state / 7) + number * 31;
  }
  return target;
}
