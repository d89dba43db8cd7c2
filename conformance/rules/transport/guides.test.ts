import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import { approve } from "../../suite/client/oauth/authorization.ts";
import { addStreamerWithKeys } from "../../suite/client/operator.ts";
import { checkout, node } from "../../suite/contract/sources.ts";
import { freePort, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { smallestFile } from "../../suite/values/media.ts";
import { remember } from "../../suite/values/redact.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// Reads the guides that the server serves, and the samples in them.

const languages = ["sh", "js", "python", "ts", "php", "go"] as const;
type Language = (typeof languages)[number];

type Sample = {
  /** "2 sh: Record a donation": number, language, and the heading that it stands under. */
  title: string;
  language: Language;
  code: string;
  /** What its output must contain. */
  prints: string[];
};

type Guide = { slug: string; samples: Sample[] };

/** Every guide with samples; none for a server that is not ours, because the samples need the operator's command line. */
async function readGuides(): Promise<Guide[]> {
  const { url, operator } = target();
  if (!operator) return [];
  const index = await textOf(`${url}/llms.txt`);
  const pages = [...new Set([...index.matchAll(/\/docs\/([a-z-]+)\.md\b/g)].map(([, slug = ""]) => slug))];
  const guides = await Promise.all(pages.map(async (slug) => ({ slug, samples: samplesOf(await textOf(`${url}/docs/${slug}.md`)) })));
  return guides.filter(({ samples }) => samples.length > 0);
}

async function textOf(address: string): Promise<string> {
  const answer = await fetch(address);
  expect(answer.status, address).toBe(200);
  return answer.text();
}

const parser = new MarkdownIt({ html: true });

/** Fenced blocks of the languages that run; comments below one say what it prints. */
function samplesOf(markdown: string): Sample[] {
  const samples: Sample[] = [];
  let heading = "";
  let afterHeading = false;
  for (const { type, info, content } of parser.parse(markdown, {})) {
    if (afterHeading) heading = content;
    afterHeading = type === "heading_open";
    if (type === "fence" && isLanguage(info))
      samples.push({ title: `${samples.length + 1} ${info}: ${heading}`, language: info, code: content, prints: [] });
    if (type === "html_block") samples.at(-1)?.prints.push(...printed(content));
  }
  return samples;
}

const isLanguage = (info: string): info is Language => (languages as readonly string[]).includes(info);

const printed = (comments: string): string[] => [...comments.matchAll(/<!-- prints: (.*) -->/g)].map(([, text = ""]) => text);

// Runs the samples of a guide like a reader: one after the other, in one folder and one shell.

type SampleRunner = {
  /** Runs the sample after those above it; returns its output. */
  run: (sample: Sample) => Promise<string>;
  close: () => Promise<void>;
};

const timeoutMs = 50_000;

/** What the guide to TypeScript has its reader fetch. */
const clientName = "donations-client.ts";

/** `exports`: environment variables that a reader has set beforehand. */
async function newSampleRunner(samples: readonly Sample[], exports: Record<string, string>): Promise<SampleRunner> {
  const client = await (await fetch(`${exports.API_URL}/docs/${clientName}`)).text();
  const folder = await mkdtemp(join(tmpdir(), "namjai-guide-"));
  await symlink(join(checkout, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "thanks.wav"), smallestFile, "latin1"); // a file that the reader has
  await writeFile(join(folder, clientName), client);
  const { PATH = "", HOME = "" } = process.env;
  const GOCACHE = join(checkout, "node_modules/.cache/go"); // kept: go compiles its library once
  const environment: Record<string, string> = { PATH, HOME, LANG: "C.UTF-8", GOCACHE, ...exports };
  const outputs = new Map<Sample, Promise<string>>();
  const runOnce = (sample: Sample): Promise<string> => {
    const output = outputs.get(sample) ?? start(sample, folder, environment);
    outputs.set(sample, output);
    return output;
  };
  const run = async (sample: Sample): Promise<string> => {
    for (const earlier of samples.slice(0, samples.indexOf(sample))) await runOnce(earlier).catch(() => {}); // its own rule reports the failure
    return runOnce(sample);
  };
  return { run, close: () => rm(folder, { recursive: true }) };
}

/** How a language is run: the file to put the code into, and the command. */
const runners: Record<Language, { file: string; command: string[]; needs: string[]; isRare?: true }> = {
  sh: { file: "sample.sh", command: ["bash"], needs: ["bash", "curl", "python3"] },
  js: { file: "sample.mjs", command: [node], needs: [] },
  ts: { file: "client.ts", command: [node], needs: [] },
  python: { file: "sample.py", command: ["python3"], needs: ["python3"] },
  php: { file: "donate.php", command: ["php"], needs: ["php"], isRare: true },
  go: { file: "donate.go", command: ["go", "run"], needs: ["go"], isRare: true },
};

/** Whether programs are missing: each is looked for once, not for each sample. */
const looked = new Map<string, boolean>();

function isMissing(program: string): boolean {
  if (!looked.has(program)) looked.set(program, spawnSync(program, [program === "go" ? "version" : "--version"]).status !== 0);
  return looked.get(program) === true;
}

/** Skips the test, saying why, where a program is missing; in CI that is a failure, unless it is one that few have. */
function needsProgram(context: TestContext, { language }: Sample): void {
  const { needs, isRare = false } = runners[language];
  const program = needs.find(isMissing);
  if (program === undefined) return;
  const reason = `not run: there is no ${program} (apt-get install ${program})`;
  if (process.env.CI && !isRare) throw new Error(reason);
  context.skip(reason);
}

/** Runs the sample; throws when it fails. Adds its exported variables to `environment`. */
async function start(sample: Sample, folder: string, environment: Record<string, string>): Promise<string> {
  const { file, command } = runners[sample.language];
  const [program = "", ...words] = [...command, file];
  await writeFile(join(folder, file), sample.language === "sh" ? `${strict}${sample.code}${keepExports}` : sample.code);
  const child = spawn(program, words, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"], timeout: timeoutMs });
  const output = await outputOf(child, environment);
  if (sample.language === "sh") Object.assign(environment, await exportsIn(folder));
  return output;
}

const strict = "set -euo pipefail\n";
const keepExports = "\nenv -0 > exports\n";

async function exportsIn(folder: string): Promise<Record<string, string>> {
  const pairs = (await readFile(join(folder, "exports"), "utf8")).split("\0").filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s, 2)));
}

/** The output of the process; approves an authorization address in the streamer's name as soon as it is printed. */
async function outputOf(child: ChildProcess, environment: Record<string, string>): Promise<string> {
  let text = "";
  let failure: unknown = null;
  let visit: Promise<void> | null = null;
  const giveUp = (error: unknown): void => {
    failure = error;
    child.kill();
  };
  const read = (chunk: string): void => {
    text += chunk;
    const [address] = /https?:\/\/\S+\/oauth\/authorize\?\S+(?=\s)/.exec(text) ?? [];
    if (address) visit ??= approveAt(new URL(address), environment).catch(giveUp);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", read);
  const [code, signal] = await once(child, "close");
  await visit;
  if (failure) throw failure;
  if (code !== 0) throw new Error(`it ended with ${signal ?? `exit code ${code}`}:\n${text}`);
  return text;
}

/** Approves and returns to the application: to its own listener, or by setting CODE. */
async function approveAt(address: URL, environment: Record<string, string>): Promise<void> {
  remember(address.searchParams.get("state"));
  const back = await approve(address.pathname + address.search);
  if (back.hostname === "127.0.0.1") await fetch(back);
  else environment.CODE = back.searchParams.get("code") ?? "";
}

// Runs every sample of every guide like a reader: top to bottom, as a new streamer, against a server with rate limits on.

const guides = await readGuides();

/** Timeout in ms for the command line to create the streamers of all guides. */
const patience = 300_000;

let server: Process | null = null;
/** Sample runners by guide, created one after the other while earlier samples run: the command line takes most of the time. */
const desks = new Map<Guide, Promise<SampleRunner>>();

beforeAll(async () => {
  const { operator } = target();
  if (operator) server = await startProcess(operator, "guides", { RATE_LIMITS: "on" });
  let before: Promise<unknown> = Promise.resolve();
  for (const guide of guides) {
    const desk = before.then(async () => newSampleRunner(guide.samples, await reader(guide)));
    before = desk.catch(() => {}); // the guide's own rules report it
    desks.set(guide, desk);
  }
});
afterAll(async () => {
  const made = await Promise.allSettled(desks.values());
  await Promise.all(made.map((one) => one.status === "fulfilled" && one.value.close()));
  await server?.stop();
}, patience);

test("guides with samples are served, and every one of them says what its samples print", (context) => {
  operatorOf(context);
  expect(guides.map(({ slug }) => slug)).toEqual(expect.arrayContaining(["quickstart", "authentication", "idempotency", "typescript"]));
  const silent = guides.filter(({ samples }) => samples.every(({ prints }) => prints.length === 0));
  expect(silent.map(({ slug }) => slug)).toEqual([]);
});

describe.for(guides)("$slug", (guide) => {
  beforeAll(() => desks.get(guide), patience);

  test.for(guide.samples)("the guide's sample prints what the guide says: $title", async (sample, context) => {
    needsProgram(context, sample);
    const output = await (await desks.get(guide))?.run(sample);
    for (const text of sample.prints) expect(output).toContain(text);
  });
});

/** A new streamer's keys and an application, as the guides name them. */
async function reader({ slug }: Guide): Promise<Record<string, string>> {
  const { operator, oauth } = target();
  const client = oauth?.clients.confidential;
  if (!operator || !server || !client?.secret) throw new Error("there are guides only where the server is ours");
  const handle = `${slug.slice(0, 14)}-${randomUUID().slice(0, 8)}`;
  const scopes = "write:donations void:donations erase:donators read:donations write:alerts read:alerts write:webhooks";
  const { key: apiKey, overlayKey } = await addStreamerWithKeys(operator, handle, scopes);
  remember(apiKey, overlayKey);
  return {
    API_URL: server.url,
    API_KEY: apiKey,
    OVERLAY_KEY: overlayKey,
    CLIENT_ID: client.id,
    CLIENT_SECRET: client.secret,
    REDIRECT_URI: client.redirectUris[0] ?? "",
    PORT: String(await freePort()),
  };
}
