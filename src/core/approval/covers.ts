import type { Safety } from '../action.ts'
import type { JsonObject, JsonValue } from '../json.ts'

/** What a yes covers, as the approver sees it. Plain JSON, recorded with the question. */
export interface Covers {
  /** Equal for two questions whose yes permits the same calls. */
  readonly seal: string
  /** Calls that are not known yet need no yes of their own. */
  readonly any?: true
  /** The writes that are known, step by step in the order of the plan: the yes holds for these and no others. */
  readonly calls: readonly CoveredCalls[]
  /** The steps whose writes the yes does not cover. */
  readonly open: readonly OpenCalls[]
  /** Set where the run asks again. */
  readonly again?: AskedAgain
}

export interface CallsOfStep {
  /** Path of the step, without the positions of items and turns. */
  readonly step: string
  readonly action: string
  readonly safety: Safety
  readonly connection?: string
}

/** The sealed calls of a step. */
export interface CoveredCalls extends CallsOfStep {
  /** Calls that are sent, without repeats. */
  readonly count: number
  /** HMAC-SHA-256 of all of them with a key of the run, in hex. */
  readonly hash: string
  /** All of them, as they were asked for: a yes covers no call that is not shown whole. Empty: the question is an old one. */
  readonly shown: readonly ShownCall[]
}

/** A call as a person sees it: sensitive arguments masked, secrets by their names. */
export interface ShownCall {
  readonly path: string
  readonly input?: JsonObject
  readonly save_as?: string
}

/** The writes of a step that need a yes of their own. */
export interface OpenCalls extends CallsOfStep {
  /** What is not known yet, such as `steps.look.outputs`. Empty: `covers` does not name the step. */
  readonly needs: readonly string[]
  /** Its calls are known, and more than a question shows whole. */
  readonly is_too_large?: true
}

/** Why the run asks again. */
export interface AskedAgain {
  /** Path of the question whose answer does not hold for these calls. */
  readonly question: string
  /** What differs from what it was asked with. Empty: the calls were not known then. */
  readonly changes: readonly CallChange[]
}

/** A difference to an approved call. */
export interface CallChange {
  readonly path: string
  /** Such as `url` or `body.hosts[1]`; empty for the whole call. */
  readonly field: string
  /** Left out: it was not there, or is not shown. */
  readonly was?: JsonValue
  readonly is?: JsonValue
}

/** What the last answer permits in a part of a run. */
export type CallPermit =
  /** A no, and the step says `on-reject: continue`: the runbook decides what it means. */
  | { readonly kind: 'everything' }
  | {
      readonly kind: 'sealed'
      /** Path of the question, and of the runbook that it is in. */
      readonly question: string
      readonly document: string
      /** The arguments of the question. */
      readonly input: JsonObject
      readonly covers: Covers
      /** Of the calls that it permits, all or some. */
      readonly hashes: readonly string[]
    }
