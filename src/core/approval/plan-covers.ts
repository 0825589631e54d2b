import type { KnownScope } from '../expressions/known.ts'
import type { JsonValue } from '../json.ts'
import type { UsesPlan } from '../plan/plan.ts'
import { stepIdOf, withoutPositions } from '../plan/step-address.ts'
import { type CallCollector, foreseeWrite, isWrite } from './gather-writes.ts'
import { isNamed } from './seal-calls.ts'

/** The writes after a question, as far as the plan alone can say. */
export interface PlannedCovers {
  /** `covers: any`: those that are not known need no yes of their own. */
  readonly any?: true
  /** Paths of the steps whose writes are known when the question is asked. */
  readonly steps: readonly string[]
  /** Steps whose writes are not. `needs`: what comes later; empty: `covers` does not name the step. */
  readonly open: readonly OpenStep[]
}

interface OpenStep {
  readonly step: string
  readonly needs: readonly string[]
}

/** Finds out for each question of a plan which writes follow it. */
export interface CoversFinder extends CallCollector {
  coversOf(path: string): PlannedCovers
}

interface AskedQuestion {
  readonly id: string
  readonly covers: JsonValue | undefined
  /** What expressions see where it stands. */
  readonly scope: KnownScope
  /** What the writes of each step still need, by its path. */
  readonly steps: Map<string, Set<string>>
}

/** A part of the plan, and the questions that can be the last ones asked in it. */
interface Part {
  last: readonly AskedQuestion[]
  /** Set for a part that may be left out. */
  readonly around?: Part
  readonly needs: readonly string[]
}

export function createCoversFinder(): CoversFinder {
  const questions = new Map<string, AskedQuestion>()
  const collect = (part: Part): CallCollector => ({
    add({ path, uses, scope }) {
      if (uses.action.name === 'core/approve') {
        const asked = { id: stepIdOf(path), covers: coversArgument(uses), scope, steps: new Map() }
        // Of the items of a loop the first one stands for all.
        if (!questions.has(withoutPositions(path))) questions.set(withoutPositions(path), asked)
        part.last = [asked]
        for (let outer = part.around; outer; outer = outer.around) outer.last = [...outer.last, asked]
      } else if (isWrite(uses.action)) {
        const needs = [...part.needs, ...(foreseeWrite(path, uses, scope).needs ?? [])]
        for (const asked of part.last) {
          const before = asked.steps.get(withoutPositions(path)) ?? []
          asked.steps.set(
            withoutPositions(path),
            new Set([...before, ...needs.filter((need) => isLater(need, asked, scope))]),
          )
        }
      }
    },
    maybe: () => collect({ last: part.last, around: part, needs: part.needs }),
    inside: (more = []) => collect({ last: part.last, needs: [...part.needs, ...more] }),
  })
  return {
    ...collect({ last: [], needs: [] }),
    coversOf: (path) => plannedCovers(questions.get(path)),
  }
}

/** What `covers` of an approval says: `any`, a list of ids, or nothing. */
export function coversArgument({ with: given }: UsesPlan): JsonValue | undefined {
  if (given.kind === 'literal') return (given.value as { readonly covers?: JsonValue }).covers
  const [, covers] = (given.kind === 'object' ? given.entries : []).find(([key]) => key === 'covers') ?? []
  return covers?.kind === 'literal' ? covers.value : undefined
}

/** Whether a path is brought by a step that comes after the question. The answer itself is part of the yes. */
function isLater(need: string, { id, scope: asking }: AskedQuestion, scope: KnownScope): boolean {
  const [root = '', step = ''] = need.split(/[.[\]]/)
  const isSameRunbook = asking['inputs'] === scope['inputs']
  if (root === 'inputs' || root === 'run') return !isSameRunbook
  if (root === 'turn') return true
  // The names of items are known with their list.
  if (root !== 'steps') return need.includes(' ')
  const before = asking['steps']?.kind === 'map' ? asking['steps'].fields : {}
  return !isSameRunbook || (step !== id && !Object.hasOwn(before, step))
}

function plannedCovers(asked: AskedQuestion | undefined): PlannedCovers {
  const { covers, steps = [] } = asked ?? {}
  const isAny = covers === 'any'
  const named = Array.isArray(covers) ? covers.map(String) : undefined
  const all = [...steps].map(([step, needs]) => ({ step, needs: [...needs] }))
  const isKnown = ({ step, needs }: OpenStep): boolean => needs.length === 0 && isNamed(step, named)
  return {
    ...(isAny ? { any: true } : {}),
    steps: all.filter(isKnown).map(({ step }) => step),
    open: all.filter((one) => !isKnown(one)),
  }
}
