// Requests to one address over connections that are kept, each for one request at a time. undici is a third of the cost of node:http. It runs
// in the thread of hosts-worker.ts.

import { connect as connectTcp, type LookupFunction, type Socket } from "node:net";
import { buildConnector, Client } from "undici";
import { ciphersWithoutDhe } from "../addresses.ts";
import { type HostAnswer, type HostOptions, type HostRequest, tooLong } from "./host-answer.ts";
import { meter } from "./host-time.ts";

export type Connections = Readonly<{
  /** A status that has arrived counts, whatever becomes of the rest of the answer. */
  send: (request: HostRequest) => Promise<HostAnswer>;
  /** Ends all requests at once. */
  close: () => void;
}>;

type Target = Readonly<{ options: HostOptions; lookup: LookupFunction }>;

/** `isUsed`: its connection has carried a request before. `received`: bytes of the present answer, with its headers and informational answers. */
type Channel = { readonly client: Client; isUsed: boolean; received: number };

const keepMs = 60_000;

/** Opens no connection before something is sent. */
export function openConnections(options: HostOptions, lookup: LookupFunction): Connections {
  const channels = new Set<Channel>();
  const idle: Channel[] = [];
  const target = { options, lookup };
  const drop = (channel: Channel) => {
    channels.delete(channel);
    void channel.client.destroy();
  };
  const sendOver = async (channel: Channel, request: HostRequest) => {
    channels.add(channel);
    try {
      const answer = await exchange(channel, options, request);
      channel.isUsed = true;
      if (answer.cutOff === null) idle.push(channel);
      else drop(channel);
      return answer;
    } catch (error) {
      drop(channel);
      throw error;
    }
  };
  return {
    send: async (request) => {
      const channel = idle.pop() ?? openChannel(target);
      const { isUsed } = channel;
      try {
        return await sendOver(channel, request);
      } catch (error) {
        // The endpoint may have closed the connection while the request was on its way: such a request is sent once more.
        if (!isUsed || !isReset(error)) throw error;
        return sendOver(openChannel(target), request);
      }
    },
    close: () => {
      for (const channel of channels) drop(channel);
    },
  };
}

const resets = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);
const isReset = (error: unknown): boolean => resets.has((error as { code?: string }).code ?? "");

/** One connection at a time, without time-outs but that of the connection. */
function openChannel({ options, lookup }: Target): Channel {
  const { url, owner, timeouts, bytes, trusted } = options;
  const ca = trusted && { ca: [...trusted] };
  const connect = buildConnector({ lookup, timeout: timeouts.connectMs, ciphers: ciphersWithoutDhe, ...ca });
  const client = new Client(new URL(url).origin, {
    connect: (host, callback) => {
      const isTls = host.protocol === "https:";
      const tcp = isTls ? meter(connectTcp({ host: host.hostname, port: Number(host.port || 443), lookup, noDelay: true }), owner) : null;
      connect({ ...host, ...(tcp && { httpSocket: tcp.stream as Socket }) }, (...result) => {
        tcp?.endHandshake();
        if (result[1]) countReads(result[1], (count) => countReceived(channel, count, bytes.received));
        callback(...result);
      });
    },
    keepAliveTimeout: keepMs,
    keepAliveMaxTimeout: keepMs,
    maxHeaderSize: bytes.headers,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const channel: Channel = { client, isUsed: false, received: 0 };
  client.on("disconnect", () => {
    channel.isUsed = false;
  });
  return channel;
}

/** undici calls `read()` for all that has arrived. */
function countReads(socket: Socket, count: (bytes: number) => void): void {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): Buffer | null => {
    const chunk: Buffer | null = read(size);
    if (chunk !== null) count(chunk.length);
    return socket.destroyed ? null : chunk;
  };
}

function countReceived(channel: Channel, bytes: number, max: number): void {
  channel.received += bytes;
  if (channel.received > max) void channel.client.destroy(new Error(tooLong));
}

function exchange(channel: Channel, { url, timeouts, bytes }: HostOptions, request: HostRequest): Promise<HostAnswer> {
  const { client } = channel;
  channel.received = 0;
  const { pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const start = { status: 0, retryAfter: undefined as string | undefined, contentType: undefined as string | undefined };
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (reason: string) => void client.destroy(new Error(reason));
    const whole = setTimeout(end, timeouts.wholeMs, `No answer within ${timeouts.wholeMs / 1000} seconds.`);
    const settle = (cutOff: string | null) => {
      clearTimeout(whole);
      resolve({ ...start, text: textOf(chunks), cutOff });
    };
    client.dispatch(
      { path: pathname + search, ...request },
      {
        onRequestStart: () => {},
        onResponseStart: (_, status, headers) => {
          if (status < 200) return;
          const [retryAfter, contentType] = ["retry-after", "content-type"].map((name) => [headers[name]].flat()[0]);
          Object.assign(start, { status, retryAfter, contentType });
        },
        onResponseData: (_, chunk) => {
          if (size < bytes.kept) chunks.push(Buffer.from(chunk.subarray(0, bytes.kept - size)));
          size += chunk.length;
          if (size > bytes.drained) end(tooLong);
        },
        onResponseEnd: () => settle(null),
        onResponseError: (_, error) => {
          if (start.status > 0) return settle(error.message);
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
