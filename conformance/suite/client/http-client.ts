// The HTTP client of all rules: sends by the run's pace and as a server of someone else allows, and checks and records what comes back.

import { isRepeatable, type Reply, type Request } from "../contract/http-request.ts";
import { expectAllTried, expectTimeToWait } from "../values/depth.ts";
import { checkAnswer } from "./check-answer.ts";
import { guarded, type Pace } from "./protection/guard.ts";
import { expectNotRefused, expectReadOnly, sendOnce, withRateLimitRetries } from "./send-once.ts";
import { countRequest, recordRequest } from "./trace.ts";

/** Sends the request. Throws when the contract does not document the answer. */
export async function send(request: Request): Promise<Reply> {
  const reply = await sendUnchecked(request);
  checkAnswer(request, reply);
  return reply;
}

/** Sends the request without checking the answer against the contract, as pages and forms need. Waits and repeats after a 429 of the server under test. */
export async function sendUnchecked(request: Request): Promise<Reply> {
  expectReadOnly(request);
  expectAllTried();
  const exchange = recordRequest(request);
  let sendings = 0;
  const sendCounted = (): Promise<Reply> => {
    sendings += 1;
    if (sendings === 1) countRequest(request);
    return sendOnce(request);
  };
  const reply = request.server === undefined ? await guarded(request, sendCounted, paceOf(request)) : await sendCounted();
  exchange.reply = reply;
  if (request.server === undefined) expectNotRefused(reply);
  return reply;
}

/** Waits for rate limits as long as the rule has time, and repeats what may be repeated. */
const paceOf = (request: Request): Pace<Reply> => {
  const how = { beforeWait: expectTimeToWait, isRepeatable: isRepeatable(request) };
  return (attempt) => withRateLimitRetries(attempt, how);
};
