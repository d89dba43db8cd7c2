// The SharedWorker: the stations of all keys that pages of this browser use. Its address never changes, so that pages of an older
// and a newer version share it.

import { overlayApi } from "../core/api.ts";
import { systemClock } from "../core/clock.ts";
import type { FromPage, Hello } from "../core/messages.ts";
import { makeStation, type Station } from "../core/page-coordinator.ts";

const stations = new Map<string, Station>();

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  let tell: (message: FromPage) => void = () => {};
  port.onmessage = ({ data }: MessageEvent<FromPage>) => {
    if (data.type === "hello") tell = stationOf(data).join(data, (message) => port.postMessage(message));
    else tell(data);
  };
});

function stationOf({ key, api }: Hello): Station {
  const station = stations.get(key) ?? makeStation({ api: overlayApi(api, key), clock: systemClock, random: Math.random });
  stations.set(key, station);
  return station;
}
