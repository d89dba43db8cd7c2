// The suite deletes only those webhooks and alert files that the answers to its own requests named, also after it was killed.

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { announce, noteAnswer, notedIn } from "../../suite/client/protection/own.ts";
import { type Target, useTarget } from "../../suite/values/target.ts";
import { conformance, serving, startPackage } from "./command.ts";
import { type ServerInUse, startServerInUse } from "./server-in-use.ts";

const webhooks = "/api/v1/webhooks";

describe("what a run notes of its webhooks and alert files", () => {
  let file = "";
  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), "namjai-own-objects-"));
    file = join(folder, "objects");
    useTarget({ keys: { main: "key", other: "other key" } } as Target);
    onTestFinished(() => rmSync(folder, { recursive: true }));
  });

  const answer = (status: number, id?: unknown) => ({ status, body: id === undefined ? undefined : { data: { id } } });
  const sent = (method: string, path: string, reply: { status: number; body: unknown }, key?: string) =>
    noteAnswer(file, announce(file, { method, path, ...(key === undefined ? {} : { key }) }), reply);
  const create = (reply: { status: number; body: unknown }) => sent("POST", webhooks, reply);
  const ids = () => {
    const { made, gone } = notedIn(file);
    return [...made].filter((path) => !gone.has(path)).map((path) => path.slice(webhooks.length + 1));
  };
  const unanswered = () => notedIn(file).unanswered.size;

  test("an answer that names an id makes the webhook the suite's own, and one that refuses the request makes none", () => {
    create(answer(201, "a"));
    for (const status of [400, 409, 422, 429]) create(answer(status, "b"));
    expect([ids(), unanswered()]).toEqual([["a"], 0]);
  });

  test("nobody knows what a request has created that has no answer, an answer 5xx, or one without an id that can be used", () => {
    announce(file, { method: "POST", path: webhooks });
    for (const reply of [answer(500), answer(503, "a"), answer(201), answer(201, 1), answer(201, "../donations")]) create(reply);
    expect([ids(), unanswered()]).toEqual([[], 6]);
  });

  test("a webhook is deleted by 204, and by 404 only to the key that created it: to others it never existed", () => {
    for (const id of ["a", "b", "c"]) create(answer(201, id));
    sent("DELETE", `${webhooks}/a`, answer(204));
    sent("DELETE", `${webhooks}/b`, answer(404), "other key");
    sent("DELETE", `${webhooks}/c`, answer(404));
    expect(ids()).toEqual(["b"]);
  });

  test("a line that a crash has cut off is passed over", () => {
    create(answer(201, "a"));
    announce(file, { method: "POST", path: webhooks });
    appendFileSync(file, '{"settled":"1","created":"/api/v1/web');
    expect([ids(), unanswered()]).toEqual([["a"], 1]);
    appendFileSync(file, "\n"); // as the next run does
    create(answer(201, "b"));
    expect([ids(), unanswered()]).toEqual([["a", "b"], 1]);
  });
});

let server: ServerInUse;

beforeAll(async () => {
  server = await startServerInUse();
  return server.stop;
}, 400_000);

const timeoutMs = 600_000;
const kinds = [
  { one: "a webhook", list: webhooks, rules: "createWebhook reads a body of type application/json" },
  { one: "an alert file", list: "/api/v1/alert-files", rules: "uploadAlertFile reads a body of type audio/wav" },
] as const;
type Kind = (typeof kinds)[number];

const idsOf = async (list: string): Promise<string[]> =>
  ((await server.ask("GET", list)) as unknown as { id: string }[]).map(({ id }) => id);
const words = (url: string, { rules }: Kind): string[] => ["--url", url, "--seed", "7", "--only", rules];

/** Passes requests on. `onCreated` is called after each object that the suite has created, before its answer is passed back. */
const relaying = ({ list }: Kind, onCreated: () => Promise<void>): Promise<string> =>
  serving(async (request, response, body) => {
    const isCreating = request.method === "POST" && request.url?.split("?")[0] === list;
    await server.relay({ request, body }, response, async (status) => {
      if (isCreating && status === 201) await onCreated();
    });
  });

describe.each(kinds)("$one", (kind) => {
  test(
    `${kind.one} that somebody else creates while a rule runs stays, and those of the suite are deleted`,
    async () => {
      let others = 0;
      const before = await idsOf(kind.list);
      const url = await relaying(kind, async () => {
        others += 1;
        if (others === 1) await server.create(kind.list);
      });
      const { output } = await conformance(words(url, kind), server.env);
      const added = (await idsOf(kind.list)).filter((id) => !before.includes(id));
      expect([others > 1, added], output).toEqual([true, [expect.any(String)]]);
      for (const id of added) await server.remove(kind.list, id);
    },
    timeoutMs,
  );

  test(
    `${kind.one} of a run that was killed is deleted by the next run, but not one whose answer the killed run did not see`,
    async () => {
      const before = await idsOf(kind.list);
      let answers = 0;
      let seen: string[] = [];
      const url = await relaying(kind, async () => {
        answers += 1;
        if (answers === 1) seen = (await idsOf(kind.list)).filter((id) => !before.includes(id));
        else run.child.kill("SIGKILL");
      });
      const run = startPackage(words(url, kind), server.env);
      await run.ended;
      const left = (await idsOf(kind.list)).filter((id) => !before.includes(id));
      expect([seen.length, left.length]).toEqual([1, 2]);
      const texts = readdirSync(server.state).map((name) => readFileSync(join(server.state, name), "utf8"));
      for (const key of Object.values(server.served.keys)) expect(texts.join("\n")).not.toContain(key);
      const { output } = await conformance(["--url", url, "--seed", "7", "--only", "each key names its own application"], server.env);
      expect(output).toContain(`deleted: ${kind.list}/${seen[0]} of an earlier run (main)`);
      expect(output).toMatch(new RegExp(`WARNING: .*nobody has seen the answer to POST ${kind.list} of `));
      expect((await idsOf(kind.list)).filter((id) => !before.includes(id))).toEqual(left.filter((id) => !seen.includes(id)));
      expect(readdirSync(server.state)).toEqual([]);
      for (const id of left) if (!seen.includes(id)) await server.remove(kind.list, id);
    },
    timeoutMs,
  );
});

const files = kinds[1];

test(
  "a sound server that stores no refused file passes, although somebody else uploads one meanwhile",
  async () => {
    const others: string[] = [];
    const url = await serving(async (request, response, body) => {
      await server.relay({ request, body }, response, async (status) => {
        if (request.method === "POST" && status === 415) others.push((await server.create(files.list)).id);
      });
    });
    const only = "a file is refused with unsupported_media_type when its content is HTML";
    const { code, output } = await conformance(["--url", url, "--only", only], server.env);
    expect([code, others.length], output).toEqual([0, 2]);
    for (const id of others) await server.remove(files.list, id);
  },
  timeoutMs,
);

test(
  "rules that upload files are not run where the streamer has no room for another one, and say so",
  async () => {
    const others: string[] = [];
    while ((await idsOf(files.list)).length < 200) others.push((await server.create(files.list)).id);
    const filled = await idsOf(files.list);
    const { code, output } = await conformance(["--url", server.served.url, "--only", "/^alerts.alert-files$/"], server.env);
    expect([code, output]).toEqual([0, expect.stringMatching(/\d+ rules +the streamer has no room for another alert file/)]);
    expect(await idsOf(files.list)).toEqual(filled);
    for (const id of others) await server.remove(files.list, id);
  },
  timeoutMs,
);
