import type { CallWindows } from '../../../core/action.ts'
import type { TimedRunEvent } from '../../../core/events.ts'
import { createMask } from '../../../core/mask/index.ts'
import type { RecordedEvent } from '../../../core/record/index.ts'
import {
  type JournalDocument,
  type JournalEvent,
  maskDocument,
  publicEvent,
} from '../../../documents/index.ts'
import type { Engine } from '../../../engine/index.ts'
import { findRun, learnFromEvent, learnSecrets } from '../../../project/records/index.ts'
import {
  createItemNames,
  createRunView,
  type LiveRunView,
  type RunView,
  type RunViewState,
} from '../../../view/run/index.ts'

/** A run that can be watched: its past, its present, and what folds both. */
export interface WatchedRun {
  readonly view: LiveRunView
  /** Masks sensitive values. */
  mask<T extends object>(document: T): T
  take(recorded: RecordedEvent): void
  /** The events on record after a number. */
  past(afterSeq: number): Promise<Iterable<RecordedEvent>>
  /** The events after a number, as they come. Ends when nothing executes the run. */
  follow(afterSeq: number, signal: AbortSignal): AsyncIterable<RecordedEvent>
  state(): Promise<RunViewState | undefined>
  /** Some events as the lines of `logs --output ndjson`, each with its number. To be called once the past is taken. */
  journal(page: JournalPage): Promise<JournalDocument>
}

/** Which events of a run a page holds. `next` of the page before is the `after` of this one. */
export interface JournalPage {
  readonly after?: number
  readonly limit: number
}

/** A run for the console to follow, with what `show` masks masked. */
export async function watchRun(
  given: string,
  engine: Engine,
  windowsOf: (action: string) => CallWindows | undefined,
): Promise<WatchedRun> {
  const run = await findRun(given, engine, { isWithoutSteps: true })
  const { run_id: runId } = run
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  const view = createRunView(run, { mask, windowsOf })
  const names = createItemNames(mask)
  const learn = (event: TimedRunEvent): void => {
    learnFromEvent(mask, event)
    names.take(event)
  }
  return {
    view,
    mask: (document) => maskDocument(mask, document),
    take(recorded) {
      learn(recorded.event)
      view.take(recorded)
    },
    async journal({ after = 0, limit }) {
      const events: JournalEvent[] = []
      for (const { seq, event } of await engine.readEvents(runId, { afterSeq: after })) {
        if (events.length === limit) return { events, next: events.at(-1)?.seq ?? after }
        // Events that the view has not taken yet are on the page, too.
        if (seq > view.seq) learn(event)
        const atMs = Date.parse(event.at)
        const ofThatTime = { ...names, facts: (path: string) => names.facts(path, atMs) }
        events.push({ seq, ...maskDocument(mask, publicEvent(event, ofThatTime)) })
      }
      return { events }
    },
    past: (afterSeq) => engine.readEvents(runId, { afterSeq }),
    follow: (afterSeq, signal) => engine.followEvents(runId, { afterSeq, signal }),
    state: () => engine.readRunState(runId),
  }
}

/** The steps of one item of a loop, by its path, with what `show` masks masked. */
export async function readItemView(given: string, path: string, engine: Engine): Promise<RunView> {
  const run = await findRun(given, engine, { isWithoutSteps: true })
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  const view = createRunView(run, { mask, inside: path })
  for (const recorded of await engine.readEvents(run.run_id, { inside: path })) {
    learnFromEvent(mask, recorded.event)
    view.take(recorded)
  }
  view.takeState(run)
  return maskDocument(mask, view.view(Date.now()))
}
