import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from 'opsbook'
import type { Journal } from '../journal.ts'
import { judge } from '../judge.ts'
import type { OpsbookProcess } from '../opsbook-process.ts'
import { findTruth, findUnresolved, settle } from '../settle.ts'
import { chance, noteStop, on, type Stage } from '../stage.ts'
import { cleanUpPlaces, hostsCreates } from '../tagged-places.ts'
import { hostsWords, slowCalls, someMoment } from './hosts-run.ts'

const mostTries = 8

/** The answer of this one is never lost: whoever decides it while it is in flight decides wrongly. */
const answered = 'hosts[0]/made'

/** Answers of creates are lost; people say what became of them, at the same time and while they are killed. */
export async function playDecisions(stage: Stage): Promise<void> {
  const { random, tag } = stage
  const places = [...hostsCreates, ...cleanUpPlaces].filter((place) => place !== answered)
  const lost = Array.from({ length: 1 + random.below(3) }, () => loseAnswer(stage, random.pick(places)))
  await stage.sandbox.reset([...lost, ...slowCalls(stage)])
  const owner = stage.start(hostsWords(tag))
  if (chance(random, 0.5)) await decideEarly(stage, owner)
  if (chance(random, 0.3) && (await someMoment(owner, stage)))
    await stage.strikeLater(owner, random.below(200))
  await owner.ended
  await noteStop(stage)
  for (let tries = 0; tries < mostTries; tries++) {
    const journal = stage.journal()
    const [path] = journal ? findUnresolved(journal) : []
    if (!journal || path === undefined) break
    await decide(stage, journal, path)
    await noteStop(stage)
  }
  await settle(stage)
  await judge(stage)
}

/** ContinuedState out or not: nobody who waits for the answer can tell. */
function loseAnswer({ random, tag }: Stage, place: string): JsonObject {
  const condition = { body: { application_name: `${tag}:${place}` } }
  const how = chance(random, 0.7) ? { close_after: true } : { close_before: true }
  return { operation: 'E2', condition, times: 1, ...how }
}

/** What is in flight is not in doubt: as long as its process lives nobody can decide anything. */
async function decideEarly(stage: Stage, owner: OpsbookProcess): Promise<void> {
  let isOver = false
  void owner.ended.then(() => {
    isOver = true
  })
  if (!(await owner.seen(on('attempt_started', answered)))) return
  const { run_id } = stage.journal()?.run ?? {}
  if (run_id === undefined) return
  const decided = await stage.command('decide', run_id, answered, '--as', 'failed', '--no-resume')
  // It may have let go of the run a moment ago.
  if (decided.code !== 5) await Promise.race([owner.ended, sleep(700)])
  if (!isOver) stage.expectCode(decided, [5])
}

async function decide(stage: Stage, journal: Journal, path: string): Promise<void> {
  const { random } = stage
  const words = async (): Promise<readonly string[]> => {
    const what = chance(random, 0.25) ? ['--as', 'retry'] : await findTruth(stage, path)
    return ['decide', journal.run.run_id, path, ...what]
  }
  if (chance(random, 0.4)) {
    await decideTwice(stage, journal, path, [await words(), await words()])
    return
  }
  const process = stage.start(await words())
  if (chance(random, 0.6)) await stage.strikeLater(process, random.below(1200))
  stage.expectCode(await process.ended, [0, 1, 4])
}

/** Two say what became of the same call: whoever is told that they settled it is on record, and one of them at least is. */
async function decideTwice(
  stage: Stage,
  journal: Journal,
  path: string,
  both: readonly (readonly string[])[],
): Promise<void> {
  const processes = both.map((words) => stage.start([...words, '--no-resume']))
  const ended = await Promise.all(processes.map((process) => process.ended))
  for (const one of ended) stage.expectCode(one, [0, 2, 4, 5])
  const told = ended.filter(({ code }) => code === 0 || code === 4).length
  const of = (decided: Journal): number => decided.decisions.filter((one) => one.path === path).length
  const kept = of(stage.journal() as Journal) - of(journal)
  if (told === 0 || kept !== told) {
    stage.complaints.push(
      `${path}: ${told} of two were told that they settled it, ${kept} decisions are kept`,
    )
  }
}
