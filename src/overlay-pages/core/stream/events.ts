// The events of the overlay stream and their data, as the contract defines them.

import type { components } from "../../../../generated/api.d.ts";

type Schemas = components["schemas"];

export type Playback = Schemas["Playback"];
export type PageSettings = Schemas["PageSettings"];
export type Widgets = Schemas["Widgets"];
export type WidgetSettings = Schemas["WidgetSettings"];
export type StreamEvent = Schemas["OverlayEvent"];
