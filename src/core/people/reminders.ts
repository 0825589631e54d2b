import { isJsonObject, type JsonObject, type JsonSchema } from '../json.ts'
import { parseDuration } from '../times/duration.ts'
import { nonEmpty, object, string } from '../write-schema.ts'

/** When the approvers are notified again of an open question, as the runbook writes it. */
export interface Reminders {
  /** The time from one reminder to the next, such as `10m`; counted from when the question was first asked. */
  readonly remind?: string
  /** Who is notified after that time: a name under `notify` of `opsbook.yaml`. */
  readonly escalate?: { readonly after: string; readonly to: string }
}

/** The most reminders of one question. */
const mostReminders = 20
/** The shortest time between two reminders, and before an escalation, in milliseconds. */
export const leastReminderMs = 60_000

/** The arguments of the actions that ask. */
export const reminderArguments: Readonly<Record<string, JsonSchema>> = {
  remind: string(
    `Time between reminders, at least 1m. At most ${mostReminders} are sent, none after the answer. Default: no reminders.`,
    { format: 'duration', examples: ['10m'] },
  ),
  escalate: object(
    'Whom to notify once, if there is no answer after some time. Default: no one else.',
    {
      after: string('The time without an answer, at least 1m.', { format: 'duration', examples: ['20m'] }),
      to: nonEmpty('A name under `notify` in `opsbook.yaml`.', { examples: ['leads'] }),
    },
    { required: ['after', 'to'], errorMessage: 'is a map, such as { after: 20m, to: leads }' },
  ),
}

/** Reads {@link reminderArguments}, whose shape was checked before. */
export function readReminders({ remind, escalate }: JsonObject): Reminders {
  const { after, to } = isJsonObject(escalate) ? escalate : {}
  return {
    ...(typeof remind === 'string' ? { remind } : {}),
    ...(typeof after === 'string' && typeof to === 'string' ? { escalate: { after, to } } : {}),
  }
}

/** A time that an expression has made shorter than 1m counts as 1m. */
function readTime(text: string | undefined): number | undefined {
  const ms = text === undefined ? undefined : parseDuration(text)
  return ms === undefined ? undefined : Math.max(ms, leastReminderMs)
}

/** A question, as far as its reminders depend on it. */
export interface Reminded extends Reminders {
  readonly timeoutMs?: number
}

/** A reminder of a question, and when to send it. */
export interface DueReminder {
  /** Unix time in milliseconds. */
  readonly atMs: number
  /** From 1. */
  readonly number: number
}

/**
 * The first reminder of a question after a time. Undefined: there is none before its deadline. Several that were missed,
 * since no process was running, count as one: `afterMs` is then the present time.
 */
export function nextReminder(
  { remind, timeoutMs }: Reminded,
  askedAtMs: number,
  afterMs: number,
): DueReminder | undefined {
  const remindMs = readTime(remind)
  if (remindMs === undefined) return undefined
  const number = Math.max(Math.floor((afterMs - askedAtMs) / remindMs), 0) + 1
  const atMs = askedAtMs + number * remindMs
  const isInTime = timeoutMs === undefined || atMs < askedAtMs + timeoutMs
  return number <= mostReminders && isInTime ? { atMs, number } : undefined
}

/** When the escalation of a question is due, in Unix milliseconds. Undefined: never before its deadline. */
export function escalationAt({ escalate, timeoutMs }: Reminded, askedAtMs: number): number | undefined {
  const afterMs = readTime(escalate?.after)
  if (afterMs === undefined) return undefined
  return timeoutMs === undefined || afterMs < timeoutMs ? askedAtMs + afterMs : undefined
}
