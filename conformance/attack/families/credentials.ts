// Attacks on credentials: guesses of them, and a valid one with which a client asks for what another streamer has.

import { operations } from "../../suite/contract/contract.ts";
import { publicLength, secretLength, withChecksum } from "../../suite/servers/credentials.ts";
import { type Attack, type AttackedServer, byScale, logIn, statusOfLogin } from "../attack.ts";
import { formatStatusCounts } from "../sockets.ts";

// Guessing credentials: many invalid credentials from one address are refused, valid ones from the same address are not.

/** A key of the right form (interface 5.2) with a valid checksum, so that the server has to look it up in the database. */
const wellFormedKey = (number: number): string => withChecksum(`namjai_v1_${String(number).padStart(publicLength + secretLength, "Z")}`);

async function statusOfMe({ url }: AttackedServer, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

async function repeat(count: number, one: (index: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let first = 0; first < count; first += 20)
    statuses.push(...(await Promise.all(Array.from({ length: Math.min(20, count - first) }, (_, index) => one(first + index)))));
  return statuses;
}

/** Guesses a password until that is refused. */
async function guess(server: AttackedServer, handle: string, known?: string): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429 && statuses.length < 60)
    statuses.push(await statusOfLogin(server, { handle, password: "a guess" }, known));
  return statuses;
}

export const guessedCredentials: readonly Attack[] = [
  {
    rule: "an address that sent many invalid credentials is answered 429 for invalid credentials, well-formed ones included, and is served with a valid one",
    run: async (server, scale) => {
      await statusOfMe(server, server.keys.regularClient); // which is in use: new ones wait behind the guesses
      const malformed = await repeat(byScale(scale, 80, 500), (index) => statusOfMe(server, `nonsense-${index}`));
      const unknown = await repeat(byScale(scale, 200, 5_000), (index) => statusOfMe(server, wellFormedKey(index)));
      const valid = await repeat(10, () => statusOfMe(server, server.keys.regularClient));
      if (valid.some((status) => status !== 200)) throw new Error(`valid credentials: ${formatStatusCounts(valid)}`);
      if (malformed.at(-1) !== 429 || !unknown.includes(429))
        throw new Error(`malformed ${formatStatusCounts(malformed)}; unknown ${formatStatusCounts(unknown)}`);
      return `malformed ${formatStatusCounts(malformed)}; unknown ${formatStatusCounts(unknown)}; valid ${formatStatusCounts(valid)}`;
    },
  },
  {
    rule: "an address that sent twenty wrong passwords is answered 429, and the browser in which the streamer logged in before is not",
    fullScaleOnly: "it locks this address out of the login page for 15 minutes",
    run: async (server) => {
      const { handle } = server.uploaderLogin;
      const known = await logIn(server);
      const guesses = await guess(server, handle);
      const others = await guess(server, "somebody");
      const ofBrowser = await statusOfLogin(server, server.uploaderLogin, known);
      const told = `guesses ${formatStatusCounts(guesses)}; of another handle ${formatStatusCounts(others)}; of the browser ${ofBrowser}`;
      if (guesses.filter((status) => status === 403).length !== 20 || others[0] !== 429 || ofBrowser !== 303) throw new Error(told);
      return told;
    },
  },
  {
    rule: "the cookie of a browser in which the streamer logged in is worth ten guesses where others have none",
    fullScaleOnly: "it runs after the rule before, whose address is locked out",
    run: async (server) => {
      const known = await logIn(server);
      const { handle } = server.uploaderLogin;
      const guesses = await guess(server, handle, known);
      if (guesses.filter((status) => status === 403).length !== 10) throw new Error(formatStatusCounts(guesses));
      return formatStatusCounts(guesses);
    },
  },
];

// Asks for what another streamer has, with every operation that takes an id.

const webhooks = "/api/v1/webhooks";

export const tenancy: readonly Attack[] = [
  {
    rule: "no operation finds another streamer's donation, alert or webhook by its id",
    run: async ({ url, keys }) => {
      const headers = { Authorization: `Bearer ${keys.regularClient}`, "Content-Type": "application/json" };
      const make = async (at: string, body: object): Promise<string> => {
        const answer = await fetch(url + at, { method: "POST", headers, body: JSON.stringify(body) });
        if (answer.status !== 201) throw new Error(`POST ${at}: ${answer.status} ${await answer.text()}`);
        return ((await answer.json()) as { data: { id: string } }).data.id;
      };
      const donationId = await make("/api/v1/donations", { donatorName: "a", amount: 1 });
      const webhookId = await make(webhooks, { url: "https://receiver.test/" });
      const ids: Record<string, string> = { webhookId };
      const withId = operations.filter((operation) => operation.scopes !== null && operation.path.includes("{"));
      const otherStreamer = { ...headers, Authorization: `Bearer ${keys.largeHistory}` };
      const statuses: number[] = [];
      for (const { method, path, requestBody } of withId) {
        const address = url + path.replace(/\{([^}]*)\}/g, (_, name: string) => ids[name] ?? donationId);
        const sent = requestBody === null ? {} : { body: JSON.stringify(requestBody.content["application/json"]?.example ?? {}) };
        const answer = await fetch(address, { method, headers: otherStreamer, ...sent });
        const text = await answer.text();
        if (answer.status !== 404 || text.includes("donatorName")) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        statuses.push(answer.status);
      }
      await fetch(`${url}${webhooks}/${webhookId}`, { method: "DELETE", headers });
      return `${statuses.length} operations: ${formatStatusCounts(statuses)}`;
    },
  },
];
