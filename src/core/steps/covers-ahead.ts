import { createWriteCollector, knownScope } from '../approval/gather-writes.ts'
import { type SealedCalls, sealCalls } from '../approval/seal-calls.ts'
import { type KnownScope, known, knownMap, ofAnswer, unknown } from '../expressions/known.ts'
import type { JsonValue } from '../json.ts'
import { gatherCalls } from '../preview/index.ts'
import { sealKey } from './approvals.ts'
import { type Frame, pathIn } from './frame.ts'

/** What a yes to the question that the running step asks covers. Undefined: no write follows it. */
export function coversAhead(
  path: string,
  named: JsonValue | undefined,
  frame: Frame,
): SealedCalls | undefined {
  const writes = createWriteCollector()
  for (let level = frame.sequence; level && !writes.isOver(); level = level.outer) {
    const { steps, index, frame: around } = level
    const running = steps[index]?.id ?? ''
    const isAsking = level === frame.sequence && pathIn(around, running) === path
    const scope = knownScope(around.scope, { [running]: isAsking ? answeredOutputs : unknown })
    const ahead = { steps: steps.slice(index + 1), scope, path: around.path, children: around.children }
    gatherCalls(ahead, writes)
  }
  if (writes.found.length === 0) return undefined
  const key = sealKey(frame)
  return sealCalls(writes.found, named === 'any' ? { key, isAny: true } : { key, named: namesOf(named) })
}

function namesOf(named: JsonValue | undefined): readonly string[] | undefined {
  return Array.isArray(named) ? named.map(String) : undefined
}

/** The step that asks, as the writes after it see it. */
export const answeredOutputs: KnownScope[string] = knownMap({
  status: known('succeeded'),
  outputs: ofAnswer,
})
