import type { Registry } from 'prom-client'
import type { Action } from '../../actions/index.ts'
import type { ResumeRun } from '../../acts/resume/index.ts'
import type { EventStore } from '../../engine/index.ts'
import type { Configuration } from '../../project/configuration/index.ts'
import type { ServiceChoice } from '../../project/connections/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import type { TriggeredRunbook } from '../../triggers/evaluate/index.ts'
import type { BackgroundWork, WorkCounts } from '../../triggers/server/index.ts'
import type { OutputFlags } from '../shared/options.ts'
import type { ServeLog } from './serve-log.ts'

/** What `serve` needs of an engine. */
export interface ServeEngine {
  readonly events: EventStore
  /** The key that the tokens of callbacks are made with. Undefined: there are none. */
  callbackKey(): string | undefined
  /**
   * Resumes a run, in this process or on workers. Resolves once it has begun, or waits in line. Rejects with what the
   * resume rejects with.
   */
  readonly resume: ResumeRun
  /** In start order; it is stopped in the reverse order. */
  readonly background: readonly BackgroundWork[]
  /** Why no event can be accepted now; undefined if one can. Holds no secret: any client can read it. */
  whyNotReady(): Promise<string | undefined>
  close(): Promise<void>
}

/** What an engine is opened with. */
export interface OpenEngineOptions {
  readonly flags: ServeFlags
  /** How long a stop waits for calls in flight. */
  readonly graceMs: number
  readonly configuration: Configuration
  readonly dataDir: string
  readonly runbooks: readonly TriggeredRunbook[]
  /** Whether these are all runbooks of the folder. */
  readonly isEveryRunbook: boolean
  readonly actions: readonly Action[]
  readonly log: ServeLog
  readonly metrics: Registry
  readonly counts: WorkCounts
}

/** The flags of `serve`, as the parser hands them over. */
export interface ServeFlags extends ServiceChoice, EngineFlags, OutputFlags {
  readonly listen: string
  /** A separate address for health and metrics. */
  readonly listenHealth?: string
  readonly allowHost?: readonly string[]
  readonly maxRuns: number
  /** A duration. */
  readonly grace: string
  /** Continues interrupted runs. */
  readonly continue: boolean
  /** Continues also runs that a user stopped. */
  readonly continueAll?: boolean
}
