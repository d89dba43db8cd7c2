// Another process with a notifier, for tests: prints what it hears, tells what it is sent by its parent, and closes when
// told to. It must end by itself then: what keeps it alive was left behind.

import { silent } from "../db/testing.ts";
import { openNotifier } from "./open-notifier.ts";

const { config, databaseUrl } = JSON.parse(process.argv[2] ?? "");
const notifier = openNotifier({ config, databaseUrl, log: silent });
notifier.subscribe((streamerId) => process.send?.({ heard: streamerId }));

process.on("message", async ({ tell, close }: { tell?: string; close?: boolean }) => {
  if (tell) notifier.notify(tell);
  if (!close) return;
  await notifier.close();
  process.disconnect();
});
