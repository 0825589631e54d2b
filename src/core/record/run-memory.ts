import { addKinds, kindKey } from '../calls/failed-items.ts'
import type { FailedItems, Warning } from '../events.ts'
import { type ErrorData, RunbookError } from '../run-error.ts'

/** The failures that `continue-on-error` or `tolerate` let pass: the first of them, and how many there are besides. */
export interface Warnings {
  readonly warnings?: readonly Warning[]
  readonly warnings_left_out?: number
}

/** What a run keeps besides the results of its steps. */
export interface RunMemory {
  /** Remembers a failure that `continue-on-error` let pass. */
  warn(error: ErrorData): void
  /** Remembers the failed items of a loop or batch that succeeded, together with those that failed alike in its step. */
  tolerate(path: string, failed: FailedItems): void
  warnings(): Warnings
  /** Takes outputs into the state that later steps can read. Throws `RunStateTooLarge`, and then keeps nothing. */
  keep(bytes: number): void
  /** The steps that could read these bytes have ended. */
  release(bytes: number): void
}

/** What all that later steps can still read may take together, in bytes of JSON. */
const mostStateBytes = 1024 * 1024

/** What the outputs of one step may take, in bytes of JSON. */
export const mostOutputBytes: number = 512 * 1024

/** What one answer may take that its step makes less of, in bytes of JSON: it is journaled as it came. */
export const mostAnswerBytes: number = 1024 * 1024

/** How many failures that were let pass a run names, and how many kinds of tolerated ones. */
const namedWarnings = 100

export function createRunMemory(before: Warnings = {}): RunMemory {
  const passed = (before.warnings ?? []).filter(({ failed_items: ofItems }) => ofItems === undefined)
  const tolerated = new Map(
    (before.warnings ?? []).flatMap((warning) =>
      warning.failed_items ? [[kindOf(warning), warning] as const] : [],
    ),
  )
  let leftOut = before.warnings_left_out ?? 0
  let kept = 0
  return {
    warn(error) {
      if (passed.length < namedWarnings) passed.push(error)
      else leftOut++
    },
    tolerate(path, { kinds }) {
      for (const { code, message, item, count, paths = [path] } of kinds) {
        const named = item === undefined ? {} : { name: item }
        const one = { code, message, path: paths[0] ?? path, failed_items: { count, ...named, paths } }
        const kind = kindOf(one)
        const known = tolerated.get(kind)
        if (known) {
          const all = { ...named, paths, ...addKinds(known.failed_items ?? { count: 0 }, one.failed_items) }
          tolerated.set(kind, { ...known, failed_items: all })
        } else if (tolerated.size < namedWarnings) tolerated.set(kind, one)
      }
    },
    warnings: () => ({
      ...(passed.length + tolerated.size === 0 ? {} : { warnings: [...passed, ...tolerated.values()] }),
      ...(leftOut === 0 ? {} : { warnings_left_out: leftOut }),
    }),
    keep(bytes) {
      if (kept + bytes > mostStateBytes) {
        const message = `with these outputs (${inKiB(bytes)}) what later steps can read is ${inKiB(kept + bytes)}, over ${inKiB(mostStateBytes)}`
        throw new RunbookError('RunStateTooLarge', message)
      }
      kept += bytes
    },
    release(bytes) {
      kept -= bytes
    },
  }
}

/** What the failed items of steps say, each kind once: those of a loop or batch by the path of its step. */
export function failuresIn(
  ofSteps: Iterable<readonly [path: string, FailedItems | undefined]>,
): readonly Warning[] {
  const memory = createRunMemory()
  for (const [path, failed] of ofSteps) if (failed) memory.tolerate(path, failed)
  return memory.warnings().warnings ?? []
}

/** What items have in common that failed alike in one step, in whichever items of loops around it. */
function kindOf({ code, message, path, failed_items: ofItems }: Warning): string {
  const { name, count = 1 } = ofItems ?? {}
  return kindKey({ code, message, count, ...(name === undefined ? {} : { item: name }) }, path)
}

/** The failure of a step whose outputs are larger than a step's may be, or undefined. */
export function outputTooLarge(bytes: number): RunbookError | undefined {
  if (bytes <= mostOutputBytes) return undefined
  const message = `the outputs are ${inKiB(bytes)}, over ${inKiB(mostOutputBytes)}; write them to a file with save-as, or keep less of them with outputs`
  return new RunbookError('OutputTooLarge', message)
}

/** The failure of an attempt whose answer is larger than a journal takes, or undefined. */
export function resultTooLarge(bytes: number): RunbookError | undefined {
  if (bytes <= mostAnswerBytes) return undefined
  const message = `the answer is ${inKiB(bytes)}, over ${inKiB(mostAnswerBytes)}; write it to a file with save-as`
  return new RunbookError('OutputTooLarge', message)
}

function inKiB(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`
}
