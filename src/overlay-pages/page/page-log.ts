// The log of this page, for tests and for debugging: `journal` on the console.

type Entry = Readonly<{ at: number; event: string; playbackId?: string; [detail: string]: unknown }>;

declare global {
  interface Window {
    journal: Entry[];
  }
}

const maxEntries = 1_000;

window.journal = [];

export function logEvent(event: string, details: Readonly<Record<string, unknown>> = {}): void {
  window.journal.push({ at: Date.now(), event, ...details });
  if (window.journal.length > maxEntries) window.journal.shift();
}
