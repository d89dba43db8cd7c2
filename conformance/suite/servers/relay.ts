// A TCP relay whose connections a test can cut.

import { once } from "node:events";
import { createServer, connect as dial, type Socket } from "node:net";

/** A TCP relay from a client to the server whose connections can be cut. Its address stays the same when the server restarts. */
export type Relay = {
  url: string;
  /** Closes all connections and accepts none for this time. */
  cut: (ms: number) => void;
  /** Passes nothing to the client for this time, as if the client read nothing. */
  hold: (ms: number) => void;
  close: () => void;
};

export async function startRelay(address: string): Promise<Relay> {
  const { hostname, port } = new URL(address);
  const sockets = new Set<Socket>();
  /** The sides of open connections: client and server. */
  const pairs = new Map<Socket, Socket>();
  let cutUntil = 0;
  const track = (socket: Socket, other: () => Socket): void => {
    sockets.add(socket);
    socket
      .on("error", () => {})
      .on("close", () => {
        sockets.delete(socket);
        pairs.delete(socket);
        other().destroy();
      });
  };
  const server = createServer((near) => {
    if (performance.now() < cutUntil) return void near.destroy();
    const far = dial(Number(port), hostname);
    track(near, () => far);
    track(far, () => near);
    pairs.set(near, far);
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = server.address();
  if (own === null || typeof own === "string") throw new Error("no TCP port");
  const cut = (ms: number): void => {
    cutUntil = performance.now() + ms;
    for (const socket of sockets) socket.destroy();
  };
  const hold = (ms: number): void => {
    for (const [near, far] of pairs) {
      far.unpipe(near).pause();
      setTimeout(() => far.pipe(near), ms).unref();
    }
  };
  const close = (): void => {
    server.close();
    cut(0);
  };
  return { url: `http://127.0.0.1:${own.port}`, cut, hold, close };
}
