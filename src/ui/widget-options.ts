// What the address of a widget may ask for. The studio's forms offer the same.

/** Palettes of widgets.css; the first is the usual one. Those that themes of alerts have, too, bear their names. */
export const widgetThemes = ["namjai", "mint", "sky", "gold", "night", "paper"] as const;

/** Periods of lists and of the largest donation; the first is the usual one. */
export const widgetPeriods = ["all", "day", "week", "month"] as const;
export type WidgetPeriod = (typeof widgetPeriods)[number];

/** Periods of the total. */
export const totalSpans = ["all", "today", "month"] as const;

/** What the widget of one donator shows. */
export const donatorKinds = ["latest", "largest"] as const;

/** How many rows a list has. */
export const rowCounts = { from: 1, to: 10, usual: 5 } as const;

/** Of a title in the address, in code points. */
export const maxTitle = 60;

/** Colours in the address, and the variables of theme.css that they set. */
export const colourVariables = { card: "--card", ink: "--ink", soft: "--soft", accent: "--accent", warm: "--accent-warm" } as const;
