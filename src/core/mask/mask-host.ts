import type { Covers } from '../approval/covers.ts'
import type { Host } from '../host/host.ts'
import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../json.ts'
import type { Question } from '../people/question.ts'
import type { Plan } from '../plan.ts'
import { sensitiveInputs } from '../record/sensitive-values.ts'
import { RunbookError } from '../run-error.ts'
import { createMask, type Mask } from './mask.ts'

/** A host that never receives a sensitive input, and the mask that hides them. */
export interface MaskedHost {
  readonly host: Host
  readonly mask: Mask
  /** What the inputs of the run, and its callback addresses, hold that is not to be shown. */
  readonly sensitive: readonly string[]
}

/**
 * Hides the sensitive inputs of a run in its events and its questions, those of the runbooks that it runs, and the tokens of
 * its callbacks. Calls get the values. The host learns those of child runbooks by an event, and returns them to later executions.
 */
export function maskHost(
  host: Host,
  plan: Plan,
  inputs: JsonObject,
  tokens: readonly string[] = [],
): MaskedHost {
  const sensitive = [...sensitiveInputs(plan.inputs, inputs), ...tokens]
  const before = [...(host.sensitive ?? [])]
  const mask = createMask([...sensitive, ...before])
  let isNeeded = sensitive.length > 0 || before.length > 0
  const holdsHidden = (value: JsonValue): boolean => !isSameJson(mask.value(value), value)
  const masked: Host = {
    ...host,
    report: (event) => host.report(isNeeded ? maskDependent(mask, event) : event),
    ask(question, cancellation) {
      const { path, choices = null, default: standard = null } = question
      if (isNeeded && holdsHidden([choices, standard] as JsonValue))
        throw new RunbookError('InvalidInput', `core/ask: ${hiddenChoice}`, { path, notSent: true })
      return host.ask(isNeeded ? maskQuestion(mask, question) : question, cancellation)
    },
    async checkInputs(child, given, path) {
      const checked = await host.checkInputs(child, given, path)
      const found = sensitiveInputs(child.inputs, checked.inputs)
      if (found.length === 0) return checked
      isNeeded = true
      for (const value of found) mask.hide(value)
      host.report({ type: 'inputs_hidden', path, sensitive: found })
      return checked
    },
  }
  return { host: masked, mask, sensitive }
}

function maskQuestion(mask: Mask, { message, covers, ...question }: Question): Question {
  return { ...question, message: mask.text(message), ...(covers && { covers: maskCovers(mask, covers) }) }
}

/** The same calls without what is hidden; their hashes stay. */
function maskCovers(mask: Mask, { calls, again, ...covers }: Covers): Covers {
  return {
    ...covers,
    calls: calls.map(({ shown, ...ofStep }) => ({
      ...ofStep,
      shown: shown.map(({ path, ...call }) => ({ path, ...(mask.value(call) as object) })),
    })),
    ...(again && {
      again: {
        ...again,
        changes: again.changes.map(({ was, is, ...change }) => ({
          ...change,
          ...(was === undefined ? {} : { was: mask.value(was) }),
          ...(is === undefined ? {} : { is: mask.value(is) }),
        })),
      },
    }),
  }
}
const hiddenChoice =
  'the choices or the default hold a sensitive input, and what people choose from is shown and recorded'

/** Where events and outcomes hold what depends on inputs. Other fields, such as `status`, stay as they are. */
const dependent: ReadonlySet<string> = new Set([
  'message',
  'comment',
  'data',
  'details',
  'outputs',
  'values',
  'value',
  'error',
  'cause',
  'caught',
  'warnings',
  'item',
])
/** Which of them hold errors, and those keep their codes. */
const errors: ReadonlySet<string> = new Set(['error', 'cause', 'caught', 'warnings'])

/** The same event, outcome or error without what is hidden. */
export function maskDependent<T extends object>(mask: Mask, value: T): T {
  const entries = Object.entries(value) as [string, JsonValue][]
  return Object.fromEntries(entries.map(([name, member]) => [name, maskMember(mask, name, member)])) as T
}

function maskMember(mask: Mask, name: string, value: JsonValue): JsonValue {
  if (!dependent.has(name)) return value
  if (!errors.has(name)) return mask.value(value)
  if (Array.isArray(value)) return value.map((one) => maskMember(mask, 'error', one))
  return isJsonObject(value) ? maskDependent(mask, value) : mask.value(value)
}
