// The part of OAuth that interface 4.2, 4.3 and 5 fix for any server: two paths, a client named in a JSON body, a JWT as access token.

import { beforeEach, type TestContext } from "vitest";
import { mismatch } from "../client/check-answer.ts";
import { sendUnchecked } from "../client/http-client.ts";
import { clientOf, newGrant } from "../client/oauth/oauth-client.ts";
import { uncounted } from "../client/trace.ts";
import type { Reply } from "../contract/http-request.ts";
import { tried } from "../values/score.ts";
import { target } from "../values/target.ts";
import { excerptOf } from "./verdicts.ts";

export type AnyClient = { client_id: string; client_secret: string };

/** The client of this run; skips the test with a reason where there is none. */
export function anyClient(context: TestContext): AnyClient {
  const { client } = target();
  if (!client?.secret) return context.skip("not run: OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET are not set");
  return { client_id: client.id, client_secret: client.secret };
}

/** An access token that may create donations; for a server that is not ours, from the environment `variable`. */
export async function accessToken(context: TestContext, variable: "OAUTH_ACCESS_TOKEN" | "OAUTH_REVOCABLE_TOKEN"): Promise<string> {
  const { oauth } = target();
  if (oauth) return (await uncounted(() => newGrant(clientOf("confidential")))).access_token;
  return process.env[variable] || context.skip(`not run: ${variable} is not set`);
}

/** POST of this JSON text to an OAuth endpoint, without a credential in the header (interface 5.4). */
export function postAny(path: string, body: string): Promise<Reply> {
  tried("OAuth request");
  return sendUnchecked({ method: "POST", path, key: null, headers: { "Content-Type": "application/json" }, body });
}

/** Expects that there is such an endpoint; its absence is the failure of this rule alone. */
export async function expectEndpoint({ task }: TestContext, path: string): Promise<void> {
  const absent = await absenceOf(path);
  if (!absent) return;
  const others = testsIn((task.suite ?? task.file).tasks).filter(({ mode }) => mode !== "skip" && mode !== "todo").length - 1;
  const message = `${explainAbsence(path, absent)}${others > 0 ? `; ${others} ${others === 1 ? "rule that needs it was" : "rules that need it were"} not run` : ""}`;
  throw mismatch(message, { expected: `an endpoint at POST ${path}`, actual: excerptOf(absent) });
}

/** What the server answers where there is no such endpoint; null when there is one. */
async function absenceOf(path: string): Promise<Reply | null> {
  const [reply, unknown] = await Promise.all([postEmpty(path), postEmpty(`${path}-that-does-not-exist`)]);
  const isAbsent = [405, 501].includes(reply.status) || (reply.status === 404 && unknown.status === 404 && isAlike(reply, unknown));
  return isAbsent ? reply : null;
}

const explainAbsence = (path: string, { status }: Reply): string => `POST ${path} answers ${status}: the server does not have it`;

type Task = TestContext["task"]["file"]["tasks"][number];

const testsIn = (tasks: readonly Task[]): Task[] => tasks.flatMap((task) => ("tasks" in task ? testsIn(task.tasks) : [task]));

/** Skips the rules of a group, but for the first, when the endpoint is not there: one missing endpoint is one failure. */
export function skipWithout(path: string): void {
  let absence: Promise<Reply | null> | undefined;
  beforeEach(async (context) => {
    if (context.task.meta.existence) return;
    absence ??= uncounted(() => absenceOf(path));
    const absent = await absence;
    if (absent) context.skip(`not run: ${explainAbsence(path, absent)}`);
  });
}

declare module "vitest" {
  interface TaskMeta {
    existence?: true;
  }
}

/** Marks the rule that an endpoint exists. */
export const existence = { meta: { existence: true } } as const;

const postEmpty = (path: string): Promise<Reply> =>
  sendUnchecked({ method: "POST", path, key: null, headers: { "Content-Type": "application/json" }, body: "{}" });

/** Whether two answers differ in nothing but the path and ids in them; a server may answer 404 to an unknown client as well. */
const isAlike = (one: Reply, other: Reply): boolean => outlineOf(one) === outlineOf(other);

const outlineOf = ({ text }: Reply): string => text.replaceAll("-that-does-not-exist", "").replace(/[0-9a-f]{8,}(-[0-9a-f]+)*|\d+/gi, "#");
