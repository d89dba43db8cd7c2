// Lists what a new version of the contract breaks for clients of the old one. Pure.

import { type Change, codesIn, type Document, type Schema, type Side, schemaChanges } from "./schemas.ts";

/** A breaking change in words, such as `createDonation request/message: maxLength was 255 and is 200`. */
type BreakingChange = string;

type Parameter = { name: string; in: string; required?: boolean; schema: unknown };
type Shared<Part> = Part | { $ref: string };
type Header = { required?: boolean; schema: unknown };
type Response = { headers?: Record<string, Shared<Header>>; content?: Content };
type Operation = {
  operationId: string;
  parameters?: Shared<Parameter>[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Shared<Response>>;
  "x-deprecation"?: { sunset: string };
  "x-rate-limit"?: string;
  security?: Record<string, string[]>[];
};

type Pair = { old: Document; new: Document };

/** Every breaking change from the old contract to the new one, sorted. */
export function breakingChanges(old: Document, now: Document): BreakingChange[] {
  const documents = { old, new: now };
  const after = operationsOf(now);
  const changes = [...operationsOf(old)].flatMap(([place, before]) => {
    const found = after.get(place);
    return found ? operationChanges(before, found, documents) : [`${before.operationId}: ${place} was removed`];
  });
  return [...new Set([...changes, ...webhookChanges(documents), ...limitChanges(old, now)])].sort();
}

/** Says how many operations of the present contract were compared, and how many nobody has released yet. */
export function describeCompared(old: Document, now: Document): string {
  const [before, after] = [operationsOf(old), operationsOf(now)];
  const unreleased = [...after.keys()].filter((place) => !before.has(place)).length;
  return unreleased === 0
    ? `all ${after.size} operations were compared`
    : `${after.size - unreleased} of ${after.size} operations were compared, and ${unreleased} not released yet were not`;
}

function operationsOf(document: Document): Map<string, Operation> {
  const paths = document.paths as Record<string, Record<string, Operation>>;
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, node]) => node.operationId)
        .map(([method, node]) => [`${method.toUpperCase()} ${path}`, node] as const),
    ),
  );
}

type Webhook = Required<Pick<Operation, "requestBody" | "parameters">>;

/** Receivers read what the server sends, so its requests are compared like answers. */
function webhookChanges(documents: Pair): string[] {
  const of = (document: Document) => (document.webhooks ?? {}) as Record<string, { post: Webhook }>;
  const after = of(documents.new);
  return Object.entries(of(documents.old)).flatMap(([type, { post: was }]) => {
    const is = after[type]?.post;
    if (!is) return [`webhook ${type}: was removed`];
    const headers = parametersOf(is, documents.new);
    const gone = [...parametersOf(was, documents.old).keys()].filter((place) => !headers.get(place)?.required);
    const contents = { before: was.requestBody.content, after: is.requestBody.content };
    const lines = [...gone.map((place) => `${place}: can now be missing`), ...contentChanges("body", contents, documents, "response")];
    return lines.map((line) => `webhook ${type} ${line}`);
  });
}

function operationChanges(before: Operation, after: Operation, documents: Pair): string[] {
  const lines = [
    ...(before.operationId === after.operationId ? [] : [`was renamed to ${after.operationId}`]),
    ...sunsetChanges(before, after),
    ...bucketChanges(before, after, documents),
    ...securityChanges(before, after),
    ...parameterChanges(before, after, documents),
    ...bodyChanges(before, after, documents),
    ...responseChanges(before, after, documents),
  ];
  return lines.map((line) => `${before.operationId} ${line}`);
}

/** Clients rely on the announced day, so it must not become earlier. */
function sunsetChanges({ "x-deprecation": before }: Operation, { "x-deprecation": after }: Operation): string[] {
  return before && after && after.sunset < before.sunset ? [`sunset: was ${before.sunset} and is ${after.sunset}`] : [];
}

/** A credential that was sufficient must stay sufficient. */
function securityChanges(before: Operation, after: Operation): string[] {
  const needs = (operation: Operation) => Object.fromEntries((operation.security ?? []).flatMap((one) => Object.entries(one)));
  const was = needs(before);
  const is = needs(after);
  if (Object.keys(is).length === 0) return [];
  if (Object.keys(was).length === 0) return ["security: now requires a credential"];
  return Object.entries(was).flatMap(([scheme, scopes]) =>
    is[scheme]
      ? is[scheme].filter((scope) => !scopes.includes(scope)).map((scope) => `security: now requires ${scope}`)
      : [`security: no longer accepts ${scheme}`],
  );
}

function parameterChanges(before: Operation, after: Operation, documents: Pair): string[] {
  const was = parametersOf(before, documents.old);
  const is = parametersOf(after, documents.new);
  const lines = [...was].flatMap(([place, parameter]) => {
    const found = is.get(place);
    if (!found) return [`${place}: was removed`];
    return toLines(schemaChanges({ before: parameter.schema, after: found.schema, at: place }, { ...documents, side: "request" }));
  });
  const newlyRequired = [...is]
    .filter(([place, { required }]) => required && !was.get(place)?.required)
    .map(([place]) => `${place}: is now required`);
  return [...lines, ...newlyRequired];
}

function parametersOf({ parameters = [] }: Pick<Operation, "parameters">, document: Document): Map<string, Parameter> {
  const all = parameters.map((parameter) => resolve(parameter, document));
  return new Map(all.map((parameter) => [`${parameter.in} parameter ${parameter.name}`, parameter]));
}

function resolve<Part extends object>(part: Shared<Part>, document: Document): Part {
  if (!("$ref" in part)) return part;
  const names = part.$ref.slice(2).split("/");
  return names.reduce<unknown>((node, name) => (node as Document)[name.replaceAll("~1", "/")], document) as Part;
}

function bodyChanges(before: Operation, after: Operation, documents: Pair): string[] {
  if (!after.requestBody) return before.requestBody ? ["request: was removed"] : [];
  if (!before.requestBody) return after.requestBody.required ? ["request: a body is now required"] : [];
  return [
    ...(after.requestBody.required && !before.requestBody.required ? ["request: a body is now required"] : []),
    ...contentChanges("request", { before: before.requestBody.content, after: after.requestBody.content }, documents, "request"),
  ];
}

function responseChanges(before: Operation, after: Operation, documents: Pair): string[] {
  return Object.entries(before.responses).flatMap(([status, part]) => {
    // An error status that no longer occurs breaks no client.
    if (!after.responses[status]) return /^[23]/.test(status) ? [`${status}: was removed`] : [];
    const [was, is] = [resolve(part, documents.old), resolve(after.responses[status], documents.new)];
    return [
      ...headerChanges(status, { was, is }, documents),
      ...codeChanges(status, { before: was.content ?? {}, after: is.content ?? {} }, documents),
      ...contentChanges(status, { before: was.content ?? {}, after: is.content ?? {} }, documents, "response"),
    ];
  });
}

/** Programs decide by codes: one that is answered no more breaks them where a new one has come instead. */
function codeChanges(status: string, { before, after }: Contents, documents: Pair): string[] {
  if (/^[23]/.test(status)) return [];
  return Object.entries(before).flatMap(([type, { schema }]) => {
    const was = codesIn(schema, documents.old);
    const is = codesIn(after[type]?.schema, documents.new);
    const added = is.filter((code) => !was.includes(code));
    const gone = was.filter((code) => !is.includes(code));
    return added.length > 0 ? gone.map((code) => `${status}: the code "${code}" was removed or renamed; new: ${quoted(added)}`) : [];
  });
}

const quoted = (values: readonly string[]): string => values.map((value) => `"${value}"`).join(", ");

function headerChanges(status: string, { was, is }: { was: Response; is: Response }, documents: Pair): string[] {
  return Object.entries(was.headers ?? {}).flatMap(([name, part]) => {
    const found = is.headers?.[name];
    if (!found) return [`${status} header ${name}: was removed`];
    const stays = !resolve(part, documents.old).required || resolve(found, documents.new).required;
    return stays ? [] : [`${status} header ${name}: can now be missing`];
  });
}

type Media = { schema: unknown };
type Content = Record<string, Media>;
type Contents = { before: Content; after: Content };

/** Of a stream the schema of an item. */
const schemaOf = ({ schema }: Media): unknown => (schema as { contentSchema?: unknown }).contentSchema ?? schema;

function contentChanges(at: string, { before, after }: Contents, documents: Pair, side: Side): string[] {
  return Object.entries(before).flatMap(([type, media]) => {
    const found = after[type];
    if (!found) return [`${at}: ${type} was removed`];
    return toLines(
      schemaChanges({ before: schemaOf(media), after: schemaOf(found), at }, { ...documents, side }).filter(
        (change) => !isNewCode(change, documents.new) && !isNewScope(change, documents.new) && !isNewEvent(change, documents.new),
      ),
    );
  });
}

/** New problem codes, and codes of faults, may be added at any time (spec/errors.tsp), so a new one breaks nothing. */
function isNewCode({ at, what }: Change, now: Document): boolean {
  if (!/^([45]\d\d|default)/.test(at)) return false;
  if (/\/errors\/\*\/code$/.test(at)) return addedValue(what) !== null;
  return /^[^/]*\/code$/.test(at) && isNameOf(what, now["x-problems"]);
}

/** New scopes may be added at any time: a credential has only those that it was given. */
function isNewScope({ at, what }: Change, now: Document): boolean {
  return /\/(scopes|requiredScopes|scopes_supported)\/\*$/.test(at) && isNameOf(what, now["x-scopes"]);
}

/** New types of events may be added at any time (spec/events.tsp): clients ignore those that they do not know. */
function isNewEvent({ at, what }: Change, now: Document): boolean {
  const { EventType, Event } = ((now.components as Document | undefined)?.schemas ?? {}) as Record<string, Schema | undefined>;
  const types = (EventType?.enum ?? []) as string[];
  const models = ((Event?.anyOf ?? []) as { $ref: string }[]).map(({ $ref }) => `can now be ${$ref}`);
  return models.includes(what) || (/\/(type|types\/\*|event)$/.test(at) && types.includes(addedValue(what) ?? ""));
}

/** Whether the change allows a name of the table, and not another type or any text. */
function isNameOf(what: string, table: unknown): boolean {
  const value = addedValue(what);
  return value !== null && Object.hasOwn((table ?? {}) as object, value);
}

const addedValue = (what: string): string | null => /^can now be "([^"]*)"$/.exec(what)?.[1] ?? null;

function toLines(changes: Change[]): string[] {
  return changes.map(({ at, what }) => `${at}: ${what}`);
}

/** Rate limits that allow fewer requests than before. */
function limitChanges(old: Document, now: Document): string[] {
  return Object.entries(limitsOf(old)).flatMap(([name, before]) =>
    isTighter(before, limitsOf(now)[name]) ? [`rate limit ${name}: allows fewer requests`] : [],
  );
}

/** An operation that is counted in another bucket. */
function bucketChanges({ "x-rate-limit": was = "" }: Operation, { "x-rate-limit": is = "" }: Operation, documents: Pair): string[] {
  const [before, after] = [limitsOf(documents.old)[was], limitsOf(documents.new)[is]];
  return was !== is && before && isTighter(before, after) ? [`rate limit: was ${was} and is ${is}, which allows fewer requests`] : [];
}

const limitsOf = (document: Document) => (document["x-rate-limits"] ?? {}) as Record<string, Schema>;

function isTighter(before: Schema, after: Schema | undefined): boolean {
  const rate = (limit: Schema) => Number(limit.quota) / Number(limit.window);
  return after !== undefined && (rate(after) < rate(before) || Number(after.burst) < Number(before.burst));
}
