// Mutants of uploaded files.

import type { Edit, Mutants } from "../mutant.ts";

const inFiles = (file: string, from: string, to: string): Edit => ({ file: `src/alerts/files/${file}.ts`, from, to });

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
  "file-image-not-in-use": {
    broken: "an image that a variation names can be deleted",
    edit: inFiles("alert-files", "image === fileId || sound === fileId", "sound === fileId"),
    killedBy: [["alerts/upload-alert-file", /as its image is used/]],
  },
  "file-never-used": {
    broken: "the list of files says of none that a variation uses it",
    edit: inFiles("alert-files", "isUsed: used.has(file.id)", "isUsed: false"),
    killedBy: [["alerts/upload-alert-file", /as its (?:image|sound) is used/]],
  },
  "files-oldest-first": {
    broken: "files are listed oldest first",
    edit: inFiles("alert-files", "order by created_at desc, id", "order by created_at, id"),
    killedBy: [["alerts/upload-alert-file", /listed newest first/]],
  },
  "file-jpeg-with-anything-behind": {
    broken: "whatever stands behind the end of a JPEG is stored with it",
    edit: inFiles("inspect-jpeg", "first && end === bytes.length", "first"),
    killedBy: [["alerts/upload-alert-file", /a JPEG with another file behind its end/]],
  },
  "file-no-webp": {
    broken: "WebP is refused",
    edit: inFiles("inspect-file", '=== "WEBP", inspectWebp]', '=== "WEBX", inspectWebp]'),
    killedBy: [["alerts/upload-alert-file", /the type image\/webp is found by its content/]],
  },
  "file-gif-as-png": {
    broken: "a GIF is served as a PNG",
    edit: inFiles("inspect-picture", 'image("image/gif"', 'image("image/png"'),
    killedBy: [["alerts/upload-alert-file", /the type image\/gif is found by its content/]],
  },
  "media-as-a-page": {
    broken: "a file at /media may run scripts when a browser opens it by itself",
    edit: inFiles("serve-media", "\"default-src 'none'; sandbox\"", "\"default-src 'self' 'unsafe-inline'\""),
    killedBy: [["alerts/upload-alert-file", /with nosniff and a policy/]],
  },
  "variation-of-one-file": {
    broken: "a variation may name a sound as its image",
    edit: inFiles("alert-files", "id === use.id && kind === use.kind", "id === use.id"),
    killedBy: [["alerts/upload-alert-file", /of its own streamer and of the right kind/]],
  },
  "variation-of-any-file": {
    broken: "a variation may name a file of another streamer",
    edit: inFiles("alert-files", '.where("streamer_id", streamerId)\n    .whereIn', ".whereIn"),
    killedBy: [["alerts/upload-alert-file", /of its own streamer and of the right kind/]],
  },
};
