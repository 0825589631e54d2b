import type { RememberedResult } from '../../../core/host/ports.ts'
import type { CheckedInputs } from '../../../core/host.ts'
import { createReplayOrder, type ReplayOrder } from '../../../core/record/replay-order.ts'
import type { Carried, CarriedAttempt } from '../carried.ts'
import { isInsideSettled, isOpen } from '../settled.ts'
import { soon } from './soon.ts'

/** What a workflow knows of what its run has done, in this execution and in those before it. */
export interface WorkflowMemory {
  readonly replay: ReplayOrder
  /** Resolves when everything was replayed that was done before this execution. */
  readonly replayed: Promise<void>
  /** Resolves after that, once everything is done that follows from it immediately: what is new may begin. */
  readonly caughtUp: Promise<void>
  readonly isCaughtUp: boolean
  /** How many attempts have ended so far. */
  readonly ended: number
  readonly results: Map<string, RememberedResult | 'begun'>
  readonly marks: Map<string, number>
  readonly worked: Map<string, number>
  readonly inputs: Map<string, CheckedInputs>
  /** What an execution before this one was answered, and its place among all answers. */
  find(path: string, attempt: number): KnownAttempt | undefined
  keep(ended: CarriedAttempt): void
  /** Whether a path can be come to again. */
  isOpen(path: string): boolean
  /** How many of the attempts that have ended, up to the number given, are taken along. */
  carriedOf(ended: number): number
  /** All of it, without what nothing asks for again. */
  carry(): Pick<Carried, 'attempts' | 'results' | 'marks' | 'worked' | 'inputs'>
}

/** An attempt that has ended, with its place in the order in which all have. */
export interface KnownAttempt extends CarriedAttempt {
  readonly place: number
}

export function createWorkflowMemory(before: Carried): WorkflowMemory {
  const known = new Map(
    before.attempts.map((one, place) => [keyOf(one.path, one.attempt), { ...one, place }] as const),
  )
  const attempts = [...before.attempts]
  const results = new Map(before.results)
  const marks = new Map(before.marks)
  const worked = new Map(before.worked)
  const inputs = new Map(before.inputs)
  const replay = createReplayOrder(known.size, soon)
  let isCaughtUp = before.lastSeq === 0
  const replayed = isCaughtUp ? Promise.resolve() : replayAll()
  const caughtUp = isCaughtUp ? replayed : catchUp()

  async function replayAll(): Promise<void> {
    await new Promise<void>(soon)
    await replay.afterReplay()
  }
  async function catchUp(): Promise<void> {
    await replayed
    await new Promise<void>(soon)
    isCaughtUp = true
  }
  const isOpenHere = (path: string): boolean => isOpen(path, results)
  return {
    replay,
    replayed,
    caughtUp,
    isOpen: isOpenHere,
    get isCaughtUp() {
      return isCaughtUp
    },
    get ended() {
      return attempts.length
    },
    results,
    marks,
    worked,
    inputs,
    find: (path, attempt) => known.get(keyOf(path, attempt)),
    keep: (ended) => void attempts.push(ended),
    carriedOf: (ended) => attempts.slice(0, ended).filter(({ path }) => isOpenHere(path)).length,
    carry() {
      const open = <T>(entries: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
        [...entries].filter(([path]) => isOpenHere(path))
      return {
        attempts: attempts.filter(({ path }) => isOpenHere(path)),
        results: [...results].filter(([path]) => !isInsideSettled(path, results)),
        marks: open(marks),
        worked: open(worked),
        inputs: open(inputs),
      }
    },
  }
}

function keyOf(path: string, attempt: number): string {
  return `${path}#${attempt}`
}
