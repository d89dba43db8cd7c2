// What this page did, for tests and for whoever looks for a fault: `journal` on the console.

export type Entry = Readonly<{ at: number; event: string; playbackId?: string; [detail: string]: unknown }>;

declare global {
  interface Window {
    journal: Entry[];
  }
}

const kept = 1_000;

window.journal = [];

export function note(event: string, details: Readonly<Record<string, unknown>> = {}): void {
  window.journal.push({ at: Date.now(), event, ...details });
  if (window.journal.length > kept) window.journal.shift();
}
