// What was taken out of a request's way, each thing beside what stands in its place. Never deployed; `make bench PARTS=steps` prints it.
//   node src/steps.ts HANDLE ROUNDS     records for this streamer, on a database of its own; prints a line of JSON

import { streamerStore } from "./account/streamers.ts";
import { readConfig } from "./config.ts";
import { openDatabase } from "./db/database.ts";
import { makeLog } from "./process/log.ts";
import { answerSteps } from "./steps/answer.ts";
import { compare } from "./steps/compare.ts";
import { credentialSteps } from "./steps/credential.ts";
import { recordingSteps } from "./steps/recording.ts";
import { requestSteps } from "./steps/request.ts";

const [handle = "", rounds = ""] = process.argv.slice(2);
const config = readConfig(process.env);
const log = makeLog("warn");
const database = await openDatabase({ databaseUrl: config.databaseUrl ?? undefined, dataDir: config.dataDir, log });
const { id: streamerId } = await streamerStore(database.knex).require(handle);

const credentials = await credentialSteps({ config, database, log, streamerId });
const recording = await recordingSteps(database, streamerId);
const compared = [];
for (const step of [...(await requestSteps()), ...answerSteps(config), ...credentials.steps, ...recording.steps])
  compared.push(await compare(step, Number(rounds)));
console.log(JSON.stringify(compared));

await credentials.close();
await recording.close();
await database.close();
