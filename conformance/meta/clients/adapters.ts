// What every generated client does on the server of API_URL: it records a donation, reads it, lists two pages, is refused, and exports. Prints what became of
// each step: `{"create": "ok", …}`. Each adapter is compiled with the client that its generator has made, and gets it bundled.
//   API_URL=… API_KEY=… node adapters.ts oazapfts

import { randomUUID } from "node:crypto";
import { isAxiosError } from "axios";
import createClient from "openapi-fetch";
import type * as HeyApi from "./generated/hey-api/entry.ts";
import type * as Kubb from "./generated/kubb/entry.ts";
import type * as Oazapfts from "./generated/oazapfts/entry.ts";
import type { paths } from "./generated/openapi-typescript/entry.ts";
import type * as OpenapiTypescriptCodegen from "./generated/openapi-typescript-codegen/entry.ts";
import type * as Orval from "./generated/orval/entry.ts";
import type * as SwaggerTypescriptApi from "./generated/swagger-typescript-api/entry.ts";

type Donation = { id: string; amount: number };

type NewDonation = { donatorName: string; amount: number; message?: string; idempotencyKey?: string };

type Page = { data: Donation[]; pagination: { nextCursor: string | null } };

/** What an adapter makes of a generated client. */
type Client = {
  create: (donation: NewDonation) => Promise<Donation | undefined>;
  read: (id: string) => Promise<Donation | undefined>;
  list: (query: { limit: number; cursor?: string }) => Promise<Page | undefined>;
  /** Sends a donation that is refused; returns the code of the problem. */
  refuse: (donation: NewDonation) => Promise<unknown>;
  exportAll: () => Promise<Blob | undefined>;
};

type Adapter = (generated: never, url: string, key: string) => Client;

const adapters: Record<string, Adapter> = {
  "hey-api": ({ client, createDonation, exportDonations, getDonation, listDonations }: typeof HeyApi, baseUrl, auth) => {
    client.setConfig({ baseUrl, auth });
    return {
      create: async (body) => (await createDonation({ body })).data?.data,
      read: async (donationId) => (await getDonation({ path: { donationId } })).data?.data,
      list: async (query) => (await listDonations({ query })).data,
      refuse: async (body) => (await createDonation({ body })).error?.code,
      exportAll: async () => (await exportDonations()).data,
    };
  },
  kubb: ({ createDonation, exportDonations, getDonation, listDonations }: typeof Kubb, baseURL, key) => {
    const config = { baseURL, headers: { Authorization: `Bearer ${key}` } };
    return {
      create: async (donation) => (await createDonation(donation, config)).data,
      read: async (id) => (await getDonation(id, config)).data,
      list: (query) => listDonations(query, config),
      refuse: (donation) =>
        createDonation(donation, config).then(
          () => undefined,
          (error: unknown) => isAxiosError(error) && error.response?.data.code,
        ),
      exportAll: async () => new Blob([await exportDonations({}, { ...config, responseType: "arraybuffer" })]),
    };
  },
  oazapfts: ({ createDonation, defaults, exportDonations, getDonation, listDonations }: typeof Oazapfts, baseUrl, key) => {
    Object.assign(defaults, { baseUrl, headers: { Authorization: `Bearer ${key}` } });
    return {
      create: async (donation) => {
        const reply = await createDonation(donation);
        return reply.status === 201 ? reply.data.data : undefined;
      },
      read: async (id) => {
        const reply = await getDonation(id);
        return reply.status === 200 ? reply.data.data : undefined;
      },
      list: async (query) => {
        const reply = await listDonations(query);
        return reply.status === 200 ? reply.data : undefined;
      },
      refuse: async (donation) => {
        const reply = await createDonation(donation);
        return reply.status === 400 ? reply.data.code : undefined;
      },
      exportAll: async () => {
        const reply = await exportDonations();
        return reply.status === 200 ? reply.data : undefined;
      },
    };
  },
  "openapi-typescript": (_: unknown, baseUrl, key) => {
    const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
    return {
      create: async (body) => (await api.POST("/api/v1/donations", { body })).data?.data,
      read: async (donationId) => (await api.GET("/api/v1/donations/{donationId}", { params: { path: { donationId } } })).data?.data,
      list: async (query) => (await api.GET("/api/v1/donations", { params: { query } })).data,
      refuse: async (body) => (await api.POST("/api/v1/donations", { body })).error?.code,
      exportAll: async () => (await api.GET("/api/v1/donations/export", { parseAs: "blob" })).data,
    };
  },
  "openapi-typescript-codegen": ({ ApiError, DonationsService, OpenAPI }: typeof OpenapiTypescriptCodegen, url, key) => {
    Object.assign(OpenAPI, { BASE: url, TOKEN: key });
    return {
      create: async (donation) => (await DonationsService.createDonation(donation)).data,
      read: async (id) => (await DonationsService.getDonation(id)).data,
      list: ({ limit, cursor }) => DonationsService.listDonations(limit, cursor),
      refuse: (donation) =>
        DonationsService.createDonation(donation).then(
          () => undefined,
          (error: { body?: { code: string } }) => error instanceof ApiError && error.body?.code,
        ),
      exportAll: async () => new Blob([await DonationsService.exportDonations()]),
    };
  },
  // Its client for fetch asks for paths: the address is that of the page, or of a proxy. Here fetch is given it.
  orval: ({ createDonation, exportDonations, getDonation, listDonations }: typeof Orval, url, key) => {
    const { fetch } = globalThis;
    globalThis.fetch = (path, init) => fetch(`${url}${String(path)}`, init);
    const options = { headers: { Authorization: `Bearer ${key}` } };
    return {
      create: async (donation) => {
        const reply = await createDonation(donation, options);
        return reply.status === 201 ? reply.data.data : undefined;
      },
      read: async (id) => {
        const reply = await getDonation(id, options);
        return reply.status === 200 ? reply.data.data : undefined;
      },
      list: async (query) => {
        const reply = await listDonations(query, options);
        return reply.status === 200 ? reply.data : undefined;
      },
      refuse: async (donation) => {
        const reply = await createDonation(donation, options);
        return reply.status === 400 ? reply.data.code : undefined;
      },
      exportAll: async () => {
        const reply = await exportDonations({}, options);
        return reply.status === 200 ? reply.data : undefined;
      },
    };
  },
  "swagger-typescript-api": ({ Api }: typeof SwaggerTypescriptApi, baseUrl, key) => {
    const { api } = new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${key}` }, format: "json" } });
    return {
      create: async (donation) => (await api.createDonation(donation)).data.data,
      read: async (id) => (await api.getDonation(id)).data.data,
      list: async (query) => (await api.listDonations(query)).data,
      refuse: (donation) =>
        api.createDonation(donation).then(
          () => undefined,
          (reply: { error: { code: string } }) => reply.error.code,
        ),
      exportAll: async () => (await api.exportDonations({}, { format: "blob" })).data,
    };
  },
};

const { API_URL = "", API_KEY = "" } = process.env;
const [, , name = ""] = process.argv;
const adapter = adapters[name];
if (!adapter) throw new Error(`there is no adapter ${name}`);
await tell(adapter((await import(`./generated/${name}.mjs`)) as never, API_URL, API_KEY));

/** Takes the steps, and prints what became of each. */
async function tell({ create, read, list, refuse, exportAll }: Client): Promise<void> {
  const recorded: Donation[] = [];
  const steps = {
    create: async () => {
      for (const amount of [123.45, 20]) {
        const donation = { donatorName: "สมชาย ใจดี", amount, message: "ขอบคุณครับ", idempotencyKey: randomUUID() };
        recorded.push(known(await create(donation)));
      }
    },
    read: async () => expectSame(known(await read(recorded[0]?.id ?? "")).amount, 123.45),
    list: async () => expectSame(known(await list({ limit: 1 })).data[0]?.id, recorded[1]?.id),
    "next page": async () => {
      const { nextCursor } = known(await list({ limit: 1 })).pagination;
      expectSame(known(await list({ limit: 1, cursor: nextCursor ?? "" })).data[0]?.id, recorded[0]?.id);
    },
    error: async () => expectSame(await refuse({ donatorName: "สมชาย", amount: 0 }), "validation_failed"),
    export: async () => {
      const bytes = Buffer.from(await known(await exportAll()).arrayBuffer());
      const directory = bytes.readUInt32LE(bytes.length - 6); // the end of a ZIP file names where its list of files begins
      expectSame(bytes.subarray(directory, directory + 4).toString("latin1"), "PK\u0001\u0002");
    },
  };
  const outcomes: Record<string, string> = {};
  for (const [step, take] of Object.entries(steps))
    outcomes[step] = await take().then(
      () => "ok",
      (error: Error) => error.message || String(error),
    );
  console.log(JSON.stringify(outcomes));
}

function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the answer has no body");
  return value;
}

function expectSame(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}
