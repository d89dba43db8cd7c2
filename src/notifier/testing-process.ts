// Another process with a notifier, for tests: it reports notifications to its parent, sends those that its parent asks for, and closes
// the notifier on request. It must then end by itself; if it does not, the notifier has left something open.

import { silent } from "../db/testing.ts";
import { openNotifier } from "./open-notifier.ts";

const { config, databaseUrl } = JSON.parse(process.argv[2] ?? "");
const notifier = openNotifier(config, databaseUrl, silent);
notifier.subscribe((streamerId) => process.send?.({ heard: streamerId }));

process.on("message", async ({ notify, close }: { notify?: string; close?: boolean }) => {
  if (notify) notifier.notify(notify);
  if (!close) return;
  await notifier.close();
  process.disconnect();
});
