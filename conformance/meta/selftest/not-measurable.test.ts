// Servers that the suite cannot measure: exit code 2, with the reason and a request to try by hand.

import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";

import { conformance, type Outcome, secret } from "./command.ts";
import { addressOf, always, serving, sound } from "./fakes.ts";

/** Expects exit code 2, the reason in words, a request to try by hand, and the secret in no output. */
function expectNotMeasurable({ code, output, report }: Outcome, reason: RegExp): void {
  expect(output).toMatch(new RegExp(`not measurable: .*${reason.source}`));
  expect(output).toMatch(/curl -i -X POST .*\/api\/v1\/donations'/);
  expect(code).toBe(2);
  expect(report("junit.xml")).toMatch(/<testsuites [^>]*errors="1"/);
  expect(report("report.html")).toContain("Not measurable: the server could not be tested");
  for (const text of [output, ...["junit.xml", "report.html", "events.ndjson"].map(report)]) expect(text).not.toContain(secret);
}

const html = { "Content-Type": "text/html; charset=utf-8" };

describe("a server is not measurable when it", () => {
  test.each([
    ["refuses everything", always(422), /the server refuses the smallest valid donation: 422\. Answer: {}/],
    ["answers 401 to everything", always(401), /the server answers 401 to the smallest valid donation.*is API_KEY correct\? Answer: {}/],
    ["answers 403 to everything", always(403), /API_KEY needs the scope write:donations/],
    ["answers 404 to everything", always(404), /the server has no POST \/api\/v1\/donations below this address/],
    ["answers 500 to everything", always(500), /the server answers 500 to the smallest valid donation/],
    [
      "answers with an HTML page",
      always(200, "<!doctype html><title>Welcome</title>", html),
      /the server answers with an HTML page \(200\)/,
    ],
    ["answers 502 with an HTML page", always(502, "<html>Bad Gateway</html>", html), /the server answers with an HTML page \(502\)/],
    ["redirects", always(301, "", { Location: "https://elsewhere.example/" }), /the server redirects to https:\/\/elsewhere\.example\//],
    ["accepts everything", always(201), /the server accepts everything/],
    ["repeats the key in its answer", always(400, `{"detail":"${secret} is bad"}`), /Answer: .*\$API_KEY is bad/],
  ])("%s", async (_, answer, reason) => expectNotMeasurable(await conformance(["--url", await serving(answer)]), reason));

  test("a server is not measurable when nothing listens at its address", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = addressOf(server as never);
    server.close();
    expectNotMeasurable(await conformance(["--url", url]), /no server listens at this address/);
  });

  test("a server is not measurable when it does not speak HTTP", async () => {
    const server = createServer((socket) => void socket.end("SSH-2.0-fake\r\n"));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    expectNotMeasurable(await conformance(["--url", addressOf(server as never)]), /the answer is not HTTP/);
  });

  test("a server is not measurable when its address is https and it does not speak TLS", async () => {
    const url = await serving(sound);
    expectNotMeasurable(await conformance(["--url", url.replace("http:", "https:")]), /the server does not speak TLS/);
  });

  test("a server is not measurable when its host is unknown", async () =>
    expectNotMeasurable(await conformance(["--url", "http://nobody.invalid"]), /unknown host/));
});

describe("a run is not measurable", () => {
  test("a run is not measurable when the credentials of all rules are missing, and reports name them", async () => {
    const { code, output, report } = await conformance(["--url", await serving(sound), "--only", "/^oauth.token-body$/"]);
    expect(code).toBe(2);
    expect(output).toMatch(/rules +--oauth-credentials is not given/);
    expect(report("junit.xml")).toMatch(/<skipped message="--oauth-credentials is not given/);
  });
});

test("a server that knows no 29 February is measured: the first donations have ordinary dates", async () => {
  const url = await serving((request, response, body) => (body.includes("-02-29") ? always(422) : sound)(request, response, body));
  const { output } = await conformance(["--url", url, "--profile", "interface", "--only", "amount 0 is refused"]);
  expect(output).toContain("valid donations are accepted");
});
