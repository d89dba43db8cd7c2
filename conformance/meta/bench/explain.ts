// The plans of the server's own statements, as PostgreSQL ran them. The server is started once more with its database behind a wire
// that is listened to: auto_explain, loaded by that connection alone, sends each plan as a notice. Needs a superuser.

import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { bodyOf, count, send } from "./measure.ts";
import { forgetAnswers, type Question } from "./questions.ts";
import { type Setting, type Side, sides } from "./setting.ts";

type Plans = { operation: string; range: string; side: Side; statements: number; donationsRead: number; scans: string[] };

const settings = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_buffers": "on",
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_level": "notice",
};

export async function maySeePlans({ client }: Setting): Promise<boolean> {
  const { rows } = await client.query("select rolsuper from pg_roles where rolname = current_user");
  return rows[0]?.rolsuper === true;
}

/** Writes a file for each question and history, and says what they read. */
export async function explain(setting: Setting, questions: readonly Question[], directory: string): Promise<Plans[]> {
  const heard: string[] = [];
  const wire = await listenIn(setting.databaseUrl, (plan) => heard.push(plan));
  const server = await setting.serve({ DATABASE_URL: wire.url });
  const found: Plans[] = [];
  for (const side of sides) {
    await mkdir(join(directory, side), { recursive: true });
    for (const { operation, range, paths } of questions) {
      const url = `${server.url}/api/v1${paths[side]}`;
      bodyOf(await send(url, setting.keys[side]), url); // plans and buffers are those of a second time
      heard.length = 0;
      await forgetAnswers(setting, side);
      bodyOf(await send(url, setting.keys[side]), url);
      const plans = heard.filter((plan) => /\b(donations|alerts|report_\w+|donation_search_\w+)\b/.test(plan));
      const name = `${operation}, ${range}`.replace(/[^\w-]+/g, "-");
      await writeFile(join(directory, side, `${name}.txt`), `GET /api/v1${paths[side]}\n\n${plans.join("\n\n")}\n`);
      const donationsRead = sum(plans.map(donationsReadBy));
      found.push({ operation, range, side, statements: plans.length, donationsRead, scans: plans.flatMap(scans) });
    }
  }
  await server.stop();
  wire.close();
  return found;
}

/** Rows that the plan's nodes took from the history, those that a filter threw away included. */
function donationsReadBy(plan: string): number {
  const nodes = plan.matchAll(
    /Scan (?:Backward )?(?:using \w+ )?on donations\b[^\n]*\(actual[^)]*rows=([\d.]+) loops=(\d+)\)((?:\n(?!\s*->)[^\n]*)*)/g,
  );
  return sum(
    [...nodes].map(([, rows, loops, rest = ""]) => {
      const removed = /Rows Removed by (?:Filter|Index Recheck): (\d+)/.exec(rest)?.[1] ?? 0;
      return Math.round((Number(rows) + Number(removed)) * Number(loops));
    }),
  );
}

/** Tables that grow with the history and are read from end to end. */
function scans(plan: string): string[] {
  return [...plan.matchAll(/Seq Scan on (donations|alerts|report_(?!progress)\w+|donation_search_blocks)/g)].map(
    ([, table]) => table as string,
  );
}

/** Passes everything on, and tells of the plans on the way back to the pools that answer lists, searches and reports. */
async function listenIn(databaseUrl: string, tell: (plan: string) => void): Promise<{ url: string; close: () => void }> {
  const target = new URL(databaseUrl);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    let answers = false;
    client.once("data", (startup: Buffer) => {
      answers = /application_name\0donations( reads| report reads| searches)?\0/.test(startup.toString("latin1"));
    });
    upstream.on(
      "data",
      messages((type, body) => {
        const text = type === "N" && answers ? noticeOf(body) : "";
        if (text.includes("plan:")) tell(text);
      }),
    );
    client.pipe(upstream).on("error", () => client.destroy());
    upstream.pipe(client).on("error", () => upstream.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  url.searchParams.set(
    "options",
    Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
  );
  return { url: url.href, close: () => server.close() };
}

/** PostgreSQL's messages: a letter, four bytes of length that count themselves, a body. */
function messages(each: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0);
  return (chunk) => {
    kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
    while (kept.length >= 5 && kept.length > kept.readUInt32BE(1)) {
      const end = 1 + kept.readUInt32BE(1);
      each(String.fromCharCode(kept[0] as number), kept.subarray(5, end));
      kept = kept.subarray(end);
    }
  };
}

function noticeOf(body: Buffer): string {
  const message = body
    .toString("utf8")
    .split("\0")
    .find((field) => field.startsWith("M"));
  return message?.slice(1) ?? "";
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function plansText(plans: readonly Plans[]): string[] {
  const most = plans.reduce((a, b) => (b.donationsRead > a.donationsRead ? b : a));
  const scanned = plans.filter(({ scans }) => scans.length > 0);
  return [
    `${plans.length} questions (of both histories), ${plans.reduce((sum, { statements }) => sum + statements, 0)} statements. ` +
      `Most donations read for one answer: ${count(most.donationsRead)} (${most.operation}, ${most.range}, ${most.side} history).`,
    scanned.length === 0
      ? "No statement reads a table of the history from end to end."
      : `Read from end to end: ${scanned.map(({ operation, range, scans }) => `${[...new Set(scans)].join(", ")} for ${operation}, ${range}`).join("; ")}.`,
  ];
}
