// What a timer must show, computed a second time from the guide's words: by minutes that were granted and minutes that have run, over everything
// that happened, from the beginning.

import type { Schemas } from "../http/operations.ts";

/** `satang`: hundredths of a baht. */
export type Happening = Readonly<{ sequence: number; at: number }> &
  (
    | Readonly<{ kind: "donation"; id: string; satang: number; isTest: boolean; isImported: boolean }>
    | Readonly<{ kind: "void"; id: string }>
    | Readonly<{ kind: "start"; seconds: number }>
    | Readonly<{ kind: "adjust"; seconds: number }>
    | Readonly<{ kind: "rules"; rules: Schemas["TimerRules"] }>
    | Readonly<{ kind: "pause" | "resume" | "end" }>
  );

type Model = { status: "off" | "running" | "paused" | "ended"; granted: number; run: number; clock: number; given: Map<string, number> };

/** What is left and what the timer runs in all, in milliseconds, at `now`. */
export function modelTimer(happenings: readonly Happening[], rules: Schemas["TimerRules"], now: number) {
  const model: Model = { status: "off", granted: 0, run: 0, clock: 0, given: new Map() };
  let current = rules;
  for (const one of happenings.toSorted((a, b) => a.sequence - b.sequence)) {
    passTo(model, one.at);
    if (one.kind === "rules") current = one.rules;
    else happen(model, one, current);
  }
  passTo(model, now);
  return { status: model.status, remainingMs: model.granted - model.run, totalMs: model.granted };
}

function passTo(model: Model, time: number): void {
  const passed = Math.max(0, time - model.clock);
  model.clock += passed;
  if (model.status !== "running") return;
  model.run = Math.min(model.granted, model.run + passed);
  if (model.run === model.granted) model.status = "ended";
}

function happen(model: Model, one: Exclude<Happening, { kind: "rules" }>, rules: Schemas["TimerRules"]): void {
  const isOpen = model.status === "running" || model.status === "paused";
  if (one.kind === "start" && !isOpen)
    Object.assign(model, { status: "running", granted: one.seconds * 1000, run: 0, given: new Map() } satisfies Partial<Model>);
  if (!isOpen) return;
  if (one.kind === "pause") model.status = "paused";
  if (one.kind === "resume") model.status = "running";
  if (one.kind === "end") grant(model, Number.NEGATIVE_INFINITY, rules);
  if (one.kind === "adjust") grant(model, one.seconds * 1000, rules);
  if (one.kind === "void") grant(model, -(model.given.get(one.id) ?? 0), rules);
  if (one.kind === "donation") model.given.set(one.id, grant(model, worth(one, rules), rules));
}

/** Resolves to what was really granted. */
function grant(model: Model, wanted: number, { maximumSeconds }: Schemas["TimerRules"]): number {
  const ceiling = (maximumSeconds ?? 365 * 24 * 3600) * 1000;
  const granted =
    wanted > 0 ? Math.max(model.granted, Math.min(model.granted + wanted, ceiling)) : Math.max(model.run, model.granted + wanted);
  const by = granted - model.granted;
  model.granted = granted;
  if (model.granted === model.run) model.status = "ended";
  return by;
}

function worth({ satang, isTest, isImported }: Extract<Happening, { kind: "donation" }>, rules: Schemas["TimerRules"]): number {
  if (isTest && !rules.countTests) return 0;
  if (isImported && !rules.countImports) return 0;
  const [step] = rules.steps
    .map((one, place) => ({ ...one, place }))
    .filter(({ from }) => from * 100 <= satang)
    .sort((a, b) => b.from - a.from || b.place - a.place);
  if (!step) return 0;
  return step.per == null ? step.seconds * 1000 : Math.floor((satang * step.seconds * 10) / step.per);
}
