// Mistakes in spec/ about what requests may contain, and about successes and their headers.

import type { Case } from "./contract-mistakes.ts";

const madeNow = "\n}\n\n/** The adjustment was made now, or before. */";

/** A text in a request whose type has these decorators. */
const text = (title: string, decorators: string, said: RegExp): Case => [
  title,
  {
    file: "timer.tsp",
    from: `  idempotencyKey?: idempotencyKey;${madeNow}`,
    to: `  idempotencyKey?: idempotencyKey;\n\n  /** Why. */\n  note?: timerNote;\n}\n\n/** A note. */\n${decorators}@donatorText(false)\nscalar timerNote extends string;${madeNow.slice(2)}`,
  },
  "note?: timerNote",
  said,
];

/** A member of a request. */
const member = (title: string, written: string, said: RegExp): Case => [
  title,
  { file: "erasure.tsp", from: "  dryRun?: boolean = false;\n", to: `  dryRun?: boolean = false;\n\n  /** Why. */\n  ${written};\n` },
  written,
  said,
];

/** A parameter of the query. */
const parameter = (title: string, written: string, said: RegExp): Case => [
  title,
  {
    file: "export.tsp",
    from: "  /** Language of headings, sheet names",
    to: `  /** Which ones. */\n  ${written},\n\n  /** Language of headings, sheet names`,
  },
  written,
  said,
];

const deleteEndpoint =
  '@delete\n@useAuth(Credential<["write:webhooks"]>)\n@rateLimit(RateLimit.control)\nop deleteWebhook(\n  /** The endpoint\'s `id`. */\n  @path ';

const adjustment = '@closed\n@example(#{ seconds: -300, idempotencyKey: "wheel-17" })\nmodel TimerAdjustment';

export const requestsAndAnswers: Case[] = [
  text("a text without a largest length in a request", "", /TimerAdjustment\.note is a text without a largest length: add @maxLength\(…\)/),
  text(
    "a pattern that fits a part of a text",
    '@pattern("[a-z]+")\n',
    /TimerAdjustment\.note has the pattern \[a-z\]\+, .*write @pattern\("\^\[a-z\]\+\$"\)/,
  ),
  text(
    "a format without a pattern in a request",
    '@format("email")\n@maxLength(100)\n',
    /TimerAdjustment\.note has the format email, which the server does not check: say by @pattern/,
  ),
  member("bytes in a member of a request", "proof?: bytes", /DonatorErasure\.proof is bytes inside of a body.*spec\/files\.tsp/),
  member("a member of a request that accepts anything", "more?: unknown", /DonatorErasure\.more is unknown, which accepts anything/),
  member(
    "a bound of a member that its type does not allow",
    "@maxLength(900) nick?: donatorName",
    /nick has the bound 900, and its type donatorName allows \d+ to \d+: write a bound within this/,
  ),
  member(
    "a bound of a member that nothing fits",
    "@minLength(60) nick?: donatorName",
    /nick has the bound 60, and its type donatorName allows \d+ to \d+/,
  ),
  parameter(
    "a parameter that is an object",
    "@query erasure?: DonatorErasure",
    /exportDonations\.erasure is an object, which a parameter can't be/,
  ),
  parameter(
    "a list in the query that is not repeated",
    "@query channels?: ChannelFilter",
    /exportDonations\.channels is a list, .*write @query\(#\{ explode: true \}\)/,
  ),
  parameter(
    "a header of a request in lower case",
    "@header language2?: searchText",
    /The header language2 is not written as others are: write @header\("Language2"\)/,
  ),
  parameter("a cookie", "@cookie session?: searchText", /exportDonations\.session is a cookie, which the server does not read/),
  [
    "a list in the path",
    {
      file: "webhooks.tsp",
      from: "op getWebhook(\n  /** The endpoint's `id`. */\n  @path webhookId: string",
      to: "op getWebhook(\n  /** The endpoint's `id`. */\n  @path webhookId: ChannelFilter",
    },
    "@path webhookId: ChannelFilter",
    /getWebhook\.webhookId is a parameter of the path, which is one value and never absent/,
  ],
  [
    "a body that is a list",
    { file: "timer.tsp", from: "@body adjustment: TimerAdjustment)", to: "@body adjustment: TimerAdjustment[])" },
    "op adjustTimer(",
    /adjustTimer has a body that is no object: declare a model/,
  ],
  [
    "a model of a request that extends another",
    {
      file: "timer.tsp",
      from: `/** Seconds to add or to take. */\n${adjustment} {`,
      to: `/** What is tried. */\n@closed\nmodel TimerTrial {\n  /** Whether. */\n  trial?: boolean;\n}\n\n/** Seconds to add or to take. */\n${adjustment} extends TimerTrial {`,
    },
    "model TimerAdjustment",
    /TimerAdjustment extends TimerTrial, and each refuses the members of the other: write \.\.\.TimerTrial; in it/,
  ],
  [
    "a refusal that is no problem",
    {
      file: "categories.tsp",
      from: "): StreamingCategoriesListed | NotModified",
      to: "): StreamingCategoriesListed | { @statusCode _: 418 } | NotModified",
    },
    "op listStreamingCategories(",
    /listStreamingCategories answers 418 without a problem: declare one as DonationNotFound/,
  ],
  [
    "a header of an answer in another case",
    { file: "import.tsp", from: '@header("Import-Id")', to: '@header("importId")' },
    '@header("importId")',
    /The header importId is not written as others are: write @header\("Import-Id"\)/,
  ],
  [
    "a header of an answer without a doc comment",
    {
      file: "import.tsp",
      from: '  /** Id of the import. */\n  @header("Import-Id") importId: id;',
      to: '  @header("Import-Id") importId: int32;',
    },
    "importId: int32",
    /ImportIdHeader\.importId has no doc comment/,
  ],
  [
    "an operation without a success",
    { file: "erasure.tsp", from: '  | Ok<DonatorErased, "What was erased, or would be.">\n', to: "" },
    "op eraseDonator(",
    /eraseDonator answers no success: add Ok<…, "description">/,
  ],
  [
    "an answer of bytes without a media type",
    {
      file: "export.tsp",
      from: '  @header\n  contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";\n\n',
      to: "",
    },
    "op exportDonations(",
    /exportDonations answers bytes without a media type: add @header contentType/,
  ],
  [
    "a success without content that has a body",
    { file: "categories.tsp", from: "  @statusCode _: 200;\n", to: "  @statusCode _: 204;\n" },
    "op listStreamingCategories(",
    /listStreamingCategories answers 204 with a body: answer Ok<…, "description">, or Deleted<…>/,
  ],
  [
    "two paths that differ by the name of a parameter",
    {
      file: "webhooks.tsp",
      from: `@route("/api/v1/webhooks/{webhookId}")\n${deleteEndpoint}webhookId`,
      to: `@route("/api/v1/webhooks/{endpointId}")\n${deleteEndpoint}endpointId`,
    },
    "op deleteWebhook(",
    /deleteWebhook has the path \/api\/v1\/webhooks\/\{endpointId\}, and \w+ has \/api\/v1\/webhooks\/\{webhookId\}: write the same parameter in both/,
  ],
  [
    "an operation with the title of another one",
    { file: "timer.tsp", from: '@summary("Resume the timer")', to: '@summary("Pause the timer")' },
    "op resumeTimer(",
    /resumeTimer has the @summary "Pause the timer", as pauseTimer has: write a title of its own/,
  ],
  [
    "@mcpTool that says of a GET operation what it changes",
    { file: "search.tsp", from: "@mcpTool\n", to: "@mcpTool(#{ destructive: true })\n" },
    "op searchDonations(",
    /searchDonations has @mcpTool with idempotent or destructive on a GET operation/,
  ],
  [
    "@mcpTool that does not require the idempotency key",
    {
      file: "timer.tsp",
      from: "@rateLimit(RateLimit.control)\nop adjustTimer(",
      to: "@rateLimit(RateLimit.control)\n@mcpTool\nop adjustTimer(",
    },
    "op adjustTimer(",
    /adjustTimer has @mcpTool and an optional idempotencyKey, .*write required: #\["idempotencyKey"\]/,
  ],
  [
    "a value that an enum has twice",
    { file: "donations.tsp", from: '  amountAscending: "amount",\n', to: '  amountAscending: "amount",\n  smallest: "amount",\n' },
    "smallest:",
    /DonationSort\.smallest has the value "amount", as another member of DonationSort has/,
  ],
  [
    "a type of event of another form",
    {
      file: "events.tsp",
      from: "  `donation.voided`,\n",
      to: "  `donation.voided`,\n\n  /** A donation was tagged. */\n  DonationTagged,\n",
    },
    "DonationTagged",
    /The type of event DonationTagged is not written as others are: .*such as `goal\.reached`/,
  ],
  [
    "a scope of another form",
    { file: "security.tsp", from: '"void:donations"', to: '"void-donations"' },
    "voidDonations:",
    /The scope voidDonations is "void-donations": write a verb and what it is about/,
  ],
  [
    "an enum without a doc comment",
    { file: "reports.tsp", from: "/** Size of the buckets of a trend, in local time. */\n", to: "" },
    "enum Interval",
    /Interval has no doc comment: describe above it what it means/,
  ],
  [
    "a type whose name is written as those of another kind",
    {
      file: "categories.tsp",
      from: "/** A name in Thai and English. */",
      to: "enum categoryKind {\n  game,\n}\n\n/** A name in Thai and English. */",
    },
    "enum categoryKind",
    /categoryKind is not in PascalCase, as models, enums and unions are/,
  ],
];
