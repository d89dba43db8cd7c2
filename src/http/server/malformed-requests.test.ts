import { describe, expect, test } from "vitest";
import { framingProblem, headFault, originForm } from "./malformed-requests.ts";

const head = (rawHeaders: string[], minor = 1, major = 1) => ({
  rawHeaders,
  headers: Object.fromEntries(rawHeaders.flatMap((name, index) => (index % 2 ? [] : [[name.toLowerCase(), rawHeaders[index + 1]]]))),
  httpVersionMajor: major,
  httpVersionMinor: minor,
});

test.each([
  [0, 9],
  [2, 0],
])("a request of HTTP/%s.%s is refused", (major, minor) => expect(headFault(head(["Host", "a"], minor, major))).toMatch(/HTTP\/1\.1/));

describe("a request needs one Host header line (RFC 9112 3.2)", () => {
  test.each([[["Host", "a"]], [["hOST", ""]], [["X-Host", "a", "HOST", "b", "Hosts", "c"]]])(
    "the header lines %j are accepted with HTTP/1.1",
    (lines) => expect(headFault(head(lines))).toBeNull(),
  );
  test.each([[[]], [["Accept", "Host"]], [["Host", "a", "host", "a"]], [["HOST", "a", "X", "y", "Host", "b"]]])(
    "the header lines %j without exactly one Host are refused with HTTP/1.1",
    (lines) => expect(headFault(head(lines))).toMatch(/Host/),
  );
  test.each(["", "a.example", "a_b.example:", "127.0.0.1:8080", "[::1]", "[fe80::1]:80", "xn--22c3bl7g.example", "%E0%B8%81.example"])(
    "the host %j is accepted",
    (host) => expect(headFault(head(["Host", host]))).toBeNull(),
  );
  test.each(["a b", "a/b", "user@a", "a:b", "a:80:80", "[::1", "a]", "<a>", "a\\b", "%zz", "\u00e9", "http://a"])(
    "the host %j is refused, because it is none (RFC 9112 3.2)",
    (host) => expect(headFault(head(["Host", host]))).toMatch(/Host/),
  );
  test("a request of HTTP/1.0 needs no Host", () => expect(headFault(head([], 0))).toBeNull());
});

test("a refusal of header lines names both limits: node:http has one code for too many bytes and for too many lines", () => {
  const problem = framingProblem(Object.assign(new Error(), { code: "HPE_HEADER_OVERFLOW" }));
  expect([problem?.code, problem?.message]).toEqual(["headers_too_large", expect.stringMatching(/16 KiB.* 1,000 header lines/)]);
});

describe("chunked is the only transfer coding (RFC 9112 6.1)", () => {
  test.each(["chunked", "Chunked", " chunked "])("Transfer-Encoding: %j is accepted", (coding) =>
    expect(headFault(head(["Host", "a", "Transfer-Encoding", coding]))).toBeNull(),
  );
  test.each(["gzip, chunked", "gzip", "chunked, chunked", "identity", "", "x"])("Transfer-Encoding: %j is refused", (coding) =>
    expect(headFault(head(["Host", "a", "Transfer-Encoding", coding]))).toMatch(/coding/),
  );
  test("a request of HTTP/1.0 with Transfer-Encoding is refused", () =>
    expect(headFault(head(["Host", "a", "Transfer-Encoding", "chunked"], 0))).toMatch(/HTTP\/1\.0/));
});

describe("what the application reads is the target without scheme, host and fragment", () => {
  test.each([
    ["/a?b=c", "/a?b=c"],
    ["http://somewhere/api/v1/me", "/api/v1/me"],
    ["HTTP://somewhere:80/mcp", "/mcp"],
    ["http://[::1/docs/?a=b", "/docs/?a=b"],
    ["http://%zz", "/"],
    ["http://h?a", "/?a"],
    ["http:///", "/"],
    ["http://a@b:c/d#e", "/d"],
    ["http://h#/a", "/"],
    ["//a@b#c", "//a@b"],
    ["//a@[#", "//a@["],
    ["/a#b?c", "/a"],
    ["*", "*"],
  ])("the target %s is read as the path %s", (target, path) => expect(originForm(target)).toBe(path));
});
