import type { JsonObject, TimedRunEvent } from 'opsbook'
import type { Random } from '../fuzz/random.ts'
import type { Blow } from './opsbook-process.ts'
import { finalPlaces, placeOfPath } from './places.ts'

/** What happens to one run: what the service does wrong, and when its processes are ended. */
export interface Scenario {
  readonly tag: string
  readonly faults: readonly JsonObject[]
  /** One process after another; after the last blow the run is left alone. */
  readonly blows: readonly Blow[]
  /** The last resume is begun twice at the same time. */
  readonly hasRivals: boolean
  /** The run is resumed once more after it has ended. */
  readonly isAskedAgain: boolean
}

/** Makes up a scenario; the same numbers make the same one. */
export function createScenario(random: Random, tag: string): Scenario {
  const chosen = faults.filter(() => random.next() < 0.35)
  const lost = random.next() < 0.1 ? [random.pick(lostAnswers)(tag)] : []
  const slow = { operation: 'E6', slow_stream: { line_delay_ms: 1 } }
  const held = {
    operation: 'E2',
    condition: { body: { application_name: `${tag}-c` } },
    delay_ms: 40,
    times: 1,
  }
  const places = Array.from({ length: 1 + random.below(4) }, () => random.below(traps.length))
  return {
    tag,
    // The first rule that is due is the one that counts.
    faults: [
      ...lost,
      ...chosen,
      ...(random.next() < 0.5 ? [slow] : []),
      ...(random.next() < 0.3 ? [held] : []),
    ],
    // A process that goes on from where the last one was ended comes to the later places only.
    blows: places.sort((one, other) => one - other).map((place) => createBlow(traps[place] as Trap, random)),
    hasRivals: random.next() < 0.2,
    isAskedAgain: random.next() < 0.2,
  }
}

/** None is more often than a step repeats, all of one operation together. */
const faults: readonly JsonObject[] = [
  { operation: 'catalog', error: 'RequestLocked', times: 2 },
  { operation: 'E1', error: 'RequestLocked', times: 1 },
  { operation: 'E2', every: 2, error: 'RequestLocked', times: 2 },
  { operation: 'E3', html: 502, times: 2 },
  { operation: 'E4', every: 3, tool_error: { tool: 'os.cpu', code: 'timeout' }, times: 2 },
  { operation: 'E4', every: 2, target_error: 'forward_failed', times: 1 },
  { operation: 'E4', close_after: true, times: 1 },
  { operation: 'E5', error: { code: 'ServiceUnavailable' }, times: 2 },
  { operation: 'E5', error: { code: 'RequestTooFrequently', retry_after: 1 }, times: 1 },
  { operation: 'E6', truncated_stream: { lines: 150, end: 'close' }, times: 1 },
  { operation: 'E6', close_before: true, times: 1 },
  { operation: 'E7', every: 2, close_after: true, times: 2 },
  { operation: 'E7', close_before: true, times: 1 },
  { operation: 'E8', error: 'InternalError', executed: true, times: 1 },
  { operation: 'E8', every: 2, close_after: true, times: 1 },
  { operation: 'E9', empty_body: true, times: 2 },
]

/** The answer of a create that is carried out is lost: nobody can know. */
const lostAnswers: readonly ((tag: string) => JsonObject)[] = [
  () => ({ operation: 'E1', close_after: true, times: 1 }),
  (tag) => lostApplication(tag, 'app'),
  (tag) => lostApplication(tag, 'b'),
]

function lostApplication(tag: string, name: string): JsonObject {
  const condition = { body: { application_name: `${tag}-${name}` } }
  return { operation: 'E2', condition, close_after: true, times: 1 }
}

type Trap = Pick<Blow, 'name' | 'after'> & { readonly longestMs: number }

/** Where it hurts, in the order in which a run comes there. */
const traps: readonly Trap[] = [
  { name: 'the start', longestMs: 600 },
  on('run_started', '', 20),
  on('attempt_succeeded', 'catalog', 3),
  on('attempt_started', 'agent', 25),
  on('attempt_started', 'app', 25),
  on('attempt_succeeded', 'app', 3),
  on('attempt_started', 'checks', 15),
  on('attempt_succeeded', 'checks', 3),
  on('attempt_succeeded', 'fleet[0]/own_app', 3),
  on('attempt_started', 'fleet[1]/off', 10),
  on('attempt_started', 'fleet[2]/own_app', 45),
  on('step_started', 'fleet[2]/bye', 10),
  on('item_finished', 'fleet[1]', 10),
  on('attempt_succeeded', 'fleet[3]/note', 3),
  on('attempt_started', 'fleet[4]/look', 10),
  on('step_started', 'both', 60),
  on('attempt_started', 'both/second', 20),
  on('attempt_started', 'both/reopen', 10),
  on('waiting', 'both/later/nap', 60),
  on('attempt_started', 'both/record', 500),
  on('attempt_succeeded', 'both/record', 3),
  on('waiting', 'query', 300),
  on('attempt_started', 'shaky/instead', 10),
  on('attempt_started', 'flaky', 10),
  on('attempt_started', 'other/down', 10),
  ...finalPlaces.flatMap((place) => [on('step_started', place, 15), on('step_finished', place, 5)]),
  { name: 'the start', longestMs: 2500 },
]

function on(type: TimedRunEvent['type'], place: string, longestMs: number): Trap {
  const after = (event: TimedRunEvent): boolean =>
    event.type === type && (!('path' in event) || placeOfPath(event.path) === place)
  return { name: place === '' ? type : `${type} of ${place}`, after, longestMs }
}

function createBlow({ name, after, longestMs }: Trap, random: Random): Blow {
  // At once as often as not: the instants next to an event are the ones that matter.
  const delayMs = after && random.next() < 0.3 ? 0 : random.below(longestMs + 1)
  const signal = random.next() < 0.1 ? 'SIGINT' : 'SIGKILL'
  return { name: `${signal} ${delayMs} ms after ${name}`, ...(after ? { after } : {}), delayMs, signal }
}
