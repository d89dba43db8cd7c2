// Mutants of uploaded files.

import type { Edit, Mutants } from "../mutant.ts";

const inFiles = (file: string, from: string, to: string): Edit => ({ file: `src/overlay/files/${file}.ts`, from, to });

export const files: Mutants = {
  "file-of-images-alone": {
    broken: "a file that is not sent as an image is refused",
    edit: {
      file: "src/http/body/body-bytes.ts",
      from: "!(bodyTypes as readonly string[]).includes(type)",
      to: '!type.startsWith("image/")',
    },
    killedBy: [["alerts/upload-alert-file", /what its content says although it was sent as/]],
  },
  "file-of-any-streamer": {
    broken: "a streamer deletes the files of another",
    edit: inFiles("alert-files", "where({ id: fileId, streamer_id: streamerId })", "where({ id: fileId })"),
    killedBy: [["alerts/upload-alert-file", /another one neither lists nor deletes it/]],
  },
  "file-with-a-script": {
    broken: "a script in an image is not looked for",
    edit: inFiles("inspect-file", 'return refused("active_content");', "return inspected;"),
    killedBy: [["alerts/upload-alert-file", /has a script in a comment/]],
  },
  "file-201": {
    broken: "a streamer may have any number of files",
    edit: inFiles("alert-files", "files >= maxFiles || ", ""),
    killedBy: [["alerts/upload-alert-file", /when the streamer has 200 files/]],
  },
  "file-name-of-any-length": {
    broken: "an emoji in the name of a file counts twice",
    edit: inFiles("alert-files", '[...name].slice(-maxNameLength).join("")', "name.slice(-maxNameLength)"),
    killedBy: [["alerts/upload-alert-file", /1 to 100 code points/]],
  },
  "media-unlimited": {
    broken: "files at /media are read without a limit",
    edit: inFiles("serve-media", 'await limits.spend("media", network(caller.address))', "{}"),
    killedBy: [["transport/rate-limits", /files at \/media count/]],
  },
};
