import type { JsonPath } from '../json-path.ts'
import type { CatchKeys, RunbookDocument, StepKeys } from '../runbook-document.ts'

/** A step with an id, and the step it stands in. */
export interface IndexedStep {
  readonly path: JsonPath
  /** The key of the list that it stands in: `steps`, `parallel`, `catch` or `finally`. */
  readonly list: string
  /** The id of the nearest step around it. */
  readonly within?: string
}

/** Where each id of a runbook stands. Of two with one id the first counts. */
export type StepIndex = ReadonlyMap<string, IndexedStep>

/** Finds the ids of all steps, however deep. */
export function indexSteps(document: RunbookDocument): StepIndex {
  const index = new Map<string, IndexedStep>()
  addBlock(index, document, [], undefined)
  return index
}

interface Block {
  readonly steps?: readonly (StepKeys | undefined)[]
  readonly parallel?: readonly (StepKeys | undefined)[]
  readonly finally?: readonly (StepKeys | undefined)[]
  readonly catch?: readonly (CatchKeys | undefined)[]
}

const lists: readonly string[] = ['steps', 'parallel', 'catch', 'finally']

function addBlock(
  index: Map<string, IndexedStep>,
  block: Block,
  path: JsonPath,
  within: string | undefined,
): void {
  for (const key of ['steps', 'parallel', 'finally'] as const) {
    addSteps(index, block[key], [...path, key], within)
  }
  for (const [position, entry] of (block.catch ?? []).entries()) {
    addSteps(index, entry?.steps, [...path, 'catch', position, 'steps'], within)
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
      const list = String(path.findLast((key) => typeof key === 'string' && lists.includes(key)))
      index.set(id, {
        path: at,
        list: path.at(-3) === 'catch' ? 'catch' : list,
        ...(within === undefined ? {} : { within }),
      })
    }
    addBlock(index, step, at, id ?? within)
  }
}
