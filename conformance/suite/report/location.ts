// The line of spec/ that a rule comes from. generated/locations.json has the lines of operations and their members.

import locations from "../../../generated/locations.json" with { type: "json" };
import { operationAt, operations } from "../contract/contract.ts";
import type { Rule } from "./run.ts";

type Location = { file: string; line: number };

const table: Record<string, { at: string; members: Record<string, string> }> = locations;

/** The operation of rules that name none, by their folder. That of webhooks says how deliveries to a receiver are signed. */
const defaults: Record<string, string> = { interface: "createDonation", receiver: "createWebhook" };

/** Rules that belong to no operation are about the service as a whole. */
const serviceAt: Location = { file: "spec/main.tsp", line: 1 };

/** Returns where spec/ states what the rule checks: the member that it is about, or else its operation, or else the service. */
export function locationOf(rule: Rule): Location {
  const operation = operationOf(rule);
  const { at, members = {} } = table[operation ?? ""] ?? {};
  const member = memberNames(rule).find((name) => name in members);
  const found = (member ? members[member] : undefined) ?? at;
  return found ? parse(found) : serviceAt;
}

/** The operation that the title, the name of the rule file or the decisive request names. */
function operationOf({ family, title, failure }: Rule): string | undefined {
  const [, titled = ""] = /^(\w+): /.exec(title) ?? [];
  const named = camelCase(family.split("/").at(-1) ?? "");
  const request = failure?.exchanges.find(({ decisive }) => decisive);
  const [method = "", path = ""] = request?.operation.split(" ") ?? [];
  const requested = operations.find((one) => one.method === method && one.path === path)?.id ?? operationAt(method, path)?.id;
  return [titled, named, requested, defaults[family.split("/")[0] ?? ""]].find((id) => id && id in table);
}

/** Members that the rule may be about, the likeliest first. */
function memberNames({ family, tried, failure }: Rule): string[] {
  const fields = Object.keys(tried).filter(Boolean);
  const names = [failure?.value?.split(" ")[0] ?? "", ...(fields.length === 1 ? fields : []), family.split("/").at(-1) ?? ""];
  return names.map((name) => camelCase(name.replace(/^\//, "").split("/")[0] ?? ""));
}

const camelCase = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function parse(at: string): Location {
  const [file = "", line = "1"] = at.split(":");
  return { file, line: Number(line) };
}
