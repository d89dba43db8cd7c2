// Compares what endpoints have received with the log as it is listed at the end.

import type { Delivered } from "./holding-receiver.ts";

export type DeliveryBreaches = Readonly<{
  /** Events of the log that an endpoint did not get. */
  lost: number;
  /** Requests that repeat an event which the endpoint had got. They are no breach: an endpoint drops what has a known webhook-id. */
  repeated: number;
  /** Repeated requests with another body. */
  changed: number;
  /** Requests whose webhook-id is of no event of the log, or whose body came under another webhook-id before. */
  renamed: number;
}>;

export const noDeliveryBreach = { lost: 0, changed: 0, renamed: 0 };

/** `endpoints`: what each of them got. `listed`: ids of the log. */
export function checkDeliveries(endpoints: readonly (readonly Delivered[])[], listed: readonly string[]): DeliveryBreaches {
  const found = endpoints.map((received) => check(received, new Set(listed)));
  const sum = (name: keyof DeliveryBreaches) => found.reduce((total, one) => total + one[name], 0);
  return { lost: sum("lost"), repeated: sum("repeated"), changed: sum("changed"), renamed: sum("renamed") };
}

function check(received: readonly Delivered[], listed: ReadonlySet<string>): DeliveryBreaches {
  const bodies = new Map<string, string>();
  const ids = new Map<string, string>();
  let [repeated, changed, renamed] = [0, 0, 0];
  for (const { id, body } of received) {
    const known = bodies.get(id);
    if (known !== undefined) repeated += 1;
    if (known !== undefined && known !== body) changed += 1;
    if (!listed.has(id) || (ids.get(body) ?? id) !== id) renamed += 1;
    bodies.set(id, body);
    ids.set(body, id);
  }
  const lost = [...listed].filter((id) => !bodies.has(id)).length;
  return { lost, repeated, changed, renamed };
}
