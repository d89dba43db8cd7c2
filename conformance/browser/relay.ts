import { once } from "node:events";
import { createServer, connect as dial, type Socket } from "node:net";

/** A TCP relay from a browser to the server whose connections can be cut. Its address stays the same when the server restarts. */
export type Relay = {
  url: string;
  /** Closes all connections and accepts none for this time. */
  cut: (ms: number) => void;
  close: () => void;
};

export async function startRelay(address: string): Promise<Relay> {
  const { hostname, port } = new URL(address);
  const sockets = new Set<Socket>();
  let cutUntil = 0;
  const track = (socket: Socket, other: () => Socket): void => {
    sockets.add(socket);
    socket
      .on("error", () => {})
      .on("close", () => {
        sockets.delete(socket);
        other().destroy();
      });
  };
  const server = createServer((near) => {
    if (performance.now() < cutUntil) return void near.destroy();
    const far = dial(Number(port), hostname);
    track(near, () => far);
    track(far, () => near);
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = server.address();
  if (own === null || typeof own === "string") throw new Error("no TCP port");
  const cut = (ms: number): void => {
    cutUntil = performance.now() + ms;
    for (const socket of sockets) socket.destroy();
  };
  const close = (): void => {
    server.close();
    cut(0);
  };
  return { url: `http://127.0.0.1:${own.port}`, cut, close };
}
