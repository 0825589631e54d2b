import type { Covers } from '../approval/covers.ts'
import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../json.ts'
import { createMask, type Mask } from '../mask/index.ts'
import type { Question } from '../people/question.ts'
import type { Plan } from '../plan/plan.ts'
import { createPlanIndex, plannedAction } from '../record/plan-index.ts'
import { sensitiveInputs, sensitiveValues } from '../record/sensitive-values.ts'
import { RunbookError } from '../run-error.ts'
import type { Host } from './host.ts'

/** A host that records no sensitive value where people read it. */
export interface MaskedHost {
  readonly host: Host
  /** The same outcome without sensitive inputs, and its errors without sensitive outputs, which later runs may need. */
  maskOutcome<T extends object>(outcome: T): T
  /** What the inputs of the run, and its callback addresses, hold that is not to be shown. */
  readonly sensitive: readonly string[]
}

/**
 * Hides the sensitive inputs of a run in its events and its questions, those of the runbooks that it runs, and the tokens of
 * its callbacks. What calls answered at sensitive fields is hidden there too, but for outputs. Calls get the values. The
 * host learns those of child runbooks by an event, and returns them to later executions.
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
  const answered = createMask()
  const learn = (values: readonly string[]): void => {
    for (const value of values) answered.hide(value)
  }
  const index = createPlanIndex(plan)
  const maskAll = <T extends object>(value: T): T =>
    maskDependent(answered, maskDependent(mask, value, inputFields), textFields)
  const isHidden = (value: JsonValue): boolean =>
    [mask, answered].some((one) => !isSameJson(one.value(value), value))
  const masked: Host = {
    ...host,
    async call(request, context) {
      const attempted = await host.call(request, context)
      const { sensitiveOutput } = plannedAction(index, request) ?? {}
      if (sensitiveOutput && attempted.status === 'succeeded')
        learn(sensitiveValues(attempted.output, sensitiveOutput))
      return attempted
    },
    report(event) {
      if (event.type === 'outputs_hidden') learn(event.sensitive)
      host.report(maskAll(event))
    },
    ask(question, cancellation) {
      const { path, choices = null, default: standard = null } = question
      if (isHidden([choices, standard] as JsonValue))
        throw new RunbookError('InvalidInput', `core/ask: ${hiddenChoice}`, { path, notSent: true })
      return host.ask(maskQuestion(answered, maskQuestion(mask, question)), cancellation)
    },
    async checkInputs(child, given, path) {
      const checked = await host.checkInputs(child, given, path)
      const found = sensitiveInputs(child.inputs, checked.inputs)
      if (found.length === 0) return checked
      for (const value of found) mask.hide(value)
      host.report({ type: 'inputs_hidden', path, sensitive: found })
      return checked
    },
  }
  return { host: masked, maskOutcome: maskAll, sensitive }
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
  'the choices or the default hold a sensitive value, and what people choose from is shown and recorded'

/** Where events and outcomes say something in words, repeat what a server calls a request, or what a condition read. */
const textFields: ReadonlySet<string> = new Set([
  'message',
  'comment',
  'data',
  'details',
  'error',
  'cause',
  'caught',
  'warnings',
  'failed_items',
  'kinds',
  'name',
  'item',
  'request_id',
  'requestId',
  'values',
])
/** Where they hold what depends on inputs. Other fields, such as `status`, stay as they are. */
const inputFields: ReadonlySet<string> = new Set([...textFields, 'outputs', 'made', 'value'])
/** Which of them hold errors, and those keep their codes. */
const errors: ReadonlySet<string> = new Set(['error', 'cause', 'caught', 'warnings', 'failed_items', 'kinds'])

/** The same event, outcome or error without what is hidden in these fields. */
function maskDependent<T extends object>(mask: Mask, value: T, fields: ReadonlySet<string>): T {
  const maskMember = (name: string, member: JsonValue): JsonValue => {
    if (!fields.has(name)) return member
    if (!errors.has(name)) return mask.value(member)
    if (Array.isArray(member)) return member.map((one) => maskMember('error', one))
    return isJsonObject(member) ? maskDependent(mask, member, fields) : mask.value(member)
  }
  const entries = Object.entries(value) as [string, JsonValue][]
  return Object.fromEntries(entries.map(([name, member]) => [name, maskMember(name, member)])) as T
}
