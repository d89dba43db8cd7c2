// Commands for streamers.

import { text } from "node:stream/consumers";
import { streamerStore } from "../donations/streamers.ts";
import { unlockLogins } from "../oauth/accounts/check-password.ts";
import { passwordStore } from "../oauth/accounts/passwords.ts";
import { type AddCommands, streamerCommand } from "./command.ts";

export const addStreamerCommands: AddCommands = (program, does) => {
  const streamers = program.command("streamers").description("streamers and their passwords");
  streamers
    .command("create <handle>")
    .description("adds a streamer")
    .action(does(({ knex }, handle) => streamerStore(knex).create(handle)));
  streamers
    .command("list")
    .description("lists streamers")
    .action(does(({ knex }) => streamerStore(knex).list()));
  streamers
    .command("set-password <handle>")
    .description("reads the password from standard input")
    .action(
      does(async ({ knex }, handle) => {
        const streamer = await streamerStore(knex).require(handle);
        await passwordStore(knex).setPassword(streamer.id, (await text(process.stdin)).replace(/\r?\n$/, ""));
        return { streamer: streamer.handle, password: "set" };
      }),
    );
  const logins = program.command("logins").description("logins of streamers");
  streamerCommand(logins, "unlock", "lets a streamer log in after too many failed logins").action(
    does(async ({ knex }, options) => {
      const streamer = await streamerStore(knex).require(options.streamer);
      await unlockLogins(knex, streamer.id);
      return { streamer: streamer.handle, logins: "unlocked" };
    }),
  );
};
