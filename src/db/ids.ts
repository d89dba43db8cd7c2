// Ids of rows, requests and tokens: UUIDv7 (RFC 9562 5.7), rising within a process.

import { randomFillSync } from "node:crypto";
import { V7Generator } from "uuidv7";

// Random numbers are fetched a thousand at a time: the package's own eight at a time cost as much as the rest of the id.
const numbers = new Uint32Array(1_024);
let used = numbers.length;

function nextUint32(): number {
  if (used === numbers.length) {
    randomFillSync(numbers);
    used = 0;
  }
  return numbers[used++] as number;
}

const generator = new V7Generator({ nextUint32 });

export const newId = (): string => generator.generate().toString();
