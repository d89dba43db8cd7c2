import { beforeEach, describe, expect, test } from "vitest";
import { readerFaults } from "../../spec/check/operations.ts";
import { create, type Donation, expectNone, get, post, problemOf, readDonation, recorded, replayed } from "../suite/client/api.ts";
import { send } from "../suite/client/http-client.ts";
import { exported } from "../suite/client/workbook.ts";
import { contract, type Schema } from "../suite/contract/contract.ts";
import { answerTo, parseDateTime } from "../suite/contract/date-time.ts";
import type { Reply } from "../suite/contract/http-request.ts";
import {
  donatorTextsOf,
  type Member,
  membersOf,
  oneValue,
  type Reading,
  type Recorded,
  readers,
  severalColumns,
  specials,
  titleOf,
  twoValues,
  valuesOf,
  withoutColumn,
} from "../suite/models/derive/members.ts";
import { type Body, donation, freshIdentifier, freshKey } from "../suite/values/donations.ts";
import { about } from "../suite/values/score.ts";
import { target } from "../suite/values/target.ts";

// Compares what each operation answers of a donation with what was recorded.

/** Describes where a member of a recorded donation is answered wrongly; empty when every operation answers `wanted`. */
async function wrongReadings(member: string, recorded: Recorded, wanted: unknown): Promise<string[]> {
  const read = Object.entries(readers).filter(([operation]) => !(operation === "exportDonations" && member in withoutColumn));
  const again = replayed(await create(recorded.sent));
  const readings: [operation: string, reading: Reading][] = [
    ["createDonation", valueIn(recorded.donation, member)],
    ["createDonation, sent again,", valueIn(again, member)],
    ...(await Promise.all(
      read.map(async ([operation, reader]): Promise<[string, Reading]> => [operation, await reader(recorded, member)]),
    )),
  ];
  const wrong = readings.filter(([operation, reading]) => !agrees(operation, reading, wanted));
  if (wrong.length === 0) return [];
  const lines = wrong.map(
    ([operation, reading]) => `${operation} ${"missing" in reading ? reading.missing : `answers ${JSON.stringify(reading.value)}`}`,
  );
  return [
    `${summary(
      member,
      wrong.map(([operation]) => operation),
      readings.length,
    )}: wanted ${JSON.stringify(wanted)}`,
    ...lines,
  ];
}

const valueIn = (donation: Donation, member: string): Reading =>
  member in donation ? { value: (donation as { [member: string]: unknown })[member] } : { missing: "answers the donation without it" };

/** An empty cell stands for null and for "". */
function agrees(operation: string, reading: Reading, wanted: unknown): boolean {
  if ("missing" in reading) return false;
  const shown = operation === "exportDonations" ? (wanted ?? "") : wanted;
  return JSON.stringify(reading.value) === JSON.stringify(shown);
}

function summary(member: string, wrong: string[], all: number): string {
  if (wrong.length === all) return `${member} is not stored`;
  if (!wrong.includes("createDonation") && wrong.length === all - 1) return `${member} is not stored, or not read`;
  if (wrong.length === 1 && wrong[0] === "exportDonations") return `${member} is not exported`;
  return `${member} is not read everywhere`;
}

// Donations that differ in one member, and how the server must compare them.

/** A valid body that its identifier finds again, without an alert; a value that is undefined leaves the member out. */
const bodyWith = ({ name }: Member, value: unknown): Body =>
  donation({
    skipAlert: true,
    identifier: freshIdentifier(),
    idempotencyKey: freshKey(),
    createdAt: "2026-11-20T12:30:00Z",
    [name]: value,
  });

/** The expected member of the record: an instant in UTC; the default for a value that means "not set" or was left out. */
function answered({ shape, fallback, special }: Member, value: unknown, record: Donation): unknown {
  if (value === undefined || value === special?.none) return special?.absent ? memberOf(record, special.absent) : (fallback ?? null);
  const time = shape.format === "date-time" && typeof value === "string" ? parseDateTime(value) : null;
  return time ? answerTo(time) : value;
}

const memberOf = (record: Donation, member: string): unknown => (record as { [member: string]: unknown })[member];

/** Expects one value and then the other under one idempotency key to be a conflict, in both orders. */
async function expectConflict(member: Member, one: unknown, other: unknown): Promise<void> {
  for (const [first, second] of bothOrders(one, other)) {
    const { again } = await inTurn(member, first, second);
    const fault = `${member.name} is not compared: ${show(first)} and then ${show(second)} under one idempotency key must be refused`;
    if (again.status !== 422) throw new Error(`${fault}, and was answered ${again.status}`);
    expect(problemOf(again).code, fault).toBe("idempotency_key_reused");
  }
}

/** Expects one value and then the other under one idempotency key to be the same donation, in both orders. */
async function expectSame(member: Member, one: unknown, other: unknown): Promise<void> {
  for (const [first, second] of bothOrders(one, other)) {
    const { record, again } = await inTurn(member, first, second);
    const fault = `${member.name} ${show(first)} and ${show(second)} mean the same: the second under one idempotency key must be a replay`;
    if (again.status !== 200) throw new Error(`${fault}, and was answered ${again.status}`);
    expect(replayed(again)).toEqual(record);
  }
}

async function inTurn(member: Member, first: unknown, second: unknown): Promise<{ record: Donation; again: Reply }> {
  const body = bodyWith(member, first);
  return { record: recorded(await create(body)), again: await create({ ...body, [member.name]: second }) };
}

const bothOrders = (one: unknown, other: unknown): [unknown, unknown][] => [
  [one, other],
  [other, one],
];

const show = (value: unknown): string => (value === undefined ? "left out" : JSON.stringify(value));

// Every member of createDonation's body is stored, read, compared and exported. A new member of the contract is tried without a line
// here, and the failure names the places that miss it.

const members = membersOf();
const donatorTexts = donatorTextsOf();
const membersWhere = (fit: (member: Member) => boolean): { name: string; member: Member }[] =>
  members.filter(fit).map((member) => ({ name: member.name, member }));
const optional = membersWhere(({ required }) => !required);
const two = (member: Member): [unknown, unknown] => twoValues(member, target().seed);

beforeEach(({ task }) => about(members.find(({ name }) => task.name.startsWith(`${name}:`))?.name ?? ""));

test.for(membersWhere(() => true))(
  "$name: every operation that answers donations answers what createDonation was sent",
  async ({ member }) => {
    const value = oneValue(member, target().seed);
    const sent = bodyWith(member, value);
    const donation = recorded(await create(sent));
    const faults = await wrongReadings(member.name, { donation, sent }, answered(member, value, donation));
    expectNone(faults);
  },
);

test.for(membersWhere(() => true))("$name: each of many donations recorded at once keeps its own value", async ({ member }) => {
  const some = (): unknown[] => (member.special?.single ? [oneValue(member, target().seed)] : two(member));
  const values = Array.from({ length: 8 }).flatMap(() => [...some(), ...(member.required ? [] : [undefined])]);
  const records = await Promise.all(values.map(async (value) => recorded(await create(bodyWith(member, value)))));
  const read = await Promise.all(records.map(async ({ id }) => readDonation(await get(id))));
  const wanted = values.map((value, index) => answered(member, value, records[index] as Donation));
  const answers = (some: Donation[]): unknown[] => some.map((record) => memberOf(record, member.name));
  expect(answers(records), `createDonation mixes up ${member.name} of donations recorded at once`).toEqual(wanted);
  expect(answers(read), `getDonation answers another ${member.name} than createDonation was sent`).toEqual(wanted);
});

test.for(optional)("$name: when left out, the contract's default is answered, or null where there is none", async ({ member }) => {
  const record = recorded(await create(bodyWith(member, undefined)));
  for (const one of [record, readDonation(await get(record.id))])
    expect(memberOf(one, member.name)).toEqual(answered(member, undefined, record));
});

test.for(membersWhere(({ special }) => !special?.identifies && !special?.single))(
  "$name: the same idempotency key with another value is refused with idempotency_key_reused",
  ({ member }) => expectConflict(member, ...two(member)),
);

test.for(membersWhere(({ required, special }) => !required && !special?.identifies && !special?.single))(
  "$name: the same idempotency key with a value, and with the member left out, is refused with idempotency_key_reused",
  ({ member }) => expectConflict(member, oneValue(member, target().seed), undefined),
);

test.for(membersWhere(({ fallback }) => fallback !== undefined))(
  "$name: the same idempotency key with the default, and with the member left out, records one donation",
  ({ member }) => expectSame(member, member.fallback, undefined),
);

test.for(membersWhere(({ special }) => special?.none !== undefined))(
  '$name: a value that means "not set" is answered as null and equals leaving the member out',
  async ({ member }) => {
    expect(memberOf(recorded(await create(bodyWith(member, member.special?.none))), member.name)).toBeNull();
    await expectSame(member, member.special?.none, undefined);
  },
);

test.for(membersWhere(({ name }) => donatorTexts.includes(name)))(
  "$name: what the donator wrote in it is gone when the donator was erased",
  async ({ member }) => {
    const value = oneValue(member, target().seed);
    const sent = bodyWith(member, value);
    const { id } = recorded(await create(sent));
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ identifier: sent.identifier });
    const reply = await send({ method: "POST", path: "/api/v1/donators/erase", headers, body });
    expect(reply.status, reply.text).toBe(200);
    const left = memberOf(readDonation(await get(id)), member.name);
    expect(left, `eraseDonator leaves ${member.name}, which the contract marks by x-donator-text as written by donators`).not.toEqual(
      value,
    );
  },
);

describe("the suite's own tables", () => {
  test("every operation that answers donations is read by these rules or has a written reason why not", () => expectNone(readerFaults()));

  test("every column of the export belongs to a member of Donation", async () => {
    const { identifier } = await post({ identifier: specials.identifier?.values?.()[0] });
    const { rows } = await exported({ identifier: identifier ?? "" });
    const { properties } = (contract.components as { schemas: { [name: string]: Schema } }).schemas.Donation as { properties: object };
    const titles = Object.keys(properties).flatMap((member) => severalColumns[member] ?? titleOf(member));
    const strange = Object.keys(rows[0] ?? {}).filter((title) => !titles.includes(title));
    expectNone(strange.map((title) => `the export has a column "${title}" that conformance/suite/models/derive/members.ts does not know`));
    const needless = Object.keys(withoutColumn).filter((member) => titleOf(member) in (rows[0] ?? {}));
    expectNone(
      needless.map((member) => `${member} has a column now: take it off withoutColumn in conformance/suite/models/derive/members.ts`),
    );
  });

  test("every special member exists in the contract, and has several values unless it is marked as having one", () => {
    const names = members.map(({ name }) => name);
    const file = "conformance/suite/models/derive/members.ts";
    expectNone(
      Object.keys(specials).flatMap((name) => (names.includes(name) ? [] : [`${name} is no member any more: take it out of ${file}`])),
    );
    const several = members.filter((one) => one.special?.single && valuesOf(one, target().seed).length > 1).map(({ name }) => name);
    expectNone(several.map((name) => `${name} has several values now: take \`single\` off in ${file}`));
  });

  test.each<[string, Schema, unknown[]]>([
    ["a text with bounds", { type: "string", minLength: 1, maxLength: 3 }, ["xxx", "😀😀😀"]],
    ["a truth value", { type: "boolean", default: false }, [true, false]],
    ["a number", { type: "number", minimum: 0 }, [20, 1]],
    ["a choice", { type: "string", enum: ["a", "b"], default: "a" }, ["b", "a"]],
    ["a date-time", { type: "string", format: "date-time" }, ["2026-11-20T19:30:00+07:00", "2024-03-15T12:30:00.250Z"]],
  ])("a new member that is %s gets two values without a line in the suite's table, the default last", (_, schema, values) =>
    expect(two(newMember(schema))).toEqual(values),
  );

  test("a list, an object and a nullable text that contain what donators write are found by the rule of erasure", () => {
    const text = { type: "string", "x-donator-text": true };
    const properties = {
      tags: { type: "array", items: { $ref: "#/components/schemas/text" } },
      place: { type: "object", properties: { city: text } },
      maybe: { anyOf: [text, { type: "null" }] },
      own: { type: "array", items: { type: "string", "x-donator-text": false } },
    };
    const found = donatorTextsOf({ components: { schemas: { text, ExternalDonation: { type: "object", properties } } } });
    expect(found).toEqual(["tags", "place", "maybe"]);
  });

  test("a new member whose schema gives no two values is reported with the place to add them", () =>
    expect(() => two(newMember({ type: "string", enum: ["one"] }))).toThrow(
      /no two values of the member note: add a line to specials in conformance\/suite\/models\/derive\/members\.ts/,
    ));
});

/** The member `note` of a contract whose createDonation takes it. */
function newMember(note: Schema): Member {
  const schema = { type: "object", properties: { note } };
  const post = { operationId: "createDonation", requestBody: { content: { "application/json": { schema } } }, responses: {} };
  const [member] = membersOf({ paths: { "/api/v1/donations": { post } } });
  if (!member) throw new Error("the member note is not found");
  return member;
}
