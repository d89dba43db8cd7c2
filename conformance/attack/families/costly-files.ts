// Files to import whose rows take as long to read as their size allows, and the largest uploads: nobody else waits for what the server computes
// of them.

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { utils, write } from "@e965/xlsx";

import { type Attack, type AttackedServer, formTokenOf, logIn } from "../attack.ts";
import { withoutWaits } from "../other-clients.ts";
import { closeAll, formatStatusCounts, openConnection, openConnections, statusOf } from "../sockets.ts";

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

async function checkFile(server: AttackedServer, name: string, bytes: string | Uint8Array): Promise<void> {
  const headers = { Cookie: await logIn(server), Origin: server.url };
  const page = await (await fetch(`${server.url}/studio/import`, { headers })).text();
  const body = new FormData();
  body.set("formToken", formTokenOf(page, "/studio/import/check"));
  body.set("file", new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  const answer = await fetch(`${server.url}/studio/import/check`, { method: "POST", headers, body, redirect: "manual" });
  await answer.arrayBuffer();
  if (![200, 400, 422].includes(answer.status)) throw new Error(`${name} was answered ${answer.status}`);
}

const uploadPath = "/studio/designer/upload";
const boundary = "a".repeat(30);
/** What the server has not read of a body is in the buffers of the operating system. */
const settleMs = 500;
const maxUploadBytes = 9 * 1_048_576;

/** Contents of which a form's reader could think that a part ends. */
const uploads: Readonly<Record<string, string>> = { "letters alone": "x", "beginnings of delimiters": "\r\n--", "line ends": "\r\n" };

/** As many as one address may send at once. Their last bytes arrive together, so that they are read in one turn of the event loop. */
const atOnce = 2;

async function upload(server: AttackedServer, content: string): Promise<void> {
  const cookie = await logIn(server);
  const page = await (await fetch(`${server.url}/studio/designer`, { headers: { Cookie: cookie } })).text();
  const formToken = formTokenOf(page, uploadPath);
  const request = requestOf(server, cookie, [
    `--${boundary}\r\nContent-Disposition: form-data; name="formToken"\r\n\r\n${formToken}\r\n`,
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n`,
    Buffer.alloc(maxUploadBytes, content),
    `\r\n--${boundary}--\r\n`,
  ]);
  const connections = await openConnections(atOnce, () => openConnection(server, request.subarray(0, -1)));
  for (const { socket } of connections) while (socket.writableLength > 0) await once(socket, "drain");
  await sleep(settleMs);
  for (const { socket } of connections) socket.write(request.subarray(-1));
  await Promise.all(connections.map(({ answering }) => answering));
  closeAll(connections);
  const statuses = connections.map(({ text }) => statusOf(text()));
  if (statuses.some((status) => status !== 303)) throw new Error(`uploads were answered ${formatStatusCounts(statuses)}`);
}

function requestOf({ url }: AttackedServer, cookie: string, parts: readonly (string | Uint8Array)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const form = `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${body.length}`;
  return Buffer.concat([
    Buffer.from(`POST ${uploadPath} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nOrigin: ${url}\r\nCookie: ${cookie}\r\n${form}\r\n\r\n`),
    body,
  ]);
}

export const costlyFiles: readonly Attack[] = [
  ...Object.entries(texts).map(([kind, text]) => ({
    ...withoutWaits(`nobody waits for the check of the largest file to import: ${kind}`, (server) => checkFile(server, "tips.csv", text)),
    ...(atBothScales.includes(kind) ? {} : { fullScaleOnly: "a few kinds of files suffice" }),
  })),
  withoutWaits("nobody waits for the check of a workbook that is large once it is unpacked", (server) =>
    checkFile(server, "tips.xlsx", workbook()),
  ),
  ...Object.entries(uploads).map(([kind, content]) =>
    withoutWaits(`nobody waits for the largest files that are uploaded at once in the studio: ${kind}`, (server) =>
      upload(server, content),
    ),
  ),
];
