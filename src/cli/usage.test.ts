import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { databaseNotice, readCall } from "./run.ts";

/** The names of commands in a help text. */
const listed = (text: unknown) => [...String(text).matchAll(/^ {2}([a-z-]+ [a-z-]+)(?= |$)/gm)].map(([, name]) => name);
const refused = (...words: string[]) =>
  readCall(words).then(
    () => "",
    ({ message }: Error) => message,
  );

const all = [
  ...["streamers create", "streamers list", "streamers set-password", "logins unlock"],
  ...["keys create", "keys moderator", "keys list", "keys revoke", "overlay-keys create", "overlay-keys list", "overlay-keys revoke"],
  ...["donations add", "donations void", "donations import", "donations imports", "donations undo-import"],
  ...["donators erase", "donators retention", "donators purge", "audit verify", "audit export"],
  ...["database migrate", "database backup", "database restore", "database verify", "reports rebuild", "search rebuild"],
  ...["clients create", "clients list", "clients rotate", "clients remove", "signing-keys rotate"],
];

test("--help lists every command", async () => expect(listed(await readCall(["--help"]))).toEqual(all));

test("--help behind a noun lists its commands, and behind a command describes its options", async () => {
  expect(listed(await readCall(["keys", "--help"]))).toEqual(all.filter((name) => name.startsWith("keys ")));
  expect(await readCall(["keys", "create", "--streamer", "a", "-h"])).toMatch(/keys create \[options\][\s\S]*--expires <date-time>/);
});

test("a call without a known command is refused with the commands that begin like it", async () => {
  expect(listed(await refused())).toEqual(all);
  expect(listed(await refused("x", "y"))).toEqual(all);
  expect(listed(await refused("signing-keys"))).toEqual(["signing-keys rotate"]);
  expect(await refused("signing-keys", "turn")).toMatch(/^error: unknown command 'turn'/);
});

test.each([
  [["keys", "list"], "required option '--streamer <handle>' not specified"],
  [["keys", "list", "--streamer"], "option '--streamer <handle>' argument missing"],
  [["keys", "list", "--streamer", ""], "option '--streamer <handle>' argument missing"],
  [["keys", "list", "--streamer", "a", "--x"], "unknown option '--x'"],
  [["keys", "list", "--streamer", "a", "b"], "too many arguments"],
  [["keys", "revoke"], "missing required argument 'key-id'"],
  [["keys", "create", "--streamer", "a", "--scopes", " "], "It must name at least one of write:donations"],
  [["keys", "create", "--streamer", "a", "--scopes", "read:all"], '"read:all" is none of write:donations'],
  [["overlay-keys", "create", "--streamer", "a", "--name", " "], "It must have 1 to 60 characters"],
  [["donators", "erase", "--streamer", "a", "--identifier", "--dry-run"], "option '--identifier <identifier>' argument missing"],
  [["donators", "retention", "--streamer", "a", "--days", "9", "--off"], "'--days <n>' cannot be used with option '--off'"],
  [["donators", "retention", "--streamer", "a", "--days", "0"], "It must be a whole number from 1 to"],
  [["donations", "import", "a.csv", "--streamer", "a", "--map", "Paid by"], "It must be COLUMN=MEMBER"],
  [["donations", "import", "a.csv", "--streamer", "a", "--timezone", "Siam"], "It must be an IANA name"],
  [["donations", "import", "a.csv", "--streamer", "a", "--import-id", "1"], "It must be a UUID in lower case"],
  [["donations", "add", "--streamer", "a", "--source", "test", "--amount", "two"], "It must be a number"],
])("the words %j are refused with what is wrong and the usage of the command", async (words, wrong) => {
  const message = await refused(...words);
  expect(message).toContain(wrong);
  expect(message).toContain(`Usage: npm run --silent cli -- ${words.slice(0, 2).join(" ")} `);
});

test("the embedded database is named only when neither DATA_DIR nor DATABASE_URL is set", () => {
  const embedded = readConfig({ DATA_DIR: "data" });
  expect(databaseNotice(embedded, {})).toMatch(/embedded database in \/.*\/data /);
  expect(databaseNotice(embedded, { DATA_DIR: "data" })).toBeNull();
  expect(databaseNotice(readConfig({ DATABASE_URL: "postgres://a:secret@b/c" }), {})).toBeNull();
});
