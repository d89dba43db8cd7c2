// Mistakes in spec/, each with the declaration that it is about and what the compiler must say of it.

export type Edit = { file: string; from: string; to: string };
export type Case = [title: string, edit: Edit, about: string, said: RegExp];

const getMe = "op getMe(";
export const cases: Case[] = [
  [
    "an operation without a rate limit",
    { file: "account.tsp", from: "@rateLimit(RateLimit.read)\n", to: "" },
    getMe,
    /getMe has no rate limit: add @rateLimit\(RateLimit\.…\).*or @noRateLimit/,
  ],
  [
    "@noRateLimit without a reason",
    { file: "account.tsp", from: "@rateLimit(RateLimit.read)", to: '@noRateLimit("")' },
    getMe,
    /getMe has @noRateLimit without a reason: write @noRateLimit/,
  ],
  [
    "an operation whose rate limit is a member of another enum",
    { file: "account.tsp", from: "RateLimit.read", to: "CredentialKind.api_key" },
    getMe,
    /api_key is not a rate limit: use a member of RateLimit \(spec\/limits\.tsp\)/,
  ],
  [
    "an operation without a summary",
    { file: "account.tsp", from: '@summary("Get the current credential")\n', to: "" },
    getMe,
    /getMe has no @summary: add .*@summary\("…"\)/,
  ],
  ["an operation without a tag", { file: "account.tsp", from: '@tag("Account")\n', to: "" }, getMe, /getMe has no @tag: add .*@tag\("…"\)/],
  [
    "an operation whose tag has no description",
    { file: "erasure.tsp", from: '@tag("Donations")', to: '@tag("Donators")' },
    "op eraseDonator(",
    /eraseDonator has the tag "Donators", which has no description: add @tagMetadata\("Donators".*spec\/main\.tsp/,
  ],
  [
    "an operation without a description",
    {
      file: "account.tsp",
      from: "/** Returns the streamer, the application and the scopes of the credential. Any valid credential is accepted. */\n",
      to: "",
    },
    getMe,
    /getMe has no doc comment: describe/,
  ],
  [
    "an operation whose parameters have no example",
    { file: "categories.tsp", from: '@opExample(#{ parameters: #{ q: "chat" } })\n', to: "" },
    "op listStreamingCategories(",
    /listStreamingCategories has no example of its parameters/,
  ],
  [
    "an operation that requires an unknown scope",
    { file: "search.tsp", from: '["read:donations"]', to: '["read:donation"]' },
    "op searchDonations(",
    /searchDonations requires the unknown scope "read:donation": use a scope of .*spec\/security\.tsp/,
  ],
  [
    "a scope without a description",
    { file: "security.tsp", from: "  /** Record donations. */\n", to: "" },
    "writeDonations:",
    /Scope\.writeDonations has no doc comment, as the others of Scope have/,
  ],
  [
    "a request body without @closed",
    {
      file: "donations.tsp",
      from: '@closed\n@example(#{\n  donatorName: "สมชาย ใจดี",\n  amount: 123.45,\n  message',
      to: '@example(#{\n  donatorName: "สมชาย ใจดี",\n  amount: 123.45,\n  message',
    },
    "model ExternalDonation",
    /ExternalDonation is part of a request body .*add @closed/,
  ],
  [
    "a model inside a request body without @closed",
    { file: "alerts.tsp", from: '@closed\n@example(#{ title: "ไมค์ตัวใหม่"', to: '@example(#{ title: "ไมค์ตัวใหม่"' },
    "model Goal",
    /Goal is part of a request body .*add @closed/,
  ],
  [
    "a model without a name in a request body",
    {
      file: "donations.tsp",
      from: "  note?: voidNote;\n",
      to: "  note?: voidNote;\n\n  /** Of the bank. */\n  bank?: { /** Its case. */ case: voidNote };\n",
    },
    "{ /** Its case",
    /A model without a name is part of a request body .*declare it as a model with a name, and add @closed above it/,
  ],
  [
    "a member of a request body that is a plain string",
    { file: "donations.tsp", from: "  identifier?: identifier;\n", to: "  identifier?: identifier;\n\n  note?: string;\n" },
    "note?: string",
    /ExternalDonation\.note is a plain string in a request body: declare a scalar/,
  ],
  [
    "a free-text scalar without @donatorText",
    { file: "search.tsp", from: "@donatorText(false)\n", to: "" },
    "scalar searchText",
    /searchText is free text: add @donatorText/,
  ],
  ...["string", "string | null", "string[]"].map(
    (type): Case => [
      `a member of type ${type} without @donatorText in an answer that AI assistants read`,
      { file: "donations.tsp", from: "model Donation {\n", to: `model Donation {\n  note?: ${type};\n\n` },
      `note?: ${type}`,
      /Donation\.note is free text in an answer that AI assistants read: add @donatorText/,
    ],
  ),
  [
    "a free-text member without @donatorText in an anonymous model",
    { file: "categories.tsp", from: "  name: LocalName;", to: "  name: LocalName;\n\n  more?: { note: string };" },
    "note: string",
    /A model without a name\.note is free text in an answer that AI assistants read: add @donatorText/,
  ],
  [
    "a problem code without @problem",
    { file: "errors.tsp", from: "  too_many_buckets,\n", to: "  too_many_buckets,\n  too_early,\n" },
    "too_early",
    /too_early has no explanation: add @problem/,
  ],
  [
    "a problem code whose @problem has another status than its responses",
    { file: "errors.tsp", from: "status: 408,", to: "status: 409," },
    "request_timeout,",
    /request_timeout belongs to a problem with status 408, but its @problem says 409/,
  ],
  [
    "an operation that does not say who may call it",
    { file: "search.tsp", from: '@useAuth(Credential<["read:donations"]>)\n', to: "" },
    "op searchDonations(",
    /searchDonations does not say who may call it: add @useAuth\(Credential<\["…"\]>\)/,
  ],
  [
    "an operation with a credential that names no refusal of it",
    { file: "account.tsp", from: "  | ReadErrors;", to: "  | RateLimited | InternalError | Unavailable;" },
    getMe,
    /getMe needs a credential, but names no answer with status 401: add CommonErrors/,
  ],
  [
    "an operation with a rate limit that names no refusal by it",
    { file: "account.tsp", from: "  | ReadErrors;", to: "  | Unauthorized | InternalError | Unavailable;" },
    getMe,
    /getMe has a rate limit, but names no answer with status 429: add CommonErrors/,
  ],
  [
    "an operation with a scope that names no refusal for want of it",
    { file: "donations.tsp", from: "| DonationNotFound | ReadErrors;", to: "| DonationNotFound | CommonErrors;" },
    "op getDonation(",
    /getDonation needs a scope, but names no answer with status 403: add ReadErrors or WriteErrors/,
  ],
  [
    "an operation with a body that names no refusal of it",
    { file: "donations.tsp", from: "  | IdempotencyKeyReused\n  | WriteErrors;", to: "  | IdempotencyKeyReused\n  | ReadErrors;" },
    "op createDonation(",
    /createDonation has a body, but names no answer with status 408, 413, 415: add WriteErrors/,
  ],
  [
    "an operation with parameters that names no refusal of them",
    { file: "categories.tsp", from: "| NotModified | ReadErrors;", to: "| NotModified | CommonErrors;" },
    "op listStreamingCategories(",
    /listStreamingCategories has query parameters, but names no answer with status 400: add ReadErrors or WriteErrors/,
  ],
  [
    "a member of a donation that no answer has",
    {
      file: "donations.tsp",
      from: "  skipAlert?: boolean = false;\n",
      to: "  skipAlert?: boolean = false;\n\n  /** A gift. */\n  gift?: boolean = false;\n",
    },
    "gift?: boolean",
    /gift is a member of ExternalDonation that Donation lacks.*add it to Donation in spec\/donations\.tsp/,
  ],
  [
    "a member of a donation that may be absent from answers",
    { file: "donations.tsp", from: "  message: message;\n", to: "  message?: message;\n" },
    "message?: message;",
    /message is optional in Donation, whose unset members are null and never absent: write message: … \| null/,
  ],
  [
    "a success without data",
    {
      file: "account.tsp",
      from: 'Ok<\n      Me,\n      "The streamer, application and scopes of the credential that was sent."\n    >',
      to: "{\n      @statusCode _: 200;\n      ...Me;\n    }",
    },
    getMe,
    /getMe answers a body that is not \{ "data": … \}: answer Ok<…, "description">/,
  ],
  [
    "a type of event without a model",
    {
      file: "events.tsp",
      from: "  `donation.voided`,\n",
      to: "  `donation.voided`,\n\n  /** A donation was tagged. */\n  `donation.tagged`,\n",
    },
    "`donation.tagged`",
    /The type of event donation\.tagged has no model in the union Event: add it to the types of a model there \(spec\/events\.tsp\)/,
  ],
  [
    "a problem whose code no enum declares",
    { file: "donations.tsp", from: "Problem<409, ConflictCode.already_voided>", to: 'Problem<409, "voided_before">' },
    "op voidDonation(",
    /voidDonation answers a problem with the code "voided_before", which no enum declares: add it to an enum .*spec\/errors\.tsp/,
  ],
  [
    "a member that @mcpTool requires and the body does not have",
    { file: "donations.tsp", from: 'required: #["idempotencyKey"]', to: 'required: #["idempotencykey"]' },
    "op createDonation(",
    /createDonation has @mcpTool with the required member "idempotencykey", which is no optional member of its body: write one of currency, message, /,
  ],
  [
    "@mcpTool on an operation that answers a file",
    { file: "export.tsp", from: "@rateLimit(RateLimit.export)", to: "@mcpTool\n@rateLimit(RateLimit.export)" },
    "op exportDonations(",
    /exportDonations has @mcpTool but does not answer with a JSON object: answer Ok<…>, or take @mcpTool away/,
  ],
  [
    "@mcpTool on an operation that takes no credential",
    {
      file: "oauth.tsp",
      from: '@noRateLimit("A public document that caches may store.")\n@oauth\nop getSigningKeys',
      to: '@mcpTool\n@noRateLimit("A public document that caches may store.")\n@oauth\nop getSigningKeys',
    },
    "op getSigningKeys(",
    /getSigningKeys has @mcpTool but takes no credential or has no rate limit: tools are called with both/,
  ],
  [
    "a list that has no room for all members of its enum",
    { file: "donations.tsp", from: "@maxItems(6)", to: "@maxItems(5)" },
    "model ChannelFilter",
    /ChannelFilter has at most 5 items, and Channel has 6 members.*write @maxItems\(6\)/,
  ],
  [
    "a member without a doc comment",
    { file: "paging.tsp", from: "  /** True when there are more items now. */\n", to: "" },
    "hasMore: boolean",
    /Pagination\.hasMore has no doc comment: describe above it what it means/,
  ],
  [
    "a parameter that is not in camelCase",
    { file: "paging.tsp", from: "?: cursor;", to: "?: cursor;\n\n  /** Items of a page. */\n  @query page_size?: int32;" },
    "page_size?: int32",
    /\.page_size is not in camelCase.*write pageSize/,
  ],
  [
    "a model without a doc comment in an answer",
    { file: "account.tsp", from: "/** The streamer, application and scopes of the credential that was sent. */\n", to: "" },
    "model Me {",
    /Me has no doc comment: describe above it what it means/,
  ],
  [
    "a parameter without a doc comment",
    {
      file: "paging.tsp",
      from: "  /** Maximum number of items on the page. It may change from page to page. */\n  @query limit?: pageLimit",
      to: "  @query limit?: int32",
    },
    "limit?: int32",
    /\.limit has no doc comment: describe above it what it means/,
  ],
  [
    "a parameter of the query that is a plain string",
    { file: "categories.tsp", from: "@query q?: categoryText", to: "@query q?: string" },
    "q?: string",
    /listStreamingCategories\.q is a plain string in the query: declare a scalar/,
  ],
  [
    "a resource that is created without an address",
    { file: "webhooks.tsp", from: 'Created<WebhookWithSecret, "The endpoint was created.">', to: "Success<201, WebhookWithSecret>" },
    "op createWebhook(",
    /createWebhook creates what GET \/api\/v1\/webhooks\/\{…\} reads, .*answer Created<…, "description">/,
  ],
  [
    "the id of another resource without a code for an unknown one",
    { file: "webhooks.tsp", from: "  since: createdAt;", to: "  since: createdAt;\n  webhookDeliveryId?: id;" },
    "webhookDeliveryId?: id",
    /recoverWebhook takes webhookDeliveryId, .*the code unknown_webhook_delivery or webhook_delivery_not_found/,
  ],
];
