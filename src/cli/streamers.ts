// Commands for streamers.

import { text } from "node:stream/consumers";
import { streamerStore } from "../donations/streamers.ts";
import { unlockLogins } from "../oauth/accounts/check-password.ts";
import { passwordStore } from "../oauth/accounts/passwords.ts";
import type { Command } from "./command.ts";

export const streamerCommands: Command[] = [
  {
    usage: "streamers create HANDLE",
    positionals: ["HANDLE"],
    run: ({ knex }, { positional }) => streamerStore(knex).create(positional("HANDLE")),
  },
  {
    usage: "streamers list",
    run: ({ knex }) => streamerStore(knex).list(),
  },
  {
    usage: "streamers set-password HANDLE    (reads the password from standard input)",
    positionals: ["HANDLE"],
    run: async ({ knex }, { positional }) => {
      const streamer = await streamerStore(knex).require(positional("HANDLE"));
      await passwordStore(knex).setPassword(streamer.id, (await text(process.stdin)).replace(/\r?\n$/, ""));
      return { streamer: streamer.handle, password: "set" };
    },
  },
  {
    usage: "logins unlock --streamer HANDLE    (after too many failed logins)",
    options: { streamer: "once" },
    run: async ({ knex }, { require }) => {
      const streamer = await streamerStore(knex).require(require("streamer"));
      await unlockLogins(knex, streamer.id);
      return { streamer: streamer.handle, logins: "unlocked" };
    },
  },
];
