import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import type { Command } from "./command.ts";
import { databaseNotice, helpFor, nameOf, usageOf } from "./run.ts";

const command = (usage: string): Command => ({ usage, run: async () => "" });
const commands = [command("keys create --streamer HANDLE"), command("keys list --streamer HANDLE"), command("streamers create HANDLE")];
const named = (text: string | null) => commands.filter(({ usage }) => text?.includes(usage)).map(nameOf);

test("--help shows every command", () => expect(named(helpFor(commands, ["--help"]))).toHaveLength(3));

test("--help behind a noun shows its commands, and behind a command this command alone", () => {
  expect(named(helpFor(commands, ["keys", "--help"]))).toEqual(["keys create", "keys list"]);
  expect(named(helpFor(commands, ["keys", "create", "--streamer", "a", "-h"]))).toEqual(["keys create"]);
});

test("--help behind an unknown noun shows every command", () => expect(named(helpFor(commands, ["x", "--help"]))).toHaveLength(3));

test("arguments without --help show no help", () => expect(helpFor(commands, ["keys", "create"])).toBeNull());

test("an incomplete command shows the usage of the commands that begin with it", () =>
  expect(named(usageOf(commands, ["keys"]))).toEqual(["keys create", "keys list"]));

test("the embedded database is named only when neither DATA_DIR nor DATABASE_URL is set", () => {
  const embedded = readConfig({ DATA_DIR: "data" });
  expect(databaseNotice(embedded, {})).toMatch(/embedded database in \/.*\/data /);
  expect(databaseNotice(embedded, { DATA_DIR: "data" })).toBeNull();
  expect(databaseNotice(readConfig({ DATABASE_URL: "postgres://a:secret@b/c" }), {})).toBeNull();
});
