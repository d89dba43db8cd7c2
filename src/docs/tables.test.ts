import { expect, test } from "vitest";
import { problems } from "../http/problem.ts";
import { readDocument } from "./published-contract.ts";
import { deprecatedTable, errorParagraphs, limitsTable, operationsTable, scopesTable, toolsTable } from "./tables.ts";

const document = readDocument();
const row = (table: string, name: string): string[] =>
  table
    .split("\n")
    .map((line) => line.slice(2, -2).split(" | "))
    .find(([first]) => first === `\`${name}\``) ?? [];

test("every problem code has a paragraph that says when it is returned and what to do", () => {
  const headings = [...errorParagraphs(document).matchAll(/^### (\w+)\n\n\*\*\d{3} .+\.\*\* .+\.\n\n\*\*What to do:\*\* .+\.$/gm)];
  expect(headings.map(([, code]) => code)).toEqual(Object.keys(problems));
});

test("the table of scopes says what each scope allows and which operations need it", () => {
  expect(row(scopesTable(document), "write:donations")).toEqual([
    "`write:donations`",
    "Record donations.",
    "`createDonation`, `importDonations`",
  ]);
  for (const scope of document.components.schemas.Scope.enum) expect(row(scopesTable(document), scope)[1], scope).toMatch(/\.$/);
});

test("the table of limits has the operator's numbers, or else the contract's", () => {
  const table = limitsTable(document, { create: { quota: 7, window: 9, burst: 8 } });
  expect(row(table, "create")).toEqual(["`create`", "7 in 9 s", "8", "credential", "5 times as many", "`createDonation`"]);
  expect(row(table, "export")).toEqual(["`export`", "6 in 300 s", "6", "credential", "2 times as many", "`exportDonations`"]);
  expect(row(table, "failed").at(-1), "counted by no operation").toBe("–");
});

test("the table of operations says what each one needs: scopes, any credential, an overlay key, or none", () => {
  const scopeOf = (operation: string) => row(operationsTable(document), operation)[2];
  expect(row(operationsTable(document), "getDonation")).toEqual([
    "`getDonation`",
    "`GET /api/v1/donations/{donationId}`",
    "`read:donations`",
    "Get a single donation",
  ]);
  expect([scopeOf("getMe"), scopeOf("streamOverlay"), scopeOf("getSigningKeys")]).toEqual(["any credential", "overlay key", "none"]);
});

test("the operations with @mcpTool are listed by their tool's name", () => {
  const paths = { "/top": { get: { operationId: "listTopDonators", summary: "Top", tags: ["Reports"], security: [], "x-mcp-tool": {} } } };
  expect(row(toolsTable({ ...document, paths }), "list_top_donators")).toEqual(["`list_top_donators`", "none", "Top"]);
});

test("a deprecated operation is listed with its dates and its replacement", () => {
  const deprecation = { since: "2026-11-01", sunset: "2027-11-01", instead: "getStreamer" };
  const get = { operationId: "getMe", summary: "Who am I", tags: ["Account"], "x-deprecation": deprecation };
  const table = deprecatedTable({ ...document, paths: { "/api/v1/me": { get } } });
  expect(row(table, "getMe")).toEqual(["`getMe`", "2026-11-01", "2027-11-01", "`getStreamer`"]);
  expect(deprecatedTable({ ...document, paths: {} })).toBe("None at the moment.");
});
