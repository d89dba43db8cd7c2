// Hints within this process alone.

import type { Notifier } from "./ports.ts";

export function localNotifier(): Notifier {
  const listeners: ((streamerId: string) => void)[] = [];
  return {
    notify: (streamerId) => {
      for (const listener of listeners) listener(streamerId);
    },
    subscribe: (listener) => {
      listeners.push(listener);
    },
  };
}
