import { type Acknowledged, checkCancelled } from '../check-cancelled.ts'
import { judge } from '../judge.ts'
import { settle } from '../settle.ts'
import { chance, noteStop, type Stage } from '../stage.ts'
import { hostsWords, slowCalls, someMoment } from './hosts-run.ts'

/** Several processes want to carry on the same run at the same instant: one does, the others are told. */
export async function playRivals(stage: Stage): Promise<void> {
  const { random, tag } = stage
  await stage.sandbox.reset(slowCalls(stage))
  const owner = stage.start(hostsWords(tag))
  await someMoment(owner, stage, 8)
  await stage.strikeLater(owner, random.below(60))
  await owner.ended
  await noteStop(stage)
  const acknowledged: Acknowledged[] = []
  for (let tries = 1 + random.below(2); tries > 0; tries--) acknowledged.push(...(await contend(stage)))
  await settle(stage)
  await judge(stage)
  await checkCancelled(stage, acknowledged)
}

/** Answers with the cancellations that were acknowledged. */
async function contend(stage: Stage): Promise<readonly Acknowledged[]> {
  const { random } = stage
  const { status, run_id: runId } = stage.journal()?.run ?? {}
  if (runId === undefined || status !== 'interrupted') return []
  const third = random.pick([['resume', runId], ['cancel', runId, '--now'], ['cancel', runId], undefined])
  const rivals = [['resume', runId], ['resume', runId], ...(third ? [third] : [])]
  const processes = rivals.map((words) => stage.start(words))
  const isStruck = chance(random, 0.4)
  if (isStruck) {
    const struck = random.pick(processes)
    await stage.strikeLater(struck, random.below(1000))
    await struck.ended
    // At once: whoever goes on makes again what was in flight.
    await noteStop(stage)
  }
  const ended = await Promise.all(processes.map((process) => process.ended))
  await noteStop(stage)
  for (const one of ended) stage.expectCode(one, [0, 2, 3, 4, 5])
  const finished = ended.filter(({ last }) => last?.type === 'run_finished')
  if (finished.length > 1 && !isStruck)
    stage.complaints.push(`${finished.length} processes continued the run out`)
  // Who comes when it is all over is told that; who comes before is told that another one is at it.
  const told = ended.filter((one) => one.words[0] === 'resume' && !finished.includes(one))
  for (const one of told) stage.expectCode(one, isStruck ? [0, 2, 3, 4, 5] : [2, 4, 5])
  return ended
    .filter(({ words, code }) => words[0] === 'cancel' && code === 0)
    .map(({ words, atMs }) => ({ atMs, isNow: words.includes('--now') }))
}
