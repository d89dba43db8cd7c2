// What happens between the start of the server and the first rule.

import { noteAnswer } from "../client/protection/own.ts";
import { sendOnce, withRateLimitRetries } from "../client/send-once.ts";
import { curlLine } from "../client/trace.ts";
import { scopes } from "../contract/contract.ts";
import type { Reply, Request } from "../contract/http-request.ts";
import { lengthsOf } from "../contract/interface.ts";
import { familyOf } from "../contract/offline-rules.ts";
import type { Run } from "../report/run.ts";
import { print } from "../report/terminal.ts";
import type { Serving } from "../servers/serve.ts";
import { donation, freshKey, freshName } from "../values/donations.ts";
import { redactor } from "../values/redact.ts";
import { type LengthUnit, type Target, target, useTarget } from "../values/target.ts";
import { lengthUnit } from "../values/text.ts";
import { unfitKey } from "./check-keys.ts";
import { runFirst } from "./measured.ts";
import { limitOf, planOf, slotsOf } from "./plan.ts";
import { type Protecting, protect, voidAtOnce } from "./protect.ts";
import { selectedShares, selectRules } from "./rule-files.ts";
import { calibrateApproval, createTarget, type Profile, type Settings } from "./settings.ts";
import { explainConnectionError, NotMeasurable } from "./usage-error.ts";

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

const unitNotes: Record<LengthUnit, string> = {
  all: "lengths are tested where code points, UTF-16 units and graphemes lead to the same decision; --length-unit tests the others",
  "code-points": "a character of a text is a code point (--length-unit)",
  "utf-16": "a character of a text is a UTF-16 unit (--length-unit)",
  graphemes: "a character of a text is a grapheme (--length-unit)",
};

/**
 * Gives the rule files of a quick run their share of its time, which includes that of starting the server. Where the machine or the server is so
 * slow that the last files get none, the rules of the interface document are run all the same: they come first.
 */
export function limitTime(settings: Settings, { startedAt }: Run, targets: readonly Target[]): void {
  if (settings.seconds === null) return;
  const isPaced = targets.some(({ pace }) => pace !== null);
  const endsAt = startedAt.getTime() + settings.seconds * 1000;
  const { files } = selectRules(settings);
  runFirst(files.filter((file) => file.startsWith("interface/")).map(familyOf));
  const slots = slotsOf(files, { startsAt: Date.now(), endsAt, isPaced });
  for (const target of targets) target.slots = slots;
}

/** Calibrates against the first server, and decides how many rules and values are run and how fast. */
export async function prepare(
  settings: Settings,
  { served }: Serving,
  result: Run,
  onProtected: (protecting: Protecting) => void,
): Promise<[Target, ...Target[]]> {
  const note = (text: string): void => {
    result.notes.push(text);
    print(`        ${text}`);
  };
  const target = createTarget(settings, served[0]);
  useTarget(target);
  if (settings.profile === "interface") note(unitNotes[settings.lengthUnit]);
  const proxy = proxyVariables.find((name) => process.env[name]);
  if (proxy) note(`${proxy} is ignored: requests go to the server directly, byte by byte as the rules write them`);
  if (target.foreign && !settings.readOnly)
    note(
      "the donations of this run are voided at its end where the server allows it, and stay where it does not; only rules about alerts cause alerts",
    );
  const { shard } = settings;
  if (shard) note(`shard ${shard.index} of ${shard.count}: ${selectRules(settings).files.length} rule files`);
  const { notes, answers } = await (settings.readOnly ? calibrateReading(settings.profile) : calibrate(settings.profile));
  notes.forEach(note);
  const recording = answers.filter(({ request: { path } }) => path === donationsPath);
  const protecting = target.foreign ? await protect(target, settings).catch(takeBack) : null;
  if (protecting) onProtected(protecting);
  protecting?.notes.forEach(note);
  const main = protecting?.protection.streamers.find(({ holder }) => holder === "main");
  if (main) for (const { request, reply } of recording) noteAnswer(main.journal, { request, effect: "donation", token: null }, reply);
  if (!settings.readOnly) for (const words of await calibrateApproval(target)) note(words);
  const limit = limitOf(answers.map(({ reply }) => reply));
  const { sample, pace, notes: words } = planOf(settings, limit, limit ? await selectedShares(settings) : new Map());
  words.forEach(note);
  const [, ...others] = served;
  const made = { ...target, sample, pace, protection: protecting?.protection ?? null };
  return [made, ...others.map((one) => ({ ...made, ...one }))];

  /** A run that ends here has no journal for the donations that it has recorded. */
  async function takeBack(error: unknown): Promise<never> {
    await voidAtOnce(
      target.keys.main,
      recording.map(({ reply }) => reply),
    ).catch(() => {});
    throw error;
  }
}

// Checks before a run that the server accepts valid donations and does not accept everything. Without this check, a server that
// refuses every request would pass all rules that expect a refusal.

type Exchange = { request: Request; reply: Reply };

type Calibration = {
  /** Results in words, for the reports. */
  notes: string[];
  /** Every request with its answer, whose headers may announce rate limits. */
  answers: Exchange[];
};

const requestTimeoutMs = 20_000;
const donationsPath = "/api/v1/donations";
const invalidDonation = { donatorName: "", amount: -1, currency: "XXX", createdAt: "yesterday", skipAlert: true };

const createRequest = (body: unknown, key?: null): Request => ({
  method: "POST",
  path: donationsPath,
  ...(key === null ? { key } : {}),
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

const completeDonation = (): Record<string, unknown> => ({
  donatorName: "สมชาย ใจดี",
  amount: 123.45,
  currency: "THB",
  message: "สู้ๆ ครับ",
  identifier: freshKey(),
  idempotencyKey: freshKey(),
  skipAlert: true,
  createdAt: "2024-03-15T19:30:00+07:00",
});

/**
 * Throws NotMeasurable unless valid donations are accepted and an invalid one, or one without a credential, is refused. Profile
 * `contract` also needs a key with all scopes.
 */
async function calibrate(profile: Profile): Promise<Calibration> {
  const answers: Exchange[] = [];
  const send = (request: Request): Promise<Reply> => sendRequest(request, answers);
  if (target().foreign && profile === "contract") {
    await expectAllScopes(send); // before anything is recorded
    await expectFitKeys(send, true);
  }
  const smallest = createRequest(donation({ donatorName: freshName() }));
  expectAccepted(smallest, await send(smallest), "the smallest valid donation");
  const complete = createRequest(completeDonation());
  expectAccepted(complete, await send(complete), "a valid donation with every member");
  const withoutCredential = await send(createRequest(donation(), null));
  const invalid = await send(createRequest(invalidDonation));
  if (isAccepted(withoutCredential) && isAccepted(invalid))
    throw new NotMeasurable(
      "the server accepts everything: an invalid donation, and a donation without a credential",
      curlOf(createRequest(invalidDonation)),
    );
  if (profile === "interface") await expectLengthUnit(send);
  return {
    answers,
    notes: [
      "valid donations are accepted",
      `a donation without a credential is ${outcomeOf(withoutCredential)}`,
      `an invalid donation is ${outcomeOf(invalid)}`,
    ],
  };
}

/** For a run that only reads: throws NotMeasurable unless donations are listed with the credential, and not without one. */
async function calibrateReading(profile: Profile): Promise<Calibration> {
  const answers: Exchange[] = [];
  const list: Request = { path: "/api/v1/donations?limit=1" };
  const reply = await sendRequest(list, answers);
  if (!isAccepted(reply))
    throw new NotMeasurable(
      withExcerpt(
        `the server answers ${reply.status} to GET /api/v1/donations: --read-only needs a server and an API_KEY that list donations`,
        reply,
      ),
      curlOf(list),
    );
  const withoutCredential = await sendRequest({ ...list, key: null }, answers);
  if (profile === "contract") await expectFitKeys((request) => sendRequest(request, answers), false);
  return { answers, notes: ["donations are listed", `a list without a credential is ${outcomeOf(withoutCredential)}`] };
}

/** `writes`: whether the run needs scopes for more than reading. */
async function expectFitKeys(send: (request: Request) => Promise<Reply>, writes: boolean): Promise<void> {
  const unfit = await unfitKey(send, writes);
  if (unfit) throw new NotMeasurable(unfit.reason, curlOf(unfit.request));
}

/** An answer of another form is left to the rules of getMe. */
async function expectAllScopes(send: (request: Request) => Promise<Reply>): Promise<void> {
  const request = { path: "/api/v1/me" };
  const { status, body } = await send(request);
  const { data } = (body ?? {}) as { data?: { scopes?: unknown } | null };
  const granted = status === 200 ? data?.scopes : undefined;
  if (!Array.isArray(granted)) return;
  const missing = scopes.filter((scope) => !granted.includes(scope));
  if (missing.length === 0) return;
  throw new NotMeasurable(`API_KEY lacks ${missing.join(" ")}: --profile contract needs a key with ${scopes.join(" ")}`, curlOf(request));
}

/** Throws NotMeasurable where the server counts in another unit than `--length-unit`: every rule of a length would fail. */
async function expectLengthUnit(send: (request: Request) => Promise<Reply>): Promise<void> {
  const unit = lengthUnit();
  if (unit === "all") return;
  const { max } = lengthsOf("message");
  const messageOf = (text: string): Request => createRequest(donation({ donatorName: freshName(), message: text }));
  const takes = async (text: string): Promise<boolean> => isAccepted(await send(messageOf(text)));
  if (!(await takes("x".repeat(max))) || (await takes("x".repeat(max + 1)))) return; // the bound itself is wrong: that is for the rules
  const [emoji, accents] = [await takes("😀".repeat(max)), await takes("e\u0301".repeat(max))];
  const found = emoji ? (accents ? "graphemes" : "code-points") : accents ? unit : "utf-16";
  if (found === unit) return;
  throw new NotMeasurable(
    `the server counts characters in ${found}, and --length-unit is ${unit}: every rule about a length would fail. Use --length-unit ${found}`,
    curlOf(messageOf("😀".repeat(max))),
  );
}

async function sendRequest(request: Request, answers: Exchange[]): Promise<Reply> {
  const attempt = async (): Promise<Reply> => {
    const reply = await Promise.race([sendOnce(request), rejectOnTimeout(AbortSignal.timeout(requestTimeoutMs))]);
    answers.push({ request, reply });
    return reply;
  };
  return withRateLimitRetries(attempt).catch((error: unknown) => {
    throw error instanceof NotMeasurable ? error : new NotMeasurable(explainConnectionError(error), curlOf(request));
  });
}

const rejectOnTimeout = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) =>
    signal.addEventListener("abort", () =>
      reject(new NotMeasurable(`the server did not answer within ${requestTimeoutMs / 1000} seconds`)),
    ),
  );

function expectAccepted(request: Request, reply: Reply, what: string): void {
  const page = /^\s*(text\/html|application\/xhtml)/i.test(reply.headers["content-type"] ?? "");
  if (isAccepted(reply) && !page) return;
  throw new NotMeasurable(withExcerpt(page ? explainPage(reply) : explainRefusal(reply, what), reply), curlOf(request));
}

const explainPage = ({ status }: Reply): string => `the server answers with an HTML page (${status}): is this the address of the API?`;

function explainRefusal({ status, headers }: Reply, what: string): string {
  if (status >= 500) return `the server answers ${status} to ${what}`;
  if (status >= 300 && status < 400)
    return `the server redirects to ${headers.location ?? "no address"} (${status}): use the final address`;
  if (status === 401) return `the server answers 401 to ${what} although the credential was sent: is API_KEY correct?`;
  if (status === 403) return `the server answers 403 to ${what}: API_KEY needs the scope write:donations`;
  if (status === 404 || status === 405) return `the server has no POST /api/v1/donations below this address: ${status}`;
  if (status === 429) return "the server's rate limit is so low that no donation is accepted (429 repeatedly)";
  return `the server refuses ${what}: ${status}`;
}

const isAccepted = ({ status }: Reply): boolean => status >= 200 && status < 300;
const outcomeOf = (reply: Reply): string => `${isAccepted(reply) ? "ACCEPTED" : "refused"} (${reply.status})`;
const curlOf = (request: Request): string => redactor(target())(curlLine(request));

/** Adds the beginning of the answer to a sentence that has no full stop at its end, but may have a question mark. */
function withExcerpt(sentence: string, { text }: Reply): string {
  const line = redactor(target())(text).replace(/\s+/g, " ").trim().slice(0, 300);
  return line === "" ? sentence : `${sentence}${sentence.endsWith("?") ? "" : "."} Answer: ${line}`;
}
