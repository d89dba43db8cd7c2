// Where the page is open, and whether it can be seen: in OBS a source is hidden when its scene is not shown, elsewhere a tab behind another.

declare global {
  interface Window {
    /** OBS's browser sources have it. */
    obsstudio?: unknown;
  }
}

export function isInObs(): boolean {
  return window.obsstudio !== undefined;
}

export type Activity = Readonly<{ isActive: () => boolean }>;

/** `onChange` is called whenever the page is hidden or shown again. Events of OBS: github.com/obsproject/obs-browser, "Browser source events". */
export function watchActivity(onChange: (isActive: boolean) => void): Activity {
  const shown = { visible: true, active: true };
  let was = true;
  const isActive = () => !document.hidden && shown.visible && shown.active;
  const compare = () => {
    if (isActive() === was) return;
    was = isActive();
    onChange(was);
  };
  was = isActive();
  const onObsEvent = (event: string, name: "visible" | "active") =>
    addEventListener(event, ({ detail }: CustomEventInit<Partial<Record<"visible" | "active", boolean>>>) => {
      shown[name] = detail?.[name] !== false;
      compare();
    });
  onObsEvent("obsSourceVisibleChanged", "visible");
  onObsEvent("obsSourceActiveChanged", "active");
  document.addEventListener("visibilitychange", compare);
  return { isActive };
}
