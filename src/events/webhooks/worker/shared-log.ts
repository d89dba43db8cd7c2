// Reads a page of the log once for all endpoints of a streamer that ask for it at the same time, as they do after each hint.

import { type EventLog, type LogPage, nameOf } from "../../log.ts";

export type SharedLog = Readonly<{
  read: EventLog["read"];
  /** Something happened to this streamer: a reading under way may lack it, so whoever asks from now on reads anew. */
  forget: (streamerId: string) => void;
}>;

export function shareReadings(log: Pick<EventLog, "read">): SharedLog {
  const underWay = new Map<string, Map<string, Promise<LogPage>>>();
  return {
    read: (question) => {
      const { streamerId } = question;
      const key = nameOf(question);
      const readings = underWay.get(streamerId) ?? new Map<string, Promise<LogPage>>();
      const known = readings.get(key);
      if (known) return known;
      underWay.set(streamerId, readings);
      const end = () => {
        readings.delete(key);
        if (readings.size === 0 && underWay.get(streamerId) === readings) underWay.delete(streamerId);
      };
      const reading = log.read(question).finally(end);
      readings.set(key, reading);
      return reading;
    },
    forget: (streamerId) => void underWay.delete(streamerId),
  };
}
