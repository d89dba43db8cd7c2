// Asks a server for every operation of the contract once, and for what streamers do on its pages, through MCP and on the command line.

import { askAlerts } from "./alerts.ts";
import { type Asked, openCaller, type Streamer } from "./caller.ts";
import { askMcp, askOAuth, askPages, askPublic } from "./clients.ts";
import { askDonations, askEvents, askWebhooks, eraseDonator, undoImport } from "./donations.ts";

export async function askEverything(streamer: Streamer): Promise<Asked> {
  const { caller, asked } = openCaller(streamer);
  for (const step of [askPublic, askWebhooks, askDonations, askAlerts, askEvents, askOAuth, askPages, askMcp, undoImport, eraseDonator])
    await step(caller).catch((error: Error) => caller.refuse(`${step.name}: ${error.stack}`));
  return asked();
}
