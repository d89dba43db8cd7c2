import { expect, test } from "vitest";
import type { LogPage, LogQuestion } from "../../log.ts";
import { shareReadings } from "./worker.ts";

const question: LogQuestion = { streamerId: "1", after: 5, types: ["donation.created"], withImported: true, limit: 100 };
const page: LogPage = { events: [], position: 6, hasMore: false };

function readings() {
  const asked: LogQuestion[] = [];
  const ends: (() => void)[] = [];
  const log = shareReadings({
    read: (one) => {
      asked.push(one);
      return new Promise((resolve) => ends.push(() => resolve(page)));
    },
  });
  return { log, asked, end: () => ends.splice(0).forEach((one) => void one()) };
}

test("endpoints that ask for the same page of a log at the same time share one reading", async () => {
  const { log, asked, end } = readings();
  const answers = [
    log.read(question),
    log.read({ ...question }),
    log.read({ ...question, after: 4 }),
    log.read({ ...question, streamerId: "2" }),
  ];
  end();
  expect(await Promise.all(answers)).toEqual([page, page, page, page]);
  expect(asked.map(({ streamerId, after }) => [streamerId, after])).toEqual([
    ["1", 5],
    ["1", 4],
    ["2", 5],
  ]);
  const later = log.read(question);
  end();
  await later;
  expect(asked).toHaveLength(4);
});

test("a reading of a log is not shared with those who ask after something has happened to the streamer", async () => {
  const { log, asked, end } = readings();
  const before = log.read(question);
  log.forget("1");
  const after = [log.read(question), log.read(question)];
  end();
  await Promise.all([before, ...after]);
  expect(asked).toHaveLength(2);
});
