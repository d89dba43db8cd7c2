// Runs the steps of one streamer's queue one after the other: requests that come while a step runs become one further step.

/** When the next step is due, besides the requests. */
export type NextStep = "now" | { inMs: number } | null;

export type StepLoop = {
  /** Takes a step now, or one more after the running one. */
  wake: () => void;
  /** The same, but at the earliest `hintIntervalMs` after the last step. */
  hint: () => void;
  isRunning: () => boolean;
  isStopped: () => boolean;
  /** Starts no further step. */
  stop: () => void;
  /** Resolves when no step is running. */
  finished: () => Promise<void>;
};

type State = {
  readonly step: () => Promise<NextStep>;
  readonly onIdle: () => void;
  readonly hintIntervalMs: number;
  running: Promise<void> | null;
  isRequested: boolean;
  isStopped: boolean;
  steppedAt: number;
  stepTimer: NodeJS.Timeout | null;
  hintTimer: NodeJS.Timeout | null;
};

/** `step` never rejects. `onIdle`: the last requested step has been taken. `hintIntervalMs`: between two steps that hints ask for. */
export function makeStepLoop(step: () => Promise<NextStep>, onIdle: () => void, hintIntervalMs: number): StepLoop {
  const state: State = {
    ...{ step, onIdle, hintIntervalMs },
    ...{ running: null, isRequested: false, isStopped: false },
    ...{ steppedAt: Number.NEGATIVE_INFINITY, stepTimer: null, hintTimer: null },
  };
  return {
    wake: () => wake(state),
    hint: () => hint(state),
    isRunning: () => state.running !== null,
    isStopped: () => state.isStopped,
    stop: () => stop(state),
    finished: async () => {
      await state.running;
    },
  };
}

function wake(state: State): void {
  state.isRequested = true;
  if (!state.running && !state.isStopped) state.running = run(state);
}

async function run(state: State): Promise<void> {
  while (state.isRequested && !state.isStopped) {
    state.isRequested = false;
    setStepTimer(state, null);
    await runOnce(state);
  }
  state.running = null;
  state.onIdle();
}

async function runOnce(state: State): Promise<void> {
  const next = await state.step();
  state.steppedAt = performance.now();
  if (next === "now") state.isRequested = true;
  else if (next) setStepTimer(state, next.inMs);
}

function hint(state: State): void {
  const { hintTimer, isStopped, running, hintIntervalMs, steppedAt } = state;
  if (hintTimer || isStopped) return;
  const delayMs = running ? hintIntervalMs : steppedAt + hintIntervalMs - performance.now();
  if (delayMs <= 0) wake(state);
  else state.hintTimer = setTimeout(wakeAfterHint, delayMs, state);
}

function wakeAfterHint(state: State): void {
  state.hintTimer = null;
  wake(state);
}

function setStepTimer(state: State, ms: number | null): void {
  if (state.stepTimer) clearTimeout(state.stepTimer);
  state.stepTimer = ms === null || state.isStopped ? null : setTimeout(wake, ms, state);
}

function stop(state: State): void {
  state.isStopped = true;
  setStepTimer(state, null);
  if (state.hintTimer) clearTimeout(state.hintTimer);
}
