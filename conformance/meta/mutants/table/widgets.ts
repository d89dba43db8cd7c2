// Mutants of the figures that widgets show.

import type { Edit, Mutants } from "../mutant.ts";

const inFigures = (from: string, to: string): Edit => ({ file: "src/reports/widgets.ts", from, to });
const spans = "[today.span, thisWeek.span, thisMonth.span, allTime.span]";
const sinceDays = (days: number): string => `{ ...today.span, from: (today.span.from as number) - ${days} * 86_400_000 }`;

export const widgets: Mutants = {
  "widgets-in-utc": {
    broken: "the day of the widgets is that of UTC",
    edit: inFigures("periodsAt(now, defaultTimezone)", 'periodsAt(now, "UTC")'),
    killedBy: [
      ["overlay/stream-widgets", /present day begins at midnight of Bangkok/],
      ["overlay/stream-widgets", /present month begins at midnight of Bangkok/],
    ],
  },
  "widgets-of-24-hours": {
    broken: "today is the last 24 hours",
    edit: inFigures(spans, "[{ from: now - 86_400_000, to: today.span.to }, thisWeek.span, thisMonth.span, allTime.span]"),
    killedBy: [["overlay/stream-widgets", /present day begins at midnight of Bangkok/]],
  },
  "widgets-week-from-sunday": {
    broken: "the week of the widgets begins a day early, on Sunday",
    edit: inFigures(
      spans,
      "[today.span, { ...today.span, from: (thisWeek.span.from as number) - 86_400_000 }, thisMonth.span, allTime.span]",
    ),
    killedBy: [["overlay/stream-widgets", /present week begins at midnight of Bangkok/]],
  },
  "widgets-month-of-31-days": {
    broken: "the month of the widgets is the last 31 days",
    edit: inFigures(spans, `[today.span, thisWeek.span, ${sinceDays(30)}, allTime.span]`),
    killedBy: [["overlay/stream-widgets", /present month begins at midnight of Bangkok/]],
  },
  "widgets-count-tests": {
    broken: "tests count in the widgets",
    edit: inFigures(
      "return { streamerId, sources: countedSources, donations: null };",
      'return { streamerId, sources: [...countedSources, "test"] as never, donations: null };',
    ),
    killedBy: [["alerts/send-test-alert", /no widget shows it/]],
  },
  "widget-settings-unannounced": {
    broken: "pages that are open are not told of changed settings of their widget",
    edit: {
      file: "src/app/open-studio.ts",
      from: '(trx: Database["knex"]) => overlay.noteWidgetChange(trx, streamerId);',
      to: "async () => {};",
    },
    killedBy: [["overlay/studio", /reaches the open pages of its key/]],
  },
  "widget-settings-of-another-key": {
    broken: "every page gets the settings of the streamer's first key with a widget",
    edit: {
      file: "src/alerts/connections/channel-step.ts",
      from: "keyWidgets.byKey.get(connection.keyId) ?? null",
      to: "[...keyWidgets.byKey.values()].find(Boolean) ?? null",
    },
    killedBy: [["overlay/studio", /reaches the open pages of its key/]],
  },
  "widget-settings-overwritten": {
    broken: "settings of a widget that were changed elsewhere are overwritten",
    edit: {
      file: "src/studio/widgets/widget-settings.ts",
      from: "const isCurrent = version === versionOf(widget) ||",
      to: "const isCurrent = true ||",
    },
    killedBy: [["overlay/studio", /older than the stored settings/]],
  },
  "widgets-largest-unfiltered": {
    broken: "the widget of the largest donation shows blocked words",
    edit: {
      file: "src/alerts/widgets/widget-texts.ts",
      from: "one && donation(one);",
      to: "one && { ...donation(one), donatorName: one.donatorName };",
    },
    killedBy: [["overlay/stream-widgets", /mask blocked words/]],
  },
};
