// The cases of a derived rule: for each field of an operation, requests that keep the rule and that break it.

import { type Field, fieldsOf, type Inputs } from "../../contract/inputs.ts";
import type { Broken, Keyword } from "../../contract/shape.ts";
import { edgesOf } from "./edges.ts";
import { type Probe, probesOf } from "./probes.ts";
import { addressOf, type Base, brokenRules, type Parts, type Put, requestOf } from "./request.ts";
import { sampleOf } from "./samples.ts";

/** A request to send, and the rules of the contract that it breaks. */
export type Case = {
  /** Parameter name or JSON pointer of the value that is tried. */
  field: string;
  keyword: Keyword;
  edge: string;
  /** Description of the value. */
  name: string;
  parts: Parts;
  /** Broken rules. Empty: to be accepted. More than one only where no value breaks the rule alone. */
  broken: Broken[];
  put?: Put;
};

export type Cases = {
  cases: Case[];
  /** Edges that the contract has. */
  edges: string[];
  /** The edges that no case touches: a fault of the deriver. */
  missed: string[];
};

/** Maximum sizes of a case: longer ones would meet the limits of the body or the request line. */
const maxBodyBytes = 60_000;
const maxAddressLength = 7_000;

/** Every case of these rules in any field of an operation's query, headers and body. */
export function casesOf(inputs: Inputs, keywords: readonly Keyword[], base: Base): Cases {
  const fields = fieldsOf(inputs).filter((field) => field.in !== "path");
  const found = fields.map((field) => ofField(inputs, field, keywords, base));
  const extra = inputs.parametersAreSealed && keywords.some((keyword) => /Parameter$/.test(keyword)) ? parameterCases(inputs, base) : [];
  const cases = [...found.flatMap((one) => one.cases), ...extra.filter(({ keyword }) => keywords.includes(keyword))];
  const edges = found.flatMap((one) => one.edges);
  const hit = new Set(cases.map(edgeName));
  return { cases, edges: [...new Set(edges)], missed: edges.filter((edge) => !hit.has(edge)) };
}

export const edgeName = ({ field, edge }: Pick<Case, "field" | "edge">): string => `${field} ${edge}`;

function ofField(inputs: Inputs, field: Field, keywords: readonly Keyword[], base: Base): { cases: Case[]; edges: string[] } {
  const wanted = edgesOf(field, inputs.body?.emptyIsAbsent).filter(({ keyword }) => keywords.includes(keyword));
  const presence = keywords.includes("required") ? presenceProbes(field, base.seed) : [];
  const probes = [...probesOf(field.shape, keywords, base.seed), ...presence];
  const cases = fewestBrokenRules(probes.flatMap((probe) => caseOf(inputs, field, probe, base)));
  const needed = new Set(wanted.map(({ edge }) => edge));
  return {
    cases: distinct(cases.filter(({ broken, edge }) => broken.length <= 1 || needed.has(edge))),
    edges: wanted.map(({ edge }) => edgeName({ field: field.label || "the body", edge })),
  };
}

function presenceProbes({ required, path, shape }: Field, seed: number): Probe[] {
  if (path.at(-1) === 0) return [];
  const edge = `left out: ${required ? "refused" : "accepted"}`;
  return [
    { keyword: "required", edge, name: "nothing", json: null },
    { keyword: "required", edge: "there: accepted", name: "a value like its example", json: JSON.stringify(sampleOf(shape, seed)) },
  ];
}

/** The case of a probe; none if it cannot be sent or does not break the intended rule. */
function caseOf(inputs: Inputs, field: Field, probe: Probe, base: Base): Case[] {
  const { keyword, name } = probe;
  const whole = field.in === "body" && field.path.length === 0;
  if (whole && probe.json === null) return [];
  const untouched = whole && /accepted$/.test(probe.edge);
  const put: Put = { field, json: probe.json, beside: probe.edge === "there: accepted" };
  const parts = requestOf(inputs, { ...base, fullest: keyword === "required" && field.in === "body" }, untouched ? [] : [put]);
  if (!isSendable(inputs, parts)) return [];
  const broken = brokenRules(inputs, parts);
  const edge = field.in !== "body" && keyword === "type" && broken.length > 0 ? "not even of the type: refused" : probe.edge;
  const accepted = /accepted$/.test(edge);
  const isAsIntended = accepted
    ? broken.length === 0
    : broken.some((one) => one.keyword === keyword) && broken.every((one) => concernsField(field, one));
  return isAsIntended ? [{ field: field.label || "the body", keyword, edge, name, parts, broken, put }] : [];
}

/** Whether the fault is at the field itself or at an unknown member of it. */
const concernsField = (field: Field, { at, keyword }: Broken): boolean =>
  at === field.label || (keyword === "additionalProperties" && isDirectlyBelow(at, field));

const isDirectlyBelow = (at: string, { label }: Field): boolean => at.startsWith(`${label}/`) && !at.slice(label.length + 1).includes("/");

function isSendable(inputs: Inputs, parts: Parts): boolean {
  const printable = Object.values(parts.headers).every((text) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text));
  const short = addressOf(inputs, parts).length <= maxAddressLength;
  return printable && short && Buffer.byteLength(parts.body ?? "") <= maxBodyBytes;
}

/** For each edge the cases that break the fewest rules: one, wherever a rule can be broken alone. */
function fewestBrokenRules(cases: readonly Case[]): Case[] {
  const fewest = new Map<string, number>();
  for (const { edge, broken } of cases) fewest.set(edge, Math.min(fewest.get(edge) ?? Number.POSITIVE_INFINITY, broken.length));
  return cases.filter(({ edge, broken }) => broken.length === fewest.get(edge));
}

function distinct(cases: readonly Case[]): Case[] {
  return [...new Map(cases.map((one) => [`${one.edge} ${JSON.stringify(one.parts)}`, one])).values()];
}

/** Cases of unknown parameters and of repeated ones. */
function parameterCases(inputs: Inputs, base: Base): Case[] {
  const parts = requestOf(inputs, base);
  const names = inputs.parameters.filter((one) => one.in === "query").map(({ name }) => name);
  const misspelt = names.flatMap((name) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, `${name}[]`, `_${name}`, `${name} `]);
  const strangers = ["unknown", "__proto__", "constructor", "access_token", "", ...misspelt].filter((name) => !names.includes(name));
  const unknown = strangers.map((name) => ({
    field: "a parameter that nobody knows",
    keyword: "unknownParameter" as const,
    name,
    added: [[name, "1"]],
  }));
  const twice = fieldsOf(inputs)
    .filter(({ in: where, shape, path }) => where === "query" && path.length === 0 && !shape.items)
    .map((field) => {
      const [first = [field.name, "1"]] = requestOf(inputs, { ...base, fullest: true }).query.filter(([name]) => name === field.name);
      const already = parts.query.some(([name]) => name === field.name);
      return { field: field.name, keyword: "repeatedParameter" as const, name: "said twice", added: already ? [first] : [first, first] };
    });
  return [...unknown, ...twice].map(({ added, ...one }) => {
    const query = [...parts.query, ...(added as [string, string][])];
    return {
      ...one,
      edge: `${one.keyword === "repeatedParameter" ? "said twice" : "unknown"}: refused`,
      parts: { ...parts, query },
      broken: brokenRules(inputs, { ...parts, query }),
    };
  });
}
