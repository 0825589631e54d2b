import { setTimeout as sleep } from 'node:timers/promises'
import { type Acknowledged, checkCancelled } from '../check-cancelled.ts'
import { hasEnded, type Journal } from '../journal.ts'
import { judge } from '../judge.ts'
import type { Ended } from '../opsbook-process.ts'
import { untilEnded } from '../settle.ts'
import { chance, noteStop, type Stage } from '../stage.ts'
import { hostsWords, slowCalls, slowCleanUp, someMoment } from './hosts-run.ts'

const mostTries = 20

/** Others cancel a run, with or without its clean-up, while its process is killed; then it goes on until it has ended. */
export async function playCancels(stage: Stage): Promise<void> {
  const { random, tag } = stage
  await stage.sandbox.reset([...slowCleanUp(stage), ...slowCalls(stage)])
  const owner = stage.start(hostsWords(tag))
  await someMoment(owner, stage, 10)
  await sleep(random.below(80))
  const runId = stage.journal()?.run.run_id
  if (runId === undefined) throw new Error('the run has not begun')
  // To cancel a run that is paused ends the pause.
  if (chance(random, 0.2)) stage.expectCode(await stage.command('pause', runId), [0, 2])
  const acknowledged: Acknowledged[] = []
  const cancel = async (isInPlace: boolean): Promise<void> => {
    const isNow = chance(random, 0.25)
    const process = stage.start(['cancel', runId, ...(isNow ? ['--now'] : [])])
    if (chance(random, 0.15)) void stage.strikeLater(process, random.below(900))
    const ended = await process.ended
    checkToldOf(stage, ended)
    if (ended.code === 0) acknowledged.push({ atMs: ended.atMs, isNow, isInPlace })
  }
  const cancels = Array.from({ length: 1 + random.below(2) }, async (_, index) => {
    await sleep(index * random.below(500))
    await cancel(false)
  })
  const isStruck = chance(random, 0.85)
  // Around the instant in which somebody is told, or at any time.
  if (isStruck && chance(random, 0.6)) await cancels[0]
  if (isStruck) await stage.strikeLater(owner, random.below(350), chance(random, 0.1) ? 'SIGINT' : 'SIGKILL')
  await Promise.all(cancels)
  if (!isStruck && acknowledged.length === 0) await cancel(false)
  await owner.ended
  await noteStop(stage)
  await goOn(stage, runId, cancel)
  await judge(stage)
  await checkCancelled(stage, acknowledged)
}

function checkToldOf(stage: Stage, ended: Ended): void {
  // 4: something of the run is in doubt; 5: another process carries it out, or does not answer yet.
  stage.expectCode(ended, [0, 2, 4, 5])
}

/** Until it has ended: resumed where it was interrupted, cancelled where something of it is in doubt. */
async function goOn(
  stage: Stage,
  runId: string,
  cancel: (isInPlace: boolean) => Promise<void>,
): Promise<void> {
  const { random } = stage
  for (let tries = 0; tries < mostTries; tries++) {
    const { run } = stage.journal() as Journal
    if (run.status !== 'unknown' && hasEnded(run.status)) return
    if (run.status === 'unknown' || chance(random, 0.4)) {
      await cancel(true)
    } else {
      const process = stage.start(['resume', runId])
      if (chance(random, 0.3)) await stage.strikeLater(process, 150 + random.below(900))
      stage.expectCode(await untilEnded(stage, process), [0, 3, 4])
    }
    await noteStop(stage)
  }
  stage.complaints.push(`stuck: the run is not over after ${mostTries} turns`)
}
