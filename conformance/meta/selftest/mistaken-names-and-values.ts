// Mistakes in spec/ about names of operations, paths, examples, defaults and bounds.

import type { Case } from "./contract-mistakes.ts";

export const namesAndValues: Case[] = [
  [
    "an operation with another published name",
    { file: "account.tsp", from: "op getMe(", to: '@OpenAPI.operationId("getAlertQueue")\nop getMe(' },
    "op getMe(",
    /getMe has @operationId\("getAlertQueue"\): take it away, and write the name after op/,
  ],
  [
    "a GET operation whose name does not say that it reads",
    { file: "search.tsp", from: "op searchDonations(", to: "op findDonations(" },
    "op findDonations(",
    /findDonations is a GET operation: begin its name with get, list, search, export or stream/,
  ],
  [
    "an operation that changes something and has the name of one that reads",
    { file: "erasure.tsp", from: "op eraseDonator(", to: "op getDonatorErased(" },
    "op getDonatorErased(",
    /getDonatorErased is no GET operation, and has the name of one: begin it with a verb other than get, list/,
  ],
  [
    "a parameter of the path that the route does not have",
    { file: "categories.tsp", from: "@query q?: categoryText", to: "@path q: categoryText" },
    "q: categoryText",
    /listStreamingCategories\.q is a parameter of the path, and @route\("\/api\/v1\/streaming-categories"\) does not have it: write \{q\} there/,
  ],
  [
    "an example that does not match the pattern of its type",
    { file: "donations.tsp", from: 'createdAt: "2026-11-20T12:30:00.000Z",', to: 'createdAt: "yesterday",' },
    'createdAt: "yesterday"',
    /The example of Donation: createdAt is "yesterday", which does not match \^/,
  ],
  [
    "an example that is beyond a bound of its member",
    { file: "account.tsp", from: "  handle: string", to: "  @maxLength(2) handle: string" },
    'handle: "demo"',
    /handle is "demo", which is longer than 2: write another value, or change the bounds/,
  ],
  [
    "a default that is beyond a bound of its member",
    { file: "paging.tsp", from: "@query limit?: pageLimit", to: "@maxValue(5) @query limit?: pageLimit" },
    "limit?: pageLimit",
    /The default of limit is \d+, which is above 5: write another value, or change the bounds/,
  ],
  [
    "a path that is not written as the others are",
    { file: "search.tsp", from: '@route("/api/v1/donations/search")', to: '@route("/api/v2/DonationSearch")' },
    "op searchDonations(",
    /searchDonations has the path \/api\/v2\/DonationSearch: write one such as \/api\/v1\/streaming-categories/,
  ],
  [
    "a GET operation with a body",
    { file: "export.tsp", from: "op exportDonations(", to: "op exportDonations(\n  @body body?: VoidRequest," },
    "op exportDonations(",
    /exportDonations is a GET operation with a body: make its members parameters, or the operation a POST/,
  ],
  ...(
    [
      ["a number without bounds in a request", "weight?: int64", "is a number without a least and a largest value"],
      ["a number with one bound in a request", "@minValue(1) weight?: int32", "is a number without a least and a largest value"],
      ["a list without bounds in a request", "weight?: voidNote[]", "is a list without a largest number of items"],
      ["a time of another form in a request", "weight?: utcDateTime", "is utcDateTime, whose forms nobody has bounded"],
    ] as const
  ).map(
    ([title, member, said]): Case => [
      title,
      { file: "donations.tsp", from: "  note?: voidNote;\n", to: `  note?: voidNote;\n\n  /** Its weight. */\n  ${member};\n` },
      member,
      new RegExp(`VoidRequest\\.weight ${said}`),
    ],
  ),
  [
    "a number without bounds in the query",
    { file: "paging.tsp", from: "?: cursor;", to: "?: cursor;\n\n  /** Items. */\n  @query size?: int32;" },
    "size?: int32",
    /\w+\.size is a number without a least and a largest value: declare a scalar with @minValue and @maxValue/,
  ],
  [
    "a choice without a doc comment beside others that have one",
    { file: "donations.tsp", from: "  /** Credit or debit card. */\n", to: "" },
    "card,",
    /Channel\.card has no doc comment, as the others of Channel have: describe above it what it means/,
  ],
];
