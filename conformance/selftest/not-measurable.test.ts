import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";

import { conformance, type Outcome, secret } from "./command.ts";
import { addressOf, always, serving, sound } from "./fakes.ts";

/** Not green, with the reason in words and a request to try by hand; the secret nowhere. */
function expectNotMeasurable({ code, output, report }: Outcome, reason: RegExp): void {
  expect(output).toMatch(new RegExp(`not measurable: .*${reason.source}`));
  expect(output).toMatch(/curl -i -X POST .*\/api\/v1\/donations'/);
  expect(code).toBe(2);
  expect(report("junit.xml")).toMatch(/<testsuites [^>]*errors="1"/);
  expect(report("report.html")).toContain("It could not be measured");
  for (const text of [output, ...["junit.xml", "report.html", "events.ndjson"].map(report)]) expect(text).not.toContain(secret);
}

const html = { "Content-Type": "text/html; charset=utf-8" };

describe("not measurable is a server that", () => {
  test.each([
    ["refuses everything", always(422), /it refuses the smallest good donation: 422/],
    ["answers 401 to everything", always(401), /it answers 401 to the smallest good donation.*is API_KEY right/],
    ["lets nobody write", always(403), /API_KEY needs the scope write:donations/],
    ["has no such path", always(404), /it has no POST \/api\/v1\/donations below this address/],
    ["fails", always(500), /it fails on the smallest good donation: 500/],
    ["answers with a page", always(200, "<!doctype html><title>Welcome</title>", html), /it answers with an HTML page \(200\)/],
    ["fails with a page", always(502, "<html>Bad Gateway</html>", html), /it answers with an HTML page \(502\)/],
    ["redirects", always(301, "", { Location: "https://elsewhere.example/" }), /it redirects to https:\/\/elsewhere\.example\//],
    ["accepts everything", always(201), /it accepts everything/],
    ["says the key", always(400, `{"detail":"${secret} is bad"}`), /It said: .*\$API_KEY is bad/],
  ])("%s", async (_, answer, reason) => expectNotMeasurable(await conformance(["--url", await serving(answer)]), reason));

  test("is not there", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = addressOf(server as never);
    server.close();
    expectNotMeasurable(await conformance(["--url", url]), /nothing listens at this address/);
  });

  test("does not speak HTTP", async () => {
    const server = createServer((socket) => void socket.end("SSH-2.0-fake\r\n"));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    expectNotMeasurable(await conformance(["--url", addressOf(server as never)]), /what it answers is not HTTP/);
  });

  test("does not speak TLS where https is asked for", async () => {
    const url = await serving(sound);
    expectNotMeasurable(await conformance(["--url", url.replace("http:", "https:")]), /it does not speak TLS/);
  });

  test("has no known name", async () => expectNotMeasurable(await conformance(["--url", "http://nobody.invalid"]), /no such host/));
});

describe("not measurable is a run", () => {
  test("in which no rule fits", async () => {
    const { code, output } = await conformance(["--url", await serving(sound), "--only", "no such rule"]);
    expect([code, output]).toEqual([2, expect.stringContaining("not measurable: no rule was run")]);
  });

  test("in which every rule lacks its credentials, and each is named", async () => {
    const { code, output, report } = await conformance(["--url", await serving(sound), "--only", "/^oauth.token-body$/"]);
    expect(code).toBe(2);
    expect(output).toMatch(/rules +needs the operator's CLI for OAuth clients/);
    expect(report("junit.xml")).toMatch(/<skipped message="needs the operator/);
  });
});
