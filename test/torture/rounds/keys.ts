import { hasEnded } from '../journal.ts'
import { judge } from '../judge.ts'
import { settle } from '../settle.ts'
import { chance, noteStop, type Stage, settledRequests } from '../stage.ts'
import { hostsWords, slowCalls } from './hosts-run.ts'

/** Several processes start a run with the same key at the same instant: there is one run, and all tell of it. */
export async function playKeys(stage: Stage): Promise<void> {
  const { random, tag } = stage
  await stage.sandbox.reset(slowCalls(stage))
  const words = [...hostsWords(tag), '--id', `key-${tag}`]
  const processes = Array.from({ length: 2 + random.below(2) }, () => stage.start(words))
  const isStruck = chance(random, 0.6)
  if (isStruck) await stage.strikeLater(random.pick(processes), random.below(2000))
  const ended = await Promise.all(processes.map((process) => process.ended))
  await noteStop(stage)
  // Who follows a run whose process dies is told that it is interrupted.
  for (const one of ended) stage.expectCode(one, isStruck ? [0, 4, 130] : [0])
  await settle(stage)
  await judge(stage)
  await startAgain(stage, words)
}

/** The key of a run that has ended answers with its end, and sends nothing. */
async function startAgain(stage: Stage, words: readonly string[]): Promise<void> {
  const run = stage.journal()?.run
  if (!run || !hasEnded(run.status)) return
  const before = (await settledRequests(stage.sandbox)).length
  const again = await stage.command(...words)
  stage.expectCode(again, [run.status === 'succeeded' ? 0 : 3])
  const sent = (await settledRequests(stage.sandbox)).length - before
  if (sent > 0) stage.complaints.push(`starting again with the same key sends ${sent} requests`)
}
