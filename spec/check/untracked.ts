// Fails when generated/ contains a file that git does not track.

import { listGitFiles } from "./git-files.ts";

const files = await listGitFiles(["--others", "generated"]);
if (files === null) console.log("not run: whether git tracks every file of generated/, because this is no checkout of git");
else if (files.length > 0) {
  console.error(`${files.join("\n")}\ngenerated/ contains files that git does not track. Run: make generate && git add generated`);
  process.exit(1);
}
