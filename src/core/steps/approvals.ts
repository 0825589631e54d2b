import type { CallPermit } from '../approval/covers.ts'
import type { StepPlan } from '../plan/plan.ts'
import type { Frame } from './frame.ts'

/**
 * What people have approved in a part of a run in which steps run one after another: in the whole run, in an item of a
 * loop, in a turn or in a branch of `parallel`.
 */
export interface Approvals {
  /** A key of the run, for the hashes of calls. */
  readonly key: string
  /** The part around it. */
  readonly outer?: Approvals
  /** The path of the turn that it is. */
  readonly turn?: string
  /** Of the last question. */
  permit?: CallPermit
  /** The hashes of the calls that were found to be permitted, by their paths. */
  granted: Map<string, string>
}

/** The steps of which one runs now: those after it are still to come. */
export interface Sequence {
  readonly steps: readonly StepPlan[]
  readonly index: number
  readonly frame: Frame
  /** The sequence that the one around is a step of. */
  readonly outer: Sequence | undefined
}

type OwnApprovals = Pick<Frame, 'approvals' | 'sequence'>

/** For a run that asks people. Another run pays nothing. */
export function createApprovals(key: string): OwnApprovals {
  return { approvals: { key, granted: new Map() } }
}

/** The key of the run for the hashes of calls; empty where its plan asks for no approval. */
export function sealKey({ approvals }: Frame): string {
  return approvals?.key ?? ''
}

/** For an item, a turn or a branch: what is asked inside permits nothing outside. */
export function innerApprovals({ approvals }: Frame, turn?: string): OwnApprovals {
  if (!approvals) return {}
  return {
    approvals: {
      key: approvals.key,
      outer: approvals,
      granted: new Map(),
      ...(turn === undefined ? {} : { turn }),
    },
    sequence: undefined,
  }
}

/** For what repairs or cleans up: it must not wait for a person, so no earlier answer limits it. */
export function withoutApprovals({ approvals }: Frame): OwnApprovals {
  return approvals ? { ...createApprovals(approvals.key), sequence: undefined } : {}
}

/** Where a question comes next, or a write goes out. */
export function setPermit({ approvals }: Frame, permit: CallPermit | undefined): void {
  if (!approvals || !permit) return
  approvals.permit = permit
  approvals.granted = new Map()
}
