// A relay to the database server that can fall silent, for tests: like a stopped server it takes connections and statements, answers none,
// and closes nothing.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type SilentRelay = {
  /** The address of the database at `url`, through the relay. */
  url: string;
  /** Passes nothing on until `speak`. */
  fallSilent(): void;
  /** Passes on what has come meanwhile, and everything that comes later. */
  speak(): void;
  close(): void;
};

export async function silentRelay(url: string): Promise<SilentRelay> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const track = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    if (isSilent) socket.pause();
    socket.on("error", () => {}).on("data", (part) => other.write(part));
    socket.on("close", () => sockets.delete(socket) && other.destroy());
  };
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    track(near, far);
    track(far, near);
    if (isSilent) for (const socket of [near, far]) socket.pause();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: Object.assign(new URL(url), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href,
    fallSilent: () => {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    speak: () => {
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
