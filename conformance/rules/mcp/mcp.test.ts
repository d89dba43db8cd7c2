import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Donation, Me } from "../../suite/client/api.ts";
import { create, expectProblem, get, ids, me, type Query, readDonation, recorded, recordSome } from "../../suite/client/api.ts";
import {
  call,
  connect,
  dataOf,
  expectToolFaults,
  generations,
  type McpClient,
  type Result,
  resultOf,
  rpc,
  toolProblem,
} from "../../suite/client/mcp.ts";
import { contract, operations } from "../../suite/contract/contract.ts";
import { toolName } from "../../suite/contract/http-request.ts";
import { lengthsOf } from "../../suite/contract/interface.ts";
import { shapeOf } from "../../suite/contract/shape.ts";
import { at, emptyDays, type Reports, report } from "../../suite/models/reports.ts";
import { donation, freshIdentifier, freshKey } from "../../suite/values/donations.ts";
import { keyOf } from "../../suite/values/target.ts";

// What an assistant can do at /mcp, through the official clients, which check each result against the tool's output schema.

const withoutExamples = (shapes: object): unknown =>
  JSON.parse(JSON.stringify(shapes, (name, one) => (/^(examples|format)$/.test(name) ? undefined : one)));

type Listed = Awaited<ReturnType<McpClient["listTools"]>>["tools"][number];

describe.each(generations)("%s", (generation) => {
  let client: McpClient;
  let tools: Map<string, Listed>;
  beforeAll(async () => {
    client = await connect(generation);
    tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, tool]));
  });
  afterAll(() => client?.close());

  const use = async (name: string, given: Record<string, unknown> = {}): Promise<Result> =>
    (await client.callTool({ name, arguments: given })) as Result;

  test("each tool is an operation of the contract, with schemas of its arguments and its result", () => {
    const known = operations.map(({ id }) => toolName(id));
    expect([...tools.keys()].filter((name) => !known.includes(name))).toEqual([]);
    for (const { inputSchema, outputSchema, description } of tools.values()) {
      expect([inputSchema.type, outputSchema?.type, typeof description]).toEqual(["object", "object", "string"]);
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain("$ref");
    }
  });

  test("a tool takes the arguments that its operation takes, by the same rules, and requires the same ones", () => {
    for (const { id, parameters, ...operation } of operations.filter((one) => tools.has(toolName(one.id)))) {
      const sent = parameters.filter((one) => one.in !== "header");
      const body = shapeOf(operation.requestBody?.content["application/json"]?.schema ?? {}, contract);
      const shapes = Object.fromEntries(sent.map(({ name, schema }) => [name, shapeOf(schema, contract)]));
      const needed = sent.filter(({ required }) => required).map(({ name }) => name);
      const { properties, required } = shapeOf(tools.get(toolName(id))?.inputSchema ?? {}, contract);
      expect(withoutExamples(properties), id).toEqual(withoutExamples({ ...shapes, ...body.properties }));
      const onlyOfTool = id === "createDonation" ? ["idempotencyKey"] : [];
      expect(required.toSorted(), id).toEqual([...needed, ...body.required, ...onlyOfTool].sort());
    }
  });

  test("the tools cover donations, reports, alerts and the credential itself, but no exports, settings or OAuth", () => {
    for (const name of ["create_donation", "search_donations", "get_donation_stats", "list_top_donators", "get_alert_queue", "get_me"])
      expect([...tools.keys()]).toContain(name);
    for (const name of ["export_donations", "update_alert_settings", "issue_token", "stream_overlay"])
      expect([...tools.keys()]).not.toContain(name);
  });

  test("tool hints say what only reads, what is destructive, and what can be repeated", () => {
    expect(tools.get("create_donation")?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: true });
    expect(tools.get("list_donations")?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(tools.get("skip_alert")?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  test("instructions and tools say that texts of donators are data", () => {
    // In whatever words: whose texts they are, and that they are not to be obeyed.
    const [whose, how] = [/donator|donator|viewer|stranger|third part/i, /\bdata\b|untrusted|instruction|command/i];
    const told = client.getInstructions();
    for (const words of [whose, how]) expect(told).toMatch(words);
    for (const name of ["list_donations", "get_donation", "search_donations", "list_top_donators", "get_alert_queue"])
      for (const words of [whose, how]) expect(tools.get(name)?.description, name).toMatch(words);
  });

  test("create_donation records a donation, and only once for an idempotency key", async () => {
    const message = `${"ก".repeat(lengthsOf("message").max - 5)}\r\n e\u0301`;
    const given = donation({ idempotencyKey: freshKey(), donatorName: " ผู้ช่วย ", amount: 0.5005, message });
    const first = dataOf(await use("create_donation", { ...given, createdAt: "2024-02-29T23:59-03:30" })) as Donation;
    expect(first).toMatchObject({ ...given, source: "external", createdAt: "2024-03-01T03:29:00.000Z" });
    expect((dataOf(await use("create_donation", { ...given, createdAt: "2024-03-01T03:29Z" })) as Donation).id).toBe(first.id);
    const { alert: _, ...kept } = first;
    expect(dataOf(await use("get_donation", { donationId: first.id }))).toMatchObject(kept);
    expectProblemOf(await use("create_donation", { ...given, amount: 77 }), "idempotency_key_reused");
  });

  test("every reading tool answers what its output schema says", async () => {
    const { id } = recorded(await create(donation({ skipAlert: true })));
    const given: Record<string, object> = { get_donation: { donationId: id }, search_donations: { q: "a" } };
    for (const { name, annotations } of tools.values())
      if (annotations?.readOnlyHint) expect(dataOf(await use(name, { ...given[name] })), name).toBeDefined();
  });

  test.each<[tool: string, name: keyof Reports, given: Record<string, unknown>]>([
    ["get_donation_stats", "stats", {}],
    ["list_top_donators", "top-donators", { by: "count", limit: 1 }],
    ["get_channel_breakdown", "breakdown", { timezone: "UTC" }],
    ["get_amount_trends", "trends/amount", { interval: "hour", cumulative: true }],
    ["get_count_trends", "trends/count", { interval: "hour", cumulative: false }],
  ])("%s answers what its operation answers to the same question, with what was just recorded", async (tool, name, given) => {
    const [day = ""] = await emptyDays(1);
    const range = { from: day, to: day };
    for (const amount of [0.1, 0.2])
      dataOf(
        await use("create_donation", { donatorName: "A", amount, idempotencyKey: freshKey(), createdAt: `${day}T05:00Z`, skipAlert: true }),
      );
    await at(`${day}T06:00Z`, { donatorName: "B", amount: 0.25 });
    const answered = dataOf(await use(tool, { ...range, ...given }));
    expect(answered).toMatchObject({ from: expect.any(String), ...(name === "stats" && { count: 3, total: 0.55 }) });
    // The periods of the stats are those of the present.
    const asked = await report(name, { ...range, ...(given as Query) });
    expect({ ...(answered as object), asOf: null, periods: null }).toEqual({ ...asked, asOf: null, periods: null });
  });

  test("a list tool filters by every choice that an argument names", async () => {
    const { id, identifier } = recorded(await create(donation({ identifier: freshIdentifier(), skipAlert: true })));
    for (const [filter, found] of [
      [{ channel: ["card", "external"], source: ["test", "external"] }, [id]],
      [{ channel: ["external", "card"], source: ["external", "native"] }, [id]],
      [{ channel: ["card", "promptpay"] }, []],
      [{ source: ["test", "native"] }, []],
    ] as const)
      expect((dataOf(await use("list_donations", { identifier, ...filter })) as Donation[]).map((one) => one.id)).toEqual(found);
  });

  test("a list tool is paged by cursor", async () => {
    const { identifier, donations } = await recordSome(4);
    const first = await use("list_donations", { identifier, sort: "-receivedAt", limit: 1 });
    const { nextCursor } = (first.structuredContent as { pagination: { nextCursor: string } }).pagination;
    const second = await use("list_donations", { cursor: nextCursor, limit: 2 });
    const newestFirst = ids(donations).reverse();
    expect([first, second].map((page) => ids(dataOf(page) as Donation[]))).toEqual([newestFirst.slice(0, 1), newestFirst.slice(1, 3)]);
  });

  test("every fault of a tool's arguments is in the result", async () => {
    expectToolFaults(
      await use("create_donation", { donatorName: "", amount: "1", colour: "red" }),
      "/donatorName too_short",
      "/amount invalid_type",
      "/colour unknown_member",
      "/idempotencyKey required",
    );
    expectToolFaults(await use("list_donations", { limit: 0, colour: "red" }), "limit out_of_range", "colour unknown_parameter");
    expectToolFaults(await use("list_donations", { limit: "5" }), "limit invalid_type");
    expectToolFaults(await use("list_donations", { limit: null, cursor: null }), "cursor invalid_type", "limit invalid_type");
    const nulls = { donatorName: "A", amount: 1, idempotencyKey: freshKey(), message: null, identifier: null };
    expectToolFaults(await use("create_donation", nulls), "/identifier invalid_type", "/message invalid_type");
  });

  test("get_donation does not find another streamer's donation", async (context) => {
    const { id } = recorded(await create(donation({ skipAlert: true }), { key: keyOf(context, "other") }));
    expectProblemOf(await use("get_donation", { donationId: id }), "donation_not_found");
    expectProblemOf(await use("replay_alert", { donationId: id }), "alert_not_found");
    expectProblemOf(await use("get_donation", { donationId: "../me" }), "donation_not_found");
  });

  test("an unknown tool is a protocol error", () =>
    expect(client.callTool({ name: "drop_table", arguments: {} })).rejects.toMatchObject({ code: -32602 }));
});

test("a tool call records for the key's own streamer and application alone", async (context) => {
  const key = keyOf(context, "other");
  const { streamer } = dataOf(resultOf(await call("get_me", {}, { key }))) as Me;
  const idempotencyKey = freshKey();
  const mine = dataOf(resultOf(await call("create_donation", { donatorName: "A", amount: 1, idempotencyKey }, { key }))) as Donation;
  expect(streamer).toEqual(((await me({ key })).body as { data: Me }).data.streamer);
  expect(readDonation(await get(mine.id, { key }))).toMatchObject({ id: mine.id, idempotencyKey });
  expectProblem(await get(mine.id), 404, "donation_not_found");
});

test("answers of /mcp are JSON, even to clients that could read a stream", async () => {
  const reply = await rpc("tools/list");
  expect(reply.headers["content-type"]).toMatch(/^application\/json/);
  expect(reply.headers["mcp-session-id"]).toBeUndefined();
});

const expectProblemOf = (result: Result, code: string): void => expect(toolProblem(result).code).toBe(code);
