// The donation of the contract, and the values of its members in the contract's order.

import { enumOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";

export type Donation = Schemas["Donation"];
export type VoidReason = Schemas["VoidReason"];

export const voidReasons = enumOf("VoidReason");
export const channels = enumOf("Channel");
export const sources = enumOf("Source");
