import { setTimeout as sleep } from 'node:timers/promises'
import { cutOffAttempts, isRead } from '../account.ts'
import { gatherEvidence, judge } from '../judge.ts'
import type { OpsbookProcess } from '../opsbook-process.ts'
import { placeOfPath } from '../places.ts'
import { settle } from '../settle.ts'
import { chance, noteStop, on, type Stage } from '../stage.ts'
import { placeOfTagged } from '../tagged-places.ts'
import { hostsWords, slowCalls, someMoment } from './hosts-run.ts'

/** From when on the pause was acknowledged until somebody began to end it. */
interface Window {
  readonly fromMs: number
  readonly untilMs: number
}

/** Others pause a run and let it go on, while its process is killed: in between no call is begun. */
export async function playPauses(stage: Stage): Promise<void> {
  const { random, tag } = stage
  await stage.sandbox.reset(slowCalls(stage))
  let owner = stage.start(hostsWords(tag))
  await someMoment(owner, stage, 8)
  await sleep(random.below(80))
  const runId = stage.journal()?.run.run_id
  if (runId === undefined) throw new Error('the run has not begun')
  const windows: Window[] = []
  for (let tries = 1 + random.below(2); tries > 0; tries--) {
    const pausing = stage.command('pause', runId)
    if (chance(random, 0.4)) await strike(stage, owner, random.below(700))
    const paused = await pausing
    stage.expectCode(paused, [0, 2])
    if (paused.code !== 0) break
    if (chance(random, 0.5)) await strike(stage, owner, random.below(200))
    owner = await takeUp(stage, owner, runId)
    await sleep(100 + random.below(400))
    checkPaused(stage)
    windows.push({ fromMs: paused.atMs, untilMs: Date.now() })
    const unpausing = stage.command('unpause', runId)
    if (chance(random, 0.3)) await strike(stage, owner, random.below(500))
    stage.expectCode(await unpausing, [0, 2])
    await sleep(random.below(200))
  }
  if (chance(random, 0.5)) await strike(stage, owner, random.below(300))
  if (stage.journal()?.run.status === 'paused') await stage.command('unpause', runId)
  await owner.ended
  await noteStop(stage)
  await settle(stage)
  await judge(stage)
  await checkWindows(stage, windows)
}

async function strike(stage: Stage, owner: OpsbookProcess, delayMs: number): Promise<void> {
  await stage.strikeLater(owner, delayMs)
  await owner.ended
  await noteStop(stage)
}

/** A run that stopped while it was paused is paused when it goes on. */
async function takeUp(stage: Stage, owner: OpsbookProcess, runId: string): Promise<OpsbookProcess> {
  if (stage.journal()?.run.status !== 'interrupted') return owner
  const next = stage.start(['resume', runId])
  await next.seen(on('run_started'))
  return next
}

function checkPaused(stage: Stage): void {
  const status = stage.journal()?.run.status
  if (status === 'paused' || status === 'unknown' || status === 'succeeded') return
  stage.complaints.push(`a pause was acknowledged, and the run is ${status}`)
}

/** Each request that came in between is one of those that had been begun before. */
async function checkWindows(stage: Stage, windows: readonly Window[]): Promise<void> {
  const evidence = await gatherEvidence(stage)
  if (!evidence) return
  const { journal, stops, requests, applications } = evidence
  const begun = [...journal.attempts, ...cutOffAttempts(stops)]
  const named = new Set(begun.flatMap(({ request_id }) => request_id ?? []))
  for (const { fromMs, untilMs } of windows) {
    const isInside = (atMs: number): boolean => atMs > fromMs && atMs < untilMs
    for (const { path, started_at } of begun) {
      if (isInside(Date.parse(started_at)))
        stage.complaints.push(`${path} was begun at ${started_at}, while the run was paused`)
    }
    for (const request of requests.filter(({ arrived_ms }) => isInside(arrived_ms))) {
      const place = placeOfTagged(request, applications)
      if (
        begun.some(({ path, started_at }) => placeOfPath(path) === place && Date.parse(started_at) <= fromMs)
      )
        continue
      // Its intent was batched, and the process was killed before the batch: the read has no row.
      if (stops.length > 0 && isRead(request) && !named.has(request.request_id)) continue
      stage.complaints.push(`${place}: request ${request.number} came while the run was paused`)
    }
  }
}
