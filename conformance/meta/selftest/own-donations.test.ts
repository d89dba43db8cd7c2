// What becomes of the donations that a run records on a server of someone else.

import { expect, test } from "vitest";
import { conformance } from "./command.ts";
import { always, isSound, serving } from "./fakes.ts";

const words = ["--profile", "interface", "--depth", "quick", "--seed", "1", "--only", "/^interface.skip-alert$/"];

/** A server that answers each donation with an id, and a request to void one with this status. */
async function recordingServer(voidStatus: number) {
  const recorded: string[] = [];
  const voided: unknown[] = [];
  const url = await serving((request, response, body) => {
    const [, id] = /^\/api\/v1\/donations\/(.+)\/void$/.exec(request.url ?? "") ?? [];
    if (id !== undefined) {
      voided.push([id, JSON.parse(body)]);
      return always(voidStatus)(request, response, body);
    }
    if (request.url !== "/api/v1/donations") return always(404)(request, response, body);
    if (!isSound(request, body)) return always(400)(request, response, body);
    recorded.push(`d-${recorded.length}`);
    always(201, JSON.stringify({ data: { id: recorded.at(-1) } }))(request, response, body);
  });
  return { url, recorded, voided };
}

test("what a run has recorded is void at its end, with the reason test, and the run says how much", async () => {
  const { url, recorded, voided } = await recordingServer(200);
  const { output } = await conformance(["--url", url, ...words]);
  expect(recorded.length).toBeGreaterThan(2);
  expect(new Set(voided)).toEqual(new Set(recorded.map((id) => [id, { reason: "test" }])));
  expect(output).toContain(`${recorded.length} donations of this run (main) are void now, with the reason test`);
});

test("where the server refuses to void a donation, the run says how many stay and why, and asks no further", async () => {
  const { url, recorded, voided } = await recordingServer(403);
  const { output } = await conformance(["--url", url, ...words]);
  expect(voided.length).toBeLessThan(recorded.length);
  expect(output).toContain(
    `${recorded.length} donations of this run (main) stay on the server: the server answers 403 to POST /api/v1/donations/d-`,
  );
});

test("where no answer names an id, the run says how many donations stay", async () => {
  let recorded = 0;
  const url = await serving((request, response, body) => {
    if (request.url !== "/api/v1/donations") return always(404)(request, response, body);
    recorded += Number(isSound(request, body));
    always(isSound(request, body) ? 202 : 400, "{}")(request, response, body);
  });
  const { output } = await conformance(["--url", url, ...words]);
  expect(recorded).toBeGreaterThan(2);
  expect(output).toContain(`${recorded} donations of this run (main) stay on the server: no answer named the id of its donation`);
});
