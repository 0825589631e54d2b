import type { MarkedCase } from '../support/smoke.ts'
import type { Routes } from './http-stand-in.ts'

/** An event as a sender delivers it to a hook. */
export interface Delivery {
  readonly hook: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** One run of a shipped runbook: what goes in, how it ends, what it says, and what the service has received. */
export interface RunbookCase extends MarkedCase {
  readonly name: string
  /** Left out: `deliveries` decide them. */
  readonly inputs?: Readonly<Record<string, unknown>>
  /** Events at the hooks of `serve`: the first one starts the run, and the others come while it waits. */
  readonly deliveries?: readonly Delivery[]
  /** Values of secrets, by name. */
  readonly secrets?: Readonly<Record<string, string>>
  /** The key of the sandbox. @default sandbox-owner */
  readonly key?: string
  /** The shape of the service's answers. @default that of its document */
  readonly shape?: 'newer'
  readonly faults?: readonly object[]
  /** What the systems answer that the runbook talks to over HTTP connections. Left out: it talks to the service. */
  readonly http?: Routes
  /** Texts that appear in nothing that people read: the log, what `show` prints, files. */
  readonly hidden?: readonly string[]
  /** What the person types who is asked: the same each time, or one line after the other. Left out: nobody may be asked. */
  readonly answer?: 'yes' | 'no' | readonly string[]
  /** In place of `answer`: the system user who says yes at another terminal, after the starter could not. */
  readonly other?: string
  /** What is said when nothing is sent because of the inputs or secrets: a pattern. Of what is below only `exit` counts then. */
  readonly refused?: string
  /** @default succeeded */
  readonly status?: 'succeeded' | 'failed' | 'unknown'
  /** The exit code. @default 2 where nothing is sent, else 0, 1 and 4 by status */
  readonly exit?: number
  /** The error of the run, as far as given; `/…/` is a pattern. */
  readonly error?: Readonly<Record<string, string>>
  /** The outputs, as far as given. */
  readonly outputs?: Readonly<Record<string, unknown>>
  /** All requests in their order: the operation, or the route, and the code or status of those that were refused. */
  readonly calls?: readonly string[]
  /** The whole audit log of the service. @default nothing was changed */
  readonly changes?: readonly Readonly<Record<string, unknown>>[]
  /** Requests that are among those that were received. */
  readonly sent?: readonly object[]
  /** What stands in files of the run. */
  readonly files?: Readonly<Record<string, readonly string[]>>
  /** What is told while it runs. */
  readonly log?: readonly string[]
}
