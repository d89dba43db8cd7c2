// Lists what a contract has that the one released last has not, and that the changelog does not name. Pure.

import { operationsOf } from "./deprecations.ts";

type Schema = { properties?: object; enum?: readonly unknown[] };
type Parameter = { name?: string; $ref?: string };
type Contract = { paths: object; components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> } };

/** Something new, in words, and the name that stands in the changelog. */
type Addition = Readonly<{ name: string; words: string }>;

/** What is new and not named, between backticks or quotation marks, in these lines of the changelog: operations, parameters, members and choices. */
export function unnoted(released: object, current: object, lines: readonly string[]): string[] {
  const quoted = [...lines.join("\n").matchAll(/`[^`]+`|"[^"]+"/g)].map(([text]) => text.slice(1, -1));
  const noted = new Set(quoted.flatMap((code) => [code, ...code.split(/[^\w]+/)]));
  const missing = additions(released as Contract, current as Contract).filter(({ name }) => !noted.has(name));
  return [...new Set(missing.map(({ words }) => words))].sort();
}

/** Of a new operation or schema only itself: what it consists of came with it. */
function additions(released: Contract, current: Contract): Addition[] {
  const [before, operations] = [operationsOf(released), operationsOf(current)];
  const [was, is] = [released.components.schemas, current.components.schemas];
  const shared = Object.keys(is).filter((schema) => schema in was);
  const of = (words: (name: string) => string, names: readonly string[], known: readonly string[]): Addition[] =>
    names.filter((name) => !known.includes(name)).map((name) => ({ name, words: words(name) }));
  return [
    ...of(
      (name) => `the operation ${name}`,
      operations.map((one) => one.operationId),
      before.map((one) => one.operationId),
    ),
    ...operations.flatMap((operation) => {
      const old = before.find(({ operationId }) => operationId === operation.operationId);
      return old
        ? of((name) => `the parameter ${name} of ${operation.operationId}`, parametersOf(operation, current), parametersOf(old, released))
        : [];
    }),
    ...shared.flatMap((schema) => [
      ...of((name) => `the member ${name} of ${schema}`, membersOf(is[schema]), membersOf(was[schema])),
      ...of((name) => `the value ${name} of ${schema}`, choicesOf(is[schema]), choicesOf(was[schema])),
    ]),
  ];
}

function parametersOf(operation: object, { components }: Contract): string[] {
  const { parameters = [] } = operation as { parameters?: readonly Parameter[] };
  return parameters.flatMap(({ name, $ref = "" }) => name ?? components.parameters?.[$ref.split("/").at(-1) ?? ""]?.name ?? []);
}

const membersOf = ({ properties = {} }: Schema = {}): string[] => Object.keys(properties);

const choicesOf = ({ enum: choices = [] }: Schema = {}): string[] => choices.map(String);
