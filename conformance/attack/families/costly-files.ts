// Files to import whose rows take as long to read as their size allows: nobody else waits for what the server computes of them.

import { utils, write } from "@e965/xlsx";

import type { Attack, AttackedServer } from "../attack.ts";
import { withoutWaits } from "../longest-wait.ts";

const maxBytes = 2 * 1_048_576;
const head = "name,amount,date,message";
const day = "2026-11-20";

/** As many lines of the same kind as the largest file has. */
function lines(one: string, first = head): string {
  return [first, ...Array.from({ length: Math.floor((maxBytes - first.length - 1) / (Buffer.byteLength(one) + 1)) }, () => one)].join("\n");
}

const texts: Readonly<Record<string, string>> = {
  "a row of the whole size": `${head}\na,1,${day},${"x".repeat(maxBytes - 100)}`,
  "as many columns as letters": Array.from({ length: maxBytes / 2 - 1 }, () => "x").join(","),
  "many columns in each row": lines(`a,1,${day},b${",x".repeat(500)}`, head + ",x".repeat(500)),
  "many short rows": lines(`a,1,${day},b`),
  "rows without an amount": lines("a,,,"),
  "amounts of a thousand digits": lines(`a,${"1".repeat(1_000)},${day},b`),
  "amounts with a thousand separators": lines(`a,"${"1,".repeat(500)}",${day},b`),
  "dates of a thousand digits": lines(`a,1,${"9".repeat(1_000)},b`),
  "dates of a thousand parts": lines(`a,1,${"1-".repeat(500)},b`),
  "dates with a thousand blanks": lines(`a,1,${day}${" ".repeat(1_000)}x,b`),
  "names of folded letters": lines(`${"\ufdfa".repeat(50)},1,${day},${"\ufdfa".repeat(255)}`),
  "a quotation mark that never ends": `${head}\n"${"a\n".repeat(maxBytes / 2 - 100)}`,
  "quotation marks alone": `${head}\n${'"'.repeat(maxBytes - 100)}`,
  "empty lines": `${head}\n${"\n".repeat(maxBytes - 100)}`,
};

const atBothScales = ["as many columns as letters", "dates of a thousand parts", "names of folded letters"];

/** Many more bytes once it is unpacked. */
function workbook(): Uint8Array {
  const rows = Array.from({ length: 5_000 }, () => ["x".repeat(300), 1, day, "y".repeat(300)]);
  const sheet = utils.aoa_to_sheet([head.split(","), ...rows]);
  return write({ SheetNames: ["a"], Sheets: { a: sheet } }, { type: "buffer", compression: true });
}

/** A browser that is logged in: its Cookie header. */
async function logIn({ url, uploaderLogin }: AttackedServer): Promise<string> {
  const page = await fetch(`${url}/oauth/login`);
  const body = new URLSearchParams({ formToken: formTokenOf(await page.text(), "/oauth/login"), ...uploaderLogin });
  const answer = await fetch(`${url}/oauth/login`, {
    method: "POST",
    headers: { Cookie: cookieOf(page), Origin: url },
    body,
    redirect: "manual",
  });
  if (answer.status !== 303) throw new Error(`the login was answered ${answer.status}`);
  return cookieOf(answer);
}

/** Of the page's form with this action: each form has its own. */
function formTokenOf(page: string, action: string): string {
  const [, form = ""] = page.split(` action="${action}"`);
  return /name="formToken" value="([^"]+)"/.exec(form)?.[1] ?? "";
}

function cookieOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}

const cookies = new Map<string, Promise<string>>();

async function checkFile(server: AttackedServer, name: string, bytes: string | Uint8Array): Promise<void> {
  const cookie = cookies.get(server.url) ?? logIn(server);
  cookies.set(server.url, cookie);
  const headers = { Cookie: await cookie, Origin: server.url };
  const page = await (await fetch(`${server.url}/studio/import`, { headers })).text();
  const body = new FormData();
  body.set("formToken", formTokenOf(page, "/studio/import/check"));
  body.set("file", new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  const answer = await fetch(`${server.url}/studio/import/check`, { method: "POST", headers, body, redirect: "manual" });
  await answer.arrayBuffer();
  if (![200, 400, 422].includes(answer.status)) throw new Error(`${name} was answered ${answer.status}`);
}

export const costlyFiles: readonly Attack[] = [
  ...Object.entries(texts).map(([kind, text]) => ({
    ...withoutWaits(`nobody waits for the check of the largest file to import: ${kind}`, (server) => checkFile(server, "tips.csv", text)),
    ...(atBothScales.includes(kind) ? {} : { fullScaleOnly: "a few kinds of files suffice" }),
  })),
  withoutWaits("nobody waits for the check of a workbook that is large once it is unpacked", (server) =>
    checkFile(server, "tips.xlsx", workbook()),
  ),
];
