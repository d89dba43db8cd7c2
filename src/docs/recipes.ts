// Files that streaming programs import, with the addresses of this server: a scene collection of OBS, and a setup of Firebot. Their formats are the
// programs' own: OBS loads what its scene collections have (UI, OBSBasic::LoadData), Firebot what its type FirebotSetup has.

/** What the streamer puts the key of a link in place of. */
const keyPlaceholder = "YOUR_OVERLAY_KEY";

/** The scene collection of OBS: alerts over everything, and widgets beside each other, as browser sources. */
export function obsCollection(baseUrl: string): object {
  const url = (page: string) => `${baseUrl}/overlay/${page}#${keyPlaceholder}`;
  const sources = [
    browserSource(1, "Namjai alerts", { url: url(""), width: 1920, height: 1080 }),
    browserSource(2, "Namjai goal", { url: url("goal"), width: 450, height: 140 }),
    browserSource(3, "Namjai total", { url: url("total"), width: 400, height: 130 }),
    browserSource(4, "Namjai recent donations", { url: url("recent"), width: 400, height: 460 }),
  ];
  const [alerts, goal, total, recent] = sources as [Source, Source, Source, Source];
  const name = "Namjai";
  // The last item of a scene is drawn over the others.
  const items = [
    sceneItem(1, recent, { x: 1500, y: 300 }),
    sceneItem(2, total, { x: 1500, y: 150 }),
    sceneItem(3, goal, { x: 20, y: 20 }),
    sceneItem(4, alerts, { x: 0, y: 0 }),
  ];
  const scene = source(9, name, "scene", { custom_size: false, id_counter: items.length, items });
  return {
    name,
    ...{ current_scene: name, current_program_scene: name, scene_order: [{ name }] },
    sources: [...sources, scene],
    ...{ groups: [], transitions: [], quick_transitions: [], saved_projectors: [], modules: {} },
    ...{ current_transition: "Fade", transition_duration: 300 },
    // Without `version`, OBS takes places to be pixels of this canvas, and converts them to the one that the streamer has.
    resolution: { x: 1920, y: 1080 },
  };
}

type Source = Readonly<{ name: string; uuid: string }>;

/** Alerts sound only if OBS takes a page's audio; a page that is shut down plays nothing, and a reload would interrupt an alert. */
function browserSource(number: number, name: string, page: { url: string; width: number; height: number }): Source {
  return source(number, name, "browser_source", { ...page, css: "", reroute_audio: true, shutdown: false, restart_when_active: false });
}

function source(number: number, name: string, id: string, settings: object): Source {
  const uuid = `6e616d6a-6169-4000-8000-00000000000${number}`;
  return { name, uuid, id, versioned_id: id, settings, mixers: 255, volume: 1, balance: 0.5, enabled: true, muted: false } as Source;
}

/** Top left corner at a place, in the source's own size (OBS_ALIGN_LEFT | OBS_ALIGN_TOP = 5, OBS_BOUNDS_NONE = 0). */
function sceneItem(id: number, { name, uuid }: Source, pos: { x: number; y: number }): object {
  const bounds = { bounds_type: 0, bounds_align: 0, bounds: { x: 0, y: 0 } };
  return { id, name, source_uuid: uuid, visible: true, locked: false, rot: 0, align: 5, pos, scale: { x: 1, y: 1 }, ...bounds };
}

/** The id of the preset effect list, which is part of the address that the bridge calls. */
export const firebotListId = "6e616d6a-6169-4000-8000-646f6e617465";

/** The setup of Firebot: a preset effect list with the arguments of the bridge, which writes a donation into the chat feed. */
export function firebotSetup(): object {
  const alert = {
    id: "6e616d6a-6169-4000-8000-616c65727400",
    type: "firebot:chat-feed-alert",
    active: true,
    icon: "fad fa-donate",
    message: "$presetListArg[name] donated $presetListArg[amount]: $presetListArg[message]",
  };
  const list = {
    id: firebotListId,
    name: "Namjai donation",
    args: [{ name: "name" }, { name: "amount" }, { name: "message" }],
    effects: { id: "6e616d6a-6169-4000-8000-656666656374", list: [alert] },
    sortTags: [],
  };
  return {
    name: "Namjai donations",
    description: "A preset effect list that runs with every donation: add effects of your own to it.",
    ...{ author: "Namjai", version: 1, requireCurrency: false, importQuestions: [] },
    components: { ...none, presetEffectLists: [list] },
  };
}

const none = Object.fromEntries(
  [
    ...["commands", "counters", "currencies", "effectQueues", "events", "eventGroups", "hotkeys", "timers", "scheduledTasks"],
    ...["variableMacros", "viewerRoles", "viewerRankLadders", "quickActions"],
  ].map((component) => [component, []]),
);
