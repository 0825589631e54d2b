import type { Action } from '../../actions/action.ts'
import type { SecretStore } from '../../actions/secret-store.ts'
import type { Client } from '../../api/index.ts'
import type { Amendment } from '../../core/amend/amendment.ts'
import type { TimedRunEvent } from '../../core/events.ts'
import type { CheckedInputs } from '../../core/host.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import type { Identity } from '../../core/record/identity.ts'
import type { Clock } from '../attempt/clock.ts'
import type { AskHere } from '../engine.ts'
import type { ComposeNotice } from '../record/notice.ts'
import type { RunScope } from './run-scope.ts'

/** What carrying out a run takes, whether it begins or goes on. */
export interface EngineOptions {
  /** Holds the database and the artifacts of all runs. */
  readonly dataDir: string
  readonly actions: readonly Action[]
  /**
   * The client of a connection, by the name that a step gives; of the default one without a name. Asked once for each
   * name, and before the run where the plan names it. Closing the clients, once the run has ended, is the caller's.
   */
  readonly connect: (name: string | undefined) => Client | Promise<Client>
  /** Checks what a step gives to the runbook that it runs: `checkInputs`. */
  readonly checkInputs: (child: Plan, given: JsonObject) => CheckedInputs
  /**
   * Where the values of secrets come from: asked for each attempt that takes one, and before the run for all of them.
   * @default no secret has a value
   */
  readonly secrets?: SecretStore
  /** Told of everything as it happens. What it throws is ignored. */
  readonly onEvent?: (event: TimedRunEvent) => void
  /** `all`: every question is answered with yes, in the name of the user this process belongs to. */
  readonly approve?: 'all'
  /** Asks a person who is at hand, on a terminal for example. Others can answer from elsewhere all the same. */
  readonly onQuestion?: AskHere
  /**
   * Makes what people outside are to be told of into messages, which are recorded together with what they tell of. To
   * deliver them is the caller's: `openNoticeStore`. What it throws is ignored.
   * @default nobody is told
   */
  readonly notices?: ComposeNotice
  /**
   * Where time comes from; another one is for tests that cannot wait.
   * @default the clock of this machine
   */
  readonly clock?: Clock
}

/** What a run is started with. */
export interface RunOptions extends EngineOptions {
  readonly plan: Plan
  /** Checked against the plan's schema, defaults filled in. */
  readonly inputs: JsonObject
  /** Starts the run, or joins it: one key never starts a second run in one data directory. */
  readonly key?: string
  /** Name of the default connection, for the record: a run that is resumed uses it again. */
  readonly connection?: string
  /**
   * What the run belongs to. `opsbook serve` continues it after a crash only where it has the same project and service.
   * @default nothing: no process continues it automatically
   */
  readonly scope?: RunScope
  /** Told why another run is followed in the place of a new one, or which one is cancelled and waited for. */
  readonly say?: (text: string) => void
  /** Ends waiting for a run that is to be replaced: nothing is started then. */
  readonly signal?: AbortSignal
}

/** What a run that waits is taken up with. */
export interface TakeUpOptions extends EngineOptions {
  readonly runId: string
}

/** What a run is carried on with. */
export interface ResumeOptions extends EngineOptions {
  readonly runId: string
  /** What is changed of it first. What was done before counts where its step still asks for the same. */
  readonly amendment?: Amendment
  /** What the run belongs to from now on. @default what it belonged to before */
  readonly scope?: RunScope
  /**
   * The database was copied, or restored from a backup, and nothing has been done in the original since.
   * @default such a run is refused with `CopiedJournal`
   */
  readonly fromCopy?: boolean
  /**
   * No person has asked for it: where it is interrupted again, it may be continued automatically again. A run whose
   * process died three times while a call was in flight is refused, with `RepeatedCrash`, and left `interrupted`.
   */
  readonly isAutomatic?: boolean
  /** Cancels the run: nothing new is called but its clean-up. What nobody is sure of stays so. */
  readonly cancel?: { readonly by: Identity; readonly comment?: string }
}
