import type { CallRequest } from '../../core/host/index.ts'
import { valueAt } from '../../core/json.ts'
import type { ScriptedWorld, WorldAnswer } from '../host/scripted-world.ts'
import type { VirtualClock } from '../host/virtual-clock.ts'
import { firstDifference } from './match.ts'
import type { ScriptedCalls } from './scripted-calls.ts'

/** Something that answers calls for real, such as a sandbox. */
export interface LiveWorld {
  /** The name that messages give it, such as `the sandbox`. */
  readonly name: string
  /** Makes an attempt at this virtual time, in Unix milliseconds. Undefined: its script answers. */
  answer(request: CallRequest, nowMs: number): Promise<WorldAnswer> | undefined
  close(): Promise<void>
}

/** An answer that is not as its script says. */
export interface WorldDifference {
  /** The name of the entry under `calls`. */
  readonly name: string
  readonly message: string
}

/** Answers calls by the live world, and the rest by scripts. Time stands still meanwhile, then passes as it really did. */
export function answerLive(
  live: LiveWorld,
  scripts: ScriptedCalls,
  clock: VirtualClock,
  onDifference: (difference: WorldDifference) => void,
): ScriptedWorld['answer'] {
  return (request) => {
    const coming = live.answer(request, clock.now())
    if (!coming) return scripts.answer(request)
    const script = scripts.compared(request)
    const told = coming.then((made) => {
      const found = script && differenceOf(made, script.answer, live.name)
      const message = `${request.path}#${request.attempt}: ${found}`
      if (script && found !== undefined) onDifference({ name: script.name, message })
      return made
    })
    return clock.hold(told)
  }
}

function differenceOf(
  { result: made }: WorldAnswer,
  script: WorldAnswer | undefined,
  world: string,
): string | undefined {
  if (!script) return `the recording does not hold the call that ${world} answers`
  const { result: scripted } = script
  const [is, was] = [made, scripted].map((one) => (one.status === 'failed' ? one.error.code : 'an output'))
  if (is !== was) return `${world} answers with ${is}, and the script with ${was}`
  if (made.status === 'failed' || scripted.status === 'failed') return undefined
  const found = firstDifference(made.output, scripted.output)
  if (!found) return undefined
  const [real, expected] = [made, scripted].map(({ output }) => brief(valueAt(output, found.path)))
  return `${['output', ...found.path].join('.')} of ${world} is ${real}, and in the script ${expected}`
}

/** A value in at most 60 characters. */
function brief(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
