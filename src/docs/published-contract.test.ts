import { expect, test } from "vitest";
import { publishedAt, readDocument } from "./published-contract.ts";

const document = readDocument();

test("the published contract says until when a deprecated operation is served, and leaves the others unchanged", () => {
  const { get } = document.paths["/api/v1/me"]!;
  const deprecated = { ...get!, "x-deprecation": { since: "2026-11-01", sunset: "2027-11-01", instead: "getStreamer" } };
  const published = publishedAt(
    { ...document, paths: { ...document.paths, "/api/v1/me": { get: deprecated } } },
    "https://api.example.com",
  );
  const { "/api/v1/me": me, ...others } = published.paths;
  expect(me?.get?.description).toBe(
    `**Deprecated** since 2026-11-01; may be gone from 2027-11-01 on. Use \`getStreamer\` instead.\n\n${get!.description}`,
  );
  const { "/api/v1/me": _, ...before } = document.paths;
  expect(others).toEqual(before);
});

test("examples of the published contract name the server's own address", () => {
  const text = JSON.stringify(publishedAt(document, "https://a.example/donations"));
  expect(text).toContain('"type":"https://a.example/donations/docs/errors#validation_failed"');
  expect(text).toContain('"jwks_uri":"https://a.example/donations/.well-known/jwks.json"');
  expect(text).not.toContain("api.example.com");
});
