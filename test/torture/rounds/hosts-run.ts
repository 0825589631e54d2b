import { fileURLToPath } from 'node:url'
import type { JsonObject } from 'opsbook'
import type { OpsbookProcess } from '../opsbook-process.ts'
import { on, type Stage } from '../stage.ts'
import { cleanUpPlaces } from '../tagged-places.ts'

const runbook = fileURLToPath(new URL('../runbooks/hosts.yaml', import.meta.url))

/** The words that start a run of the runbook that people and other processes meddle with. */
export function hostsWords(tag: string): readonly string[] {
  return ['run', runbook, '--input', `tag=${tag}`]
}

/** Calls that take their time, so that something is in flight whenever somebody meddles. */
export function slowCalls({ random }: Stage): readonly JsonObject[] {
  return [
    { operation: 'E2', delay_ms: 60 + random.below(200) },
    { operation: 'E3', delay_ms: random.below(80) },
    { operation: 'E7', delay_ms: random.below(120) },
  ]
}

/** Clean-up that takes long enough to be met by somebody. */
export function slowCleanUp({ random, tag }: Stage): readonly JsonObject[] {
  return cleanUpPlaces.map((place) => ({
    operation: 'E2',
    condition: { body: { application_name: `${tag}:${place}` } },
    delay_ms: 100 + random.below(300),
  }))
}

/** Moments of a run, in the order in which it comes there. */
const moments = [
  on('run_started'),
  on('attempt_started', 'app'),
  on('attempt_started', 'hosts[0]/made'),
  on('attempt_started', 'hosts[1]/off'),
  on('attempt_succeeded', 'hosts[2]/made'),
  on('attempt_started', 'hosts[3]/look'),
  on('attempt_started', 'hosts[4]/made'),
  on('attempt_started', 'rounds[0]/round'),
  on('attempt_started', 'rounds[1]/seen'),
  on('attempt_succeeded', 'rounds[1]/round'),
  on('item_finished', 'rounds[1]'),
  on('step_started', 'nap'),
  on('attempt_started', 'last'),
  on('attempt_started', 'bill'),
  on('step_started', 'rest'),
  on('attempt_started', 'bye'),
]

/** Resolves at some moment of the run, one of the first so many or any; false where it ended before. */
export function someMoment(
  process: OpsbookProcess,
  { random }: Stage,
  most: number = moments.length,
): Promise<boolean> {
  return process.seen(random.pick(moments.slice(0, most)))
}
