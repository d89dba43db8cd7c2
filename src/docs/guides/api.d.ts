// Stands for the file that readers of the guide generate beside their client.
export type * from "../../../generated/api.d.ts";
