// Shares the time of the thread that talks with hosts of others: a handshake may take a quarter of a second. An owner whose hosts have used much
// of it waits for nine times as long, so that no owner's hosts get more than a tenth.

import type { Socket } from "node:net";
import { Duplex } from "node:stream";

type Task = () => void;

/** How many times as long as its hosts kept the thread an owner waits. */
const waitFactor = 9;
/** What a read of a well-behaved host costs, and is not counted. Of 64 hosts that cost as much at the same time it is less than a tenth of a second. */
const freeMs = 1;
/** Of a handshake. A chain of certificates is 3 to 8 KiB long as a rule. OpenSSL would read 100 KiB, and verify them for a second. */
const maxHandshakeBytes = 32_768;

/** Of owners who wait: what is to be done then, one task after the other. */
const queues = new Map<string, Task[]>();

/** Calls the task at once, or when its owner has waited. */
function runInTurn(owner: string, task: Task): void {
  const queue = queues.get(owner);
  if (queue) return void queue.push(task);
  measure(task, (ms) => {
    if (ms <= freeMs) return;
    queues.set(owner, []);
    setTimeout(continueQueue, waitFactor * ms, owner);
  });
}

function continueQueue(owner: string): void {
  const task = queues.get(owner)?.shift();
  if (!task) return void queues.delete(owner);
  measure(task, (ms) => setTimeout(continueQueue, waitFactor * ms, owner));
}

/** Milliseconds of computing, with what the same tick does behind the task, as the parser of an answer does. */
function measure(task: Task, measured: (ms: number) => void): void {
  const began = process.threadCpuUsage();
  task();
  process.nextTick(() => {
    const { user, system } = process.threadCpuUsage(began);
    measured((user + system) / 1_000);
  });
}

type MeteredStream = Readonly<{ stream: Duplex; endHandshake: () => void }>;

/** The bytes of a connection, let in while its owner has time left. */
export function meter(socket: Socket, owner: string): MeteredStream {
  let isHeld = false;
  let handshakeBytes = 0;
  const stream = new Duplex({
    read: () => void (isHeld || socket.resume()),
    write: (chunk, encoding, done) => void socket.write(chunk, encoding, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  const letIn = (chunk: Buffer | null) => {
    isHeld = true;
    socket.pause();
    runInTurn(owner, () => {
      isHeld = false;
      if (!stream.destroyed && stream.push(chunk)) socket.resume();
    });
  };
  const countHandshake = ({ length }: Buffer) => {
    handshakeBytes += length;
    if (handshakeBytes > maxHandshakeBytes) stream.destroy(Object.assign(new Error("too long"), { code: "HANDSHAKE_TOO_LONG" }));
  };
  socket
    .on("data", countHandshake)
    .on("data", letIn)
    .on("end", () => letIn(null))
    .on("error", (error) => stream.destroy(error));
  return { stream, endHandshake: () => void socket.off("data", countHandshake) };
}
