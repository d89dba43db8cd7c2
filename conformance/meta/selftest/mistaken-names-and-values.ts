// Mistakes in spec/ about names of operations, parameters of paths, examples and defaults.

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
];
