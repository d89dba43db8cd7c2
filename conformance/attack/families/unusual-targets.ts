// Unusual and invalid request targets: the answer is always a problem with a request id, never a 5xx.

import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { formatStatusCounts, readUntilClosed, statusOf } from "../sockets.ts";

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
