// Connections of their own to the server under test, with TLS where its address has it.

import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as tlsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import { target } from "../values/target.ts";

type OnResponse = (message: IncomingMessage) => void;

/** Starts a request that shares its connection with no other. */
export function startAlone(address: string, options: RequestOptions, onResponse: OnResponse = () => {}): ClientRequest {
  if (address.startsWith("https:")) return tlsRequest(address, { ...options, agent: false }, onResponse);
  return httpRequest(address, { ...options, agent: false }, onResponse);
}

/** Opens a connection for bytes that no client sends. */
export function connectToTarget(): Socket {
  const { protocol, hostname, port } = new URL(target().url);
  if (protocol !== "https:") return connect(Number(port || 80), hostname);
  return tlsConnect({ host: hostname, port: Number(port || 443), servername: hostname, ALPNProtocols: ["http/1.1"] });
}
