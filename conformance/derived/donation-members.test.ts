import { beforeEach, describe, expect, test } from "vitest";

import { create, type Donation, found, get, recorded } from "../harness/client/api.ts";
import { expectNone } from "../harness/client/expect-none.ts";
import { post } from "../harness/client/record-donations.ts";
import { about } from "../harness/client/score.ts";
import { exported } from "../harness/client/workbook.ts";
import { titleOf, withoutColumn } from "../harness/derive/columns.ts";
import { forgotten } from "../harness/derive/forgotten.ts";
import { answered, bodyWith, expectConflict, expectSame, memberOf } from "../harness/derive/member-bodies.ts";
import { type Member, membersOf, oneValue, twoValues, valuesOf } from "../harness/derive/members.ts";
import { answeringDonations, readers, unread } from "../harness/derive/readers.ts";
import { specials } from "../harness/derive/special-members.ts";
import { contract, type Schema } from "../harness/oracle/contract.ts";
import { target } from "../harness/server/target.ts";

// Every member of createDonation's body is stored, read, compared and exported: a member that is added to the contract is tried
// without a line here, and the failure says in words where it was forgotten.

const members = membersOf();
const those = (fit: (member: Member) => boolean): { name: string; member: Member }[] =>
  members.filter(fit).map((member) => ({ name: member.name, member }));
const optional = those(({ required }) => !required);
const two = (member: Member): [unknown, unknown] => twoValues(member, target().seed);

beforeEach(({ task }) => about(members.find(({ name }) => task.name.startsWith(`${name}:`))?.name ?? ""));

test.for(those(() => true))("$name: every operation that answers donations answers what createDonation was sent", async ({ member }) => {
  const value = oneValue(member, target().seed);
  const sent = bodyWith(member, value);
  const donation = recorded(await create(sent));
  const faults = await forgotten(member.name, { donation, sent }, answered(member, value, donation));
  expectNone(faults);
});

test.for(those(() => true))("$name: of many donations recorded at once each keeps its own", async ({ member }) => {
  const some = (): unknown[] => (member.special?.single ? [oneValue(member, target().seed)] : two(member));
  const values = Array.from({ length: 8 }).flatMap(() => [...some(), ...(member.required ? [] : [undefined])]);
  const records = await Promise.all(values.map(async (value) => recorded(await create(bodyWith(member, value)))));
  const read = await Promise.all(records.map(async ({ id }) => found(await get(id))));
  const wanted = values.map((value, index) => answered(member, value, records[index] as Donation));
  const answers = (some: Donation[]): unknown[] => some.map((record) => memberOf(record, member.name));
  expect(answers(records), `createDonation mixes up ${member.name} of donations recorded at once`).toEqual(wanted);
  expect(answers(read), `getDonation answers another ${member.name} than createDonation was sent`).toEqual(wanted);
});

test.for(optional)("$name: left out, it is answered as the contract's default, or as null where there is none", async ({ member }) => {
  const record = recorded(await create(bodyWith(member, undefined)));
  for (const one of [record, found(await get(record.id))]) expect(memberOf(one, member.name)).toEqual(answered(member, undefined, record));
});

test.for(those(({ special }) => !special?.identifies && !special?.single))(
  "$name: the same idempotency key with another value is idempotency_key_reused",
  ({ member }) => expectConflict(member, ...two(member)),
);

test.for(those(({ required, special }) => !required && !special?.identifies && !special?.single))(
  "$name: the same idempotency key with a value, and with the member left out, is idempotency_key_reused",
  ({ member }) => expectConflict(member, oneValue(member, target().seed), undefined),
);

test.for(those(({ fallback }) => fallback !== undefined))(
  "$name: the same idempotency key with the default, and with the member left out, is one donation",
  ({ member }) => expectSame(member, member.fallback, undefined),
);

test.for(those(({ special }) => special?.none !== undefined))(
  "$name: a value that means none is answered as null, and is one donation with the member left out",
  async ({ member }) => {
    expect(memberOf(recorded(await create(bodyWith(member, member.special?.none))), member.name)).toBeNull();
    await expectSame(member, member.special?.none, undefined);
  },
);

describe("the suite's own tables", () => {
  test("every operation that answers donations is read by these rules, or has a reason why not", () => {
    const unknown = answeringDonations().filter(({ id }) => !(id in readers) && !(id in unread));
    const fault = ({ id }: { id: string }): string =>
      `${id} answers donations: say in conformance/harness/derive/readers.ts how it reads the one that was recorded, or why it can't`;
    expectNone(unknown.map(fault));
  });

  test("every column of the export is that of a member of Donation", async () => {
    const { identifier } = await post({ identifier: specials.identifier?.values?.()[0] });
    const { rows } = await exported({ identifier: identifier ?? "" });
    const { properties } = (contract.components as { schemas: { [name: string]: Schema } }).schemas.Donation as { properties: object };
    const titles = Object.keys(properties).map(titleOf);
    const strange = Object.keys(rows[0] ?? {}).filter((title) => !titles.includes(title));
    expectNone(strange.map((title) => `the export has a column "${title}" that conformance/harness/derive/columns.ts does not know`));
    const needless = Object.keys(withoutColumn).filter((member) => titleOf(member) in (rows[0] ?? {}));
    expectNone(needless.map((member) => `${member} has a column now: take it off withoutColumn in conformance/harness/derive/columns.ts`));
  });

  test("every special member is one of the contract, and has several values unless it says that it has one", () => {
    const names = members.map(({ name }) => name);
    const file = "conformance/harness/derive/special-members.ts";
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
    ["a date-time", { type: "string", format: "date-time" }, ["2026-11-20T19:30:00+07:00", "2024-02-29T12:30:00.250Z"]],
  ])("a new member that is %s has two values without a line here, the default last", (_, schema, values) =>
    expect(two(newMember(schema))).toEqual(values),
  );

  test("a new member of which the schema gives no two values is an error that says where to add them", () =>
    expect(() => two(newMember({ type: "string", enum: ["one"] }))).toThrow(
      /no two values of the member note: add a line to specials in conformance\/harness\/derive\/special-members\.ts/,
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
