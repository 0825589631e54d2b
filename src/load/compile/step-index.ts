import type { JsonPath } from '../../core/json.ts'
import type { BranchKeys, CatchKeys, RunbookYaml, StepKeys } from '../runbook-document.ts'

/** A step with an id, and the step around it. */
export interface IndexedStep {
  readonly path: JsonPath
  /** The key of the list that holds it: `steps`, `parallel`, `choose`, `catch` or `finally`. */
  readonly list: string
  /** The id of the nearest step around it. */
  readonly within?: string
}

/** Where each id of a runbook stands. Of two with one id the first counts. */
export type StepIndex = ReadonlyMap<string, IndexedStep>

/** Finds the ids of all steps, however deep. */
export function indexSteps(document: RunbookYaml): StepIndex {
  const index = new Map<string, IndexedStep>()
  addBlock(index, document, [], undefined)
  return index
}

interface Block {
  readonly steps?: readonly (StepKeys | undefined)[]
  readonly parallel?: readonly (StepKeys | undefined)[]
  readonly finally?: readonly (StepKeys | undefined)[]
  readonly catch?: readonly (CatchKeys | undefined)[]
  readonly choose?: readonly (BranchKeys | undefined)[]
}

/** The keys whose entries have lists of steps of their own. */
const holders: readonly string[] = ['catch', 'choose']

function addBlock(
  index: Map<string, IndexedStep>,
  block: Block,
  path: JsonPath,
  within: string | undefined,
): void {
  for (const key of ['steps', 'parallel', 'finally'] as const)
    addSteps(index, block[key], [...path, key], within)
  for (const key of ['catch', 'choose'] as const) {
    for (const [position, entry] of (block[key] ?? []).entries())
      addSteps(index, entry?.steps, [...path, key, position, 'steps'], within)
  }
}

function addSteps(
  index: Map<string, IndexedStep>,
  steps: readonly (StepKeys | undefined)[] | undefined,
  path: JsonPath,
  within: string | undefined,
): void {
  for (const [position, step] of (steps ?? []).entries()) {
    if (!step) continue
    const at = [...path, position]
    const id = typeof step.id === 'string' ? step.id : undefined
    if (id !== undefined && !index.has(id)) {
      const holder = String(path.at(-3))
      index.set(id, {
        path: at,
        list: holders.includes(holder) ? holder : String(path.at(-1)),
        ...(within === undefined ? {} : { within }),
      })
    }
    addBlock(index, step, at, id ?? within)
  }
}
