import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Action, SecretStore } from '../../../actions/index.ts'
import type { Identity, TimedRunEvent } from '../../../core/events.ts'
import type { CheckedChildInputs } from '../../../core/host/index.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { People } from '../../../core/people/index.ts'
import type { Plan } from '../../../core/plan/index.ts'
import type { ResumeChanges } from '../../../core/resume/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { Clock, Connect, OpenConnection } from '../../attempt/index.ts'
import type { AskHere } from '../../index.ts'
import type { ComposeNotice } from '../../notices/index.ts'
import type { StoredRun } from '../tables/run-rows.ts'
import type { Ownership } from './ownership.ts'
import type { RunScope } from './run-scope.ts'

/** What starting, claiming and resuming a run take. */
export interface EngineOptions {
  /** Holds the database and the artifacts of all runs. */
  readonly dataDir: string
  readonly actions: readonly Action[]
  /**
   * Opens a connection by its name: the client of the service, or an HTTP connection. Without a name: the default
   * one. Called once for each name. Those that the plan names are opened before the run. The caller closes them after
   * the run.
   */
  readonly connect: OpenConnection
  /** Checks the inputs of a child runbook: `checkInputs`. */
  readonly checkInputs: (child: Plan, given: JsonObject) => CheckedChildInputs
  /**
   * The source of secret values. Asked for all secrets before the run, and again for each attempt that uses one.
   * @default no secret has a value
   */
  readonly secrets?: SecretStore
  /**
   * The public address of `opsbook serve`, such as `https://ops.example.com`: callback addresses begin with it.
   * @default a runbook with a callback is refused with `NoPublicUrl`
   */
  readonly publicUrl?: string
  /**
   * The public address of the console, for `run.url`.
   * @default `run.url` is absent
   */
  readonly consoleUrl?: string
  /** Receives each event. What it throws is ignored. */
  readonly onEvent?: (event: TimedRunEvent) => void
  /**
   * `all`: approves in the name of the user who runs this process, and gives defaults. A question that says who may
   * answer, or asks for values without a default, is left to others.
   */
  readonly approve?: 'all'
  /**
   * Who is in which group, and which names count as verified, for questions that say who may answer.
   * @default nobody
   */
  readonly people?: People
  /** Asks the user of this process, on a terminal for example. Other processes can still answer. */
  readonly onQuestion?: AskHere
  /**
   * Formats notifications, which are recorded together with their cause. The caller delivers them with
   * `openNoticeStore`. What it throws is ignored.
   * @default no notifications
   */
  readonly notices?: ComposeNotice
  /**
   * The source of time; tests that cannot wait pass another one.
   * @default the clock of this machine
   */
  readonly clock?: Clock
}

/** What a run is started with. */
export interface RunOptions extends EngineOptions {
  readonly plan: Plan
  /** Checked against the plan's schema, defaults filled in. */
  readonly inputs: JsonObject
  /** Starts the run, or joins the one with this key: a key starts one run in a data directory. */
  readonly key?: string
  /** Name of the default connection. It is recorded, and a resume uses it again. */
  readonly connection?: string
  /**
   * The scope of the run. `opsbook serve` resumes it after a crash only if its project and service match.
   * @default no process resumes it automatically
   */
  readonly scope?: RunScope
  /** Receives a message if another run is followed instead, or is waited for. */
  readonly say?: (text: string) => void
  /** Ends the wait of the run in line: nothing is sent then. */
  readonly signal?: AbortSignal
}

/** What claiming a queued run takes. */
export interface ClaimOptions extends EngineOptions {
  readonly runId: string
}

/** What resuming a run takes. */
export interface ResumeOptions extends EngineOptions {
  readonly runId: string
  /** The changes before the resume. Earlier results count if their steps still make the same calls. */
  readonly changes?: ResumeChanges
  /** The new scope of the run. @default its scope before */
  readonly scope?: RunScope
  /**
   * True for a copied or restored database whose original has executed nothing since.
   * @default such a run is refused with `CopiedJournal`
   */
  readonly fromCopy?: boolean
  /**
   * True for an automatic resume. If the run is interrupted again, it can be resumed automatically again. A run whose
   * process died three times with a call in flight is refused with `RepeatedCrash`, and stays `interrupted`.
   */
  readonly isAutomatic?: boolean
  /** Receives a message if the run waits in line. */
  readonly say?: (text: string) => void
  /** Ends its wait in line: nothing has changed then. */
  readonly signal?: AbortSignal
  /**
   * Who resumes it.
   * @default the one who cancels it, else the system user of this process
   */
  readonly by?: Identity
  /** Cancels the run: it makes no new calls but those of its clean-up. Unknown outcomes stay unknown. */
  readonly cancel?: { readonly by: Identity; readonly comment?: string }
}

/** A run that this process owns. */
export interface OwnedRun extends Pick<StoredRun, 'id' | 'plan' | 'inputs' | 'startedAtMs'> {
  readonly database: DatabaseSyncInstance
  readonly ownership: Ownership
  readonly connect: Connect
  /** Nothing of the run was done before. */
  readonly isNew: boolean
  /** True if no user started or resumed it. A user can then not have interrupted it either. */
  readonly isAutomatic?: boolean
  /** The reason why the run cannot work here: it fails before its first step. */
  readonly refusal?: ErrorData
}
