import type { ListToolsInput } from '../../api/operations/index.ts'
import type { Call } from '../call.ts'
import type { Outcome } from '../outcome.ts'
import { toolsFor } from '../tools/index.ts'
import { checkTarget, findTarget } from './find-target.ts'

/** The catalog of E4's tools for one target. */
export function listTools(call: Call<ListToolsInput>): Outcome {
  const refused = checkTarget(call)
  if (refused) return refused
  const found = findTarget(call)
  if ('error' in found) {
    return { kind: 'data', data: { target: found.target, tools: [], error: found.error } }
  }
  const kind = found.target['kind'] ?? ''
  const tools = toolsFor(String(kind)).map(({ name, description, input }) => ({
    name,
    target_kind: kind,
    description,
    input_schema: input,
  }))
  return { kind: 'data', data: { target: found.target, tools, error: null } }
}
