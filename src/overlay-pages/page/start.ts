// Starts a page: takes the overlay key from the address, loads the fonts, and shows the status if the address has ?debug. What is wrong with
// the link is told in an ordinary browser, never in OBS, where everybody would see it.

import type { WidgetSettings } from "../core/api.ts";
import type { Status } from "../core/messages.ts";
import { type Parameters, readOverlayKey, readParameters, withChosen } from "../core/parameters.ts";
import { element } from "./dom.ts";
import { loadFont } from "./font.ts";
import { logEvent } from "./page-log.ts";
import { isInObs } from "./presence.ts";
import { chooseWords, hints, parameterHint, type Words } from "./texts.ts";

/** What the page is asked to show. */
export type Choice = { parameters: Parameters; words: Words };

export type PageStart = {
  key: string;
  /** What the address asks for, completed with the settings of the key's widget. Hints are about the last choice. */
  choose: (widget: WidgetSettings | null) => Choice;
  /** The page shows an example, and connects to no server. */
  isPreview: boolean;
  fonts: Promise<unknown>;
  showStatus: (status: Status) => void;
  /** Tells who opens the page in an ordinary browser that the sound of alerts comes from another page. */
  showRole: (leads: boolean) => void;
  /** Tells who opens the page in an ordinary browser which of its parameters, as far as they were read, are wrong. */
  showFaults: () => void;
};

/** Returns null without a key, unless the address has ?preview: the page stays empty. */
export function startPage(): PageStart | null {
  const query = new URLSearchParams(location.search);
  let { parameters } = chooseFrom(query, null);
  const isPreview = query.has("preview");
  const showStatus = query.has("debug") ? makeNotice() : () => {};
  adoptCustomCss();
  addEventListener("hashchange", () => location.reload());
  const key = readOverlayKey(location.hash.slice(1));
  if (key === "" && !isPreview) {
    showStatus("The address of this page has no overlay key.");
    showHint(hints.noKey);
    return null;
  }
  let leads = true;
  const reportStatus = (status: Status) => {
    logEvent("status", { status });
    if (status === "refused") console.info("The overlay key is invalid or was revoked. Copy the address of this page again.");
    showHint(status === "refused" ? hints.refused : leads ? parameterHint(parameters.faults()) : hints.follows);
    showStatus(status);
  };
  const showRole = (now: boolean) => {
    if (now !== leads) showHint(now ? parameterHint(parameters.faults()) : hints.follows);
    leads = now;
  };
  const choose = (widget: WidgetSettings | null) => {
    const choice = chooseFrom(query, widget);
    parameters = choice.parameters;
    return choice;
  };
  const showFaults = () => showHint(parameterHint(parameters.faults()));
  return { key, choose, isPreview, fonts: loadFont("prompt"), showStatus: reportStatus, showRole, showFaults };
}

function chooseFrom(query: URLSearchParams, widget: WidgetSettings | null): Choice {
  const parameters = readParameters(withChosen(query, widget, document.documentElement.dataset.page ?? ""));
  return { parameters, words: chooseWords(parameters) };
}

function makeNotice(): (text: string) => void {
  const notice = element("p", "notice");
  document.body.append(notice);
  return (text) => {
    notice.textContent = text;
  };
}

function adoptCustomCss(): void {
  const adopt = (nodes: Iterable<Node>) => {
    for (const node of nodes) if (node instanceof HTMLStyleElement) add(node.textContent ?? "");
  };
  adopt(document.querySelectorAll("style"));
  new MutationObserver((records) => {
    for (const { addedNodes } of records) adopt(addedNodes);
  }).observe(document.documentElement, { childList: true, subtree: true });
}

function add(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

let shown: HTMLElement | null = null;

/** Shows the line in place of the one before; null for none. */
function showHint(text: string | null): void {
  shown?.remove();
  shown = null;
  if (text === null || isInObs()) return;
  shown = element("p", "hint");
  shown.setAttribute("role", "status");
  shown.textContent = text;
  document.body.append(shown);
}

/** Shows the line until the next click or key. */
export function showHintUntilInput(text: string): void {
  showHint(text);
  for (const input of ["pointerdown", "keydown"]) addEventListener(input, () => showHint(null), { once: true });
}
