// One page's end of a coordinator: what the page posts on its port.

import type { FromPage, Hello, ToPage } from "./messages.ts";
import type { PageCoordinator } from "./page-coordinator.ts";

/**
 * Returns what receives the messages of one port. A page that says hello again has left before: pongs are passed on to its last hello only,
 * and the ones before would be taken for lost, which makes the page say hello once more, for ever.
 */
export function servePage(coordinatorOf: (hello: Hello) => PageCoordinator, post: (message: ToPage) => void): (message: FromPage) => void {
  let send: (message: FromPage) => void = () => {};
  return (message) => {
    if (message.type !== "hello") return send(message);
    send({ type: "bye" });
    send = coordinatorOf(message).join(message, post);
  };
}
