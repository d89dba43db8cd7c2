// POST requests to one address over connections that are kept, each for one request at a time. undici is a third of the cost of node:http.

import type { Client } from "undici";
import type { Resolve } from "../../../http/addresses.ts";
import { openPacedClient } from "../../../http/paced-client.ts";

export type Answer = Readonly<{
  status: number;
  /** The first kilobyte. */
  text: string;
  retryAfter: string | undefined;
}>;

export type Timeouts = Readonly<{ connectMs: number; wholeMs: number }>;

export type Requests = Readonly<{
  url: URL;
  /** Rejects with Aborted after `close`. A status that has arrived counts, whatever becomes of the rest of the answer. */
  post: (headers: Record<string, string>, body: string) => Promise<Answer>;
  /** Ends all requests at once. */
  close: () => void;
}>;

/** The connection was closed by this process: nothing is known of the request. */
export class Aborted extends Error {}

type Target = Readonly<{ url: URL; resolve: Resolve; timeouts: Timeouts }>;

/** `isUsed`: its connection has carried a request before. `received`: bytes of the present answer, with its headers and informational answers. */
type Channel = { readonly client: Client; isUsed: boolean; received: number };

type Exchanged = Readonly<{ answer: Answer; isWhole: boolean }>;

const maxHeaderBytes = 16_384;
const maxAnswerBytes = 1_024;
/** A longer answer is not read to its end: its connection is closed instead of being used again. */
const maxDrainedBytes = 65_536;
/** Of an answer with all that is around its body. */
const maxReceivedBytes = 2 * maxDrainedBytes;

/** Opens no connection before something is sent. Each connection goes to an address that `resolve` returned for it. */
export function openRequests(target: Target): Requests {
  const channels = new Set<Channel>();
  const idle: Channel[] = [];
  let isClosed = false;
  const open = async () => {
    const channel = await openChannel(target);
    if (isClosed) throw new Aborted();
    return channel;
  };
  const send = async (channel: Channel, headers: Record<string, string>, body: string) => {
    channels.add(channel);
    try {
      const { answer, isWhole } = await exchange(channel, target, { headers, body });
      channel.isUsed = true;
      if (isWhole) idle.push(channel);
      else drop(channel);
      return answer;
    } catch (error) {
      drop(channel);
      throw isClosed ? new Aborted() : error;
    }
  };
  const drop = (channel: Channel) => {
    channels.delete(channel);
    void channel.client.destroy();
  };
  return {
    url: target.url,
    post: async (headers, body) => {
      if (isClosed) throw new Aborted();
      const channel = idle.pop() ?? (await open());
      const { isUsed } = channel;
      try {
        return await send(channel, headers, body);
      } catch (error) {
        // The endpoint may have closed the connection while the request was on its way: such a request is sent once more.
        if (!isUsed || !isReset(error)) throw error;
        return send(await open(), headers, body);
      }
    },
    close: () => {
      isClosed = true;
      for (const channel of channels) drop(channel);
    },
  };
}

async function openChannel({ url, resolve, timeouts }: Target): Promise<Channel> {
  const host = { url, resolve, connectMs: timeouts.connectMs, maxHeaderBytes };
  const client = await openPacedClient(host, (bytes) => countReceived(channel, bytes));
  const channel: Channel = { client, isUsed: false, received: 0 };
  client.on("disconnect", () => {
    channel.isUsed = false;
  });
  return channel;
}

function countReceived(channel: Channel, bytes: number): void {
  channel.received += bytes;
  if (channel.received > maxReceivedBytes) void channel.client.destroy(new Error("The answer is too long."));
}

const resets = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);
const isReset = (error: unknown): boolean => resets.has((error as { code?: string }).code ?? "");

function exchange(
  channel: Channel,
  { url, timeouts }: Target,
  message: { headers: Record<string, string>; body: string },
): Promise<Exchanged> {
  const { client } = channel;
  channel.received = 0;
  return new Promise((resolve, reject) => {
    let status = 0;
    let retryAfter: string | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (reason: string) => void client.destroy(new Error(reason));
    const whole = setTimeout(end, timeouts.wholeMs, `No answer within ${timeouts.wholeMs / 1000} seconds.`);
    const settle = (isWhole: boolean) => {
      clearTimeout(whole);
      resolve({ answer: { status, text: textOf(chunks), retryAfter }, isWhole });
    };
    client.dispatch(
      { path: url.pathname + url.search, method: "POST", ...message },
      {
        onRequestStart: () => {},
        onResponseStart: (_, code, headers) => {
          if (code < 200) return;
          status = code;
          retryAfter = [headers["retry-after"]].flat()[0];
        },
        onResponseData: (_, chunk) => {
          if (size < maxAnswerBytes) chunks.push(Buffer.from(chunk.subarray(0, maxAnswerBytes - size)));
          size += chunk.length;
          if (size > maxDrainedBytes) end("The answer is too long.");
        },
        onResponseEnd: () => settle(true),
        onResponseError: (_, error) => {
          if (status > 0) return settle(false);
          clearTimeout(whole);
          reject(isConnectTimeout(error) ? new Error(`No connection within ${timeouts.connectMs / 1000} seconds.`) : error);
        },
      },
    );
  });
}

const isConnectTimeout = (error: Error): boolean => (error as { code?: string }).code === "UND_ERR_CONNECT_TIMEOUT";

/** A character that is cut at its end is left out, and NUL, which PostgreSQL does not store, is replaced. */
function textOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return "";
  return new TextDecoder().decode(Buffer.concat(chunks), { stream: true }).replaceAll("\0", "\ufffd");
}
