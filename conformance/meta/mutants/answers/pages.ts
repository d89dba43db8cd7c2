// Wrong answers of pages: login, consent, studio, guides, and of MCP.

import { at, type Mutants, set, type WrongAnswer, wrong } from "../mutant.ts";

const pages = /^(GET|POST) \/(oauth|studio)/;
/** A server that takes every form for one of its own pages. */
const fromOwnPage: NonNullable<WrongAnswer["instead"]> = (request, send) =>
  send({ ...request, headers: { ...request.headers, origin: `http://${request.headers.host}`, "sec-fetch-site": "same-origin" } });

export const pageAnswers: Mutants = {
  "cookie-of-scripts": wrong({
    broken: "scripts may read the session cookie",
    on: pages,
    instead: async (request, send) => {
      const answer = await send(request);
      const cookies = answer.headers["set-cookie"];
      const changed = [cookies ?? []].flat().map((cookie) => String(cookie).replace(/; *HttpOnly/i, ""));
      return cookies ? { ...answer, headers: { ...answer.headers, "set-cookie": changed } } : answer;
    },
    killedBy: [["oauth/login", /the session cookie is HttpOnly and SameSite/]],
  }),
  "login-of-any-site": wrong({
    broken: "a login is accepted from another site",
    on: /^POST \/oauth\/login/,
    instead: fromOwnPage,
    killedBy: [["oauth/login", /a login sent from another site is refused/]],
  }),
  "consent-read-by-others": wrong({
    broken: "other sites may read the consent page",
    on: /^(GET|POST) \/oauth/,
    headers: { "access-control-allow-origin": "*" },
    killedBy: [["oauth/consent", /cannot be read by other sites: no CORS/]],
  }),
  "consent-of-any-site": wrong({
    broken: "a decision is accepted from another site",
    on: /^POST \/oauth\/consent/,
    instead: fromOwnPage,
    killedBy: [["oauth/consent", /a decision sent from another site is refused/]],
  }),
  "connections-read-by-others": wrong({
    broken: "other sites may read the page of connected applications",
    on: /^GET \/oauth\/connections/,
    headers: { "access-control-allow-origin": "*" },
    killedBy: [["oauth/connections", /may not be embedded, stored or read from another site/]],
  }),
  "language-not-said": wrong({
    broken: "pages do not tell caches that they differ by language",
    on: pages,
    headers: { vary: null },
    killedBy: [["overlay/language", /answers that differ by language say so to caches/]],
  }),
  "studio-without-login": wrong({
    broken: "the studio answers a visitor without a session with a page instead of the login",
    on: /^GET \/studio/,
    when: ({ status }) => status === 303 || status === 302,
    status: 200,
    killedBy: [["overlay/studio", /\/studio\/keys sends a visitor without a session to the login/]],
  }),
  "faults-without-links": wrong({
    broken: "the summary of a form's faults does not lead to their fields",
    on: /^POST \/studio/,
    text: (text) => text.replaceAll('href="#field-', 'href="#'),
    killedBy: [["overlay/studio-forms", /\/studio\/test names/]],
  }),
  "password-unchecked": wrong({
    broken: "a refused change of the password is answered as if it was made",
    on: /^POST \/studio\/account\/password/,
    when: ({ status }) => status >= 400,
    status: 303,
    headers: { location: "/studio/account" },
    killedBy: [["overlay/account", /a change of the password without the old one is refused/]],
  }),
  "mcp-any-origin": wrong({
    broken: "/mcp takes every Origin",
    on: /^POST \/mcp/,
    asked: { origin: null },
    killedBy: [["mcp/mcp-authorization", /Origin https:\/\/evil.example is refused/]],
  }),
  "mcp-without-request-ids": wrong({
    broken: "answers of /mcp have no X-Request-Id",
    on: /^POST \/mcp/,
    headers: { "x-request-id": null },
    killedBy: [["mcp/mcp-messages", /X-Request-Id is echoed, with a result/]],
  }),
  "mcp-any-type": wrong({
    broken: "/mcp reads a message whatever its media type is",
    on: /^POST \/mcp/,
    asked: { "content-type": "application/json" },
    killedBy: [["mcp/mcp-messages", /media type "text\/plain" is refused with 415/]],
  }),
  "mcp-amounts-in-satang": wrong({
    broken: "a tool records amounts in whole satang",
    on: /^POST \/mcp/,
    sent: at<number>("params.arguments.amount", (amount) => Math.round(amount * 100) / 100),
    killedBy: [["mcp/mcp", /create_donation records a donation/]],
  }),
  "mcp-failure-as-success": wrong({
    broken: "a tool that failed is answered as a success",
    on: /^POST \/mcp/,
    answer: at("result.isError", () => false),
    text: (text) => text.replaceAll('"isError":true', '"isError":false'),
    killedBy: [["mcp/mcp", /every fault of a tool's arguments/]],
  }),
  "mcp-first-choice": wrong({
    broken: "of several choices that an argument names the first counts",
    on: /^POST \/mcp/,
    sent: at<unknown[]>("params.arguments.channel", (all) => all.slice(0, 1)),
    killedBy: [["mcp/mcp", /filters by every choice/]],
  }),
  "mcp-offsets-ignored": wrong({
    broken: "a tool ignores the offset of createdAt",
    on: /^POST \/mcp/,
    sent: at<string>("params.arguments.createdAt", (time) => time.replace(/[+-]\d\d:\d\d$/, "Z")),
    killedBy: [["mcp/mcp", /create_donation records a donation/]],
  }),
  "mcp-messages-cut": wrong({
    broken: "a tool records the first 200 characters of a message",
    on: /^POST \/mcp/,
    sent: at<unknown>("params.arguments.message", (text) => (typeof text === "string" ? [...text].slice(0, 200).join("") : text)),
    killedBy: [["mcp/mcp", /create_donation records a donation/]],
  }),
  "mcp-reads-in-satang": wrong({
    broken: "the tool that reads a donation answers its amount in whole satang",
    on: /^POST \/mcp/,
    when: (_answer, { body }) => body.includes('"get_donation"'),
    text: (text) => text.replace(/(amount\\?":\d+\.\d\d)\d+/g, "$1"),
    killedBy: [["mcp/mcp", /create_donation records a donation/]],
  }),
  "mcp-stats-doubled": wrong({
    broken: "the tool of statistics counts each donation twice",
    on: /^POST \/mcp/,
    when: (_answer, { body }) => body.includes('"get_donation_stats"'),
    text: (text) => text.replace(/(count\\?":)(\d+)/g, (_all, name, count) => `${name}${2 * Number(count)}`),
    killedBy: [["mcp/mcp", /get_donation_stats answers what its operation answers/]],
  }),
  "mcp-reports-of-all": wrong({
    broken: "tools of reports ignore their arguments",
    on: /^POST \/mcp/,
    sent: (body, request) =>
      /top_donators|breakdown|trends/.test(String(request.body)) ? at("params.arguments", () => ({}))(body, request) : body,
    killedBy: [
      ["mcp/mcp", /list_top_donators answers what its operation answers/],
      ["mcp/mcp", /get_channel_breakdown answers what its operation answers/],
      ["mcp/mcp", /get_amount_trends answers what its operation answers/],
    ],
  }),
  "mcp-cursor-ignored": wrong({
    broken: "tools ignore the cursor, so that every page is the first",
    on: /^POST \/mcp/,
    sent: at("params.arguments.cursor", (cursor) => (typeof cursor === "string" ? undefined : cursor)),
    killedBy: [["mcp/mcp", /paged by cursor/]],
  }),
  "mcp-nothing-required": wrong({
    broken: "no tool says which arguments it requires",
    on: /^POST \/mcp/,
    answer: at("result.tools.*.inputSchema", (schema) => ({ ...(schema as object), required: [] })),
    killedBy: [["mcp/mcp", /takes the arguments that its operation takes/]],
  }),
  "mcp-lengths-unsaid": wrong({
    broken: "no tool says how long its texts may be",
    on: /^POST \/mcp/,
    answer: at("result.tools.*.inputSchema.properties.*", (schema) => ({ ...(schema as object), maxLength: undefined })),
    killedBy: [["mcp/mcp", /takes the arguments that its operation takes/]],
  }),
  "mcp-tool-unlisted": wrong({
    broken: "a tool that can be called is not listed",
    on: /^POST \/mcp/,
    answer: at<{ name: string }[]>("result.tools", (tools) => tools.filter(({ name }) => name !== "get_channel_breakdown")),
    killedBy: [["mcp/mcp-authorization", /is listed the tools that it may call/]],
  }),
  "mcp-ids-of-numbers": wrong({
    broken: "an id that is a text is answered as null",
    on: /^POST \/mcp/,
    answer: at("id", (id) => (typeof id === "string" ? null : id)),
    killedBy: [["mcp/mcp-messages", /has the id of its request: "0"/]],
  }),
  "mcp-any-version": wrong({
    broken: "initialize agrees to any version of the protocol",
    on: /^POST \/mcp/,
    answer: (value, { body }) => {
      const [, version] = /"protocolVersion":"([^"]+)"/.exec(String(body)) ?? [];
      return version ? set("result", { protocolVersion: version })(value, {} as never) : value;
    },
    killedBy: [["mcp/mcp-messages", /a version that nobody knows/]],
  }),
};
