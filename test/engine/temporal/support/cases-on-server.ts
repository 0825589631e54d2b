import type { JsonObject, Plan } from 'opsbook'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { expectRun } from '../../../conformance/expect-run.ts'
import type { ExpectedRun, RunCase, ScriptedPerson } from '../../../conformance/run-case.ts'
import { runCaseFiles } from '../../../conformance/run-case-files.ts'
import { loadCase, playCase } from '../../../core/play-case.ts'
import { expectMade } from '../../conformance/expect-played.ts'
import { type Cues, openServerStage, type ServerRun, type ServerStage } from './play-on-server.ts'

let stage: ServerStage

/** Opens the stage on which all cases of a test file are played. */
export function openStageForFile(): void {
  beforeAll(async () => {
    stage = await openServerStage(inject('temporalAddress'))
  })
  afterAll(() => stage.close())
}

/** A run that takes longer, or makes more calls, is played in the isolate of the SDK alone. */
const mostMs = 500
const mostCalls = 40

/** Describes the short cases of each file on the server, those that are chosen. */
export async function describeShortCases(
  choose: (all: readonly RunCase[]) => readonly RunCase[],
): Promise<void> {
  for (const { file, cases, isLong } of runCaseFiles) {
    if (isLong) continue
    const chosen = await findShort(choose(cases))
    if (chosen.length === 0) continue
    describe.concurrent(`run/${file}, on a server`, () => {
      for (const { runCase, plan, inputs } of chosen) {
        it(runCase.name, async () => {
          expectPlayed(await stage.play(runCase, plan, inputs), runCase.expect as ExpectedRun)
        })
      }
    })
  }
}

/** Plays a case with requests to pause or to cancel the run. */
export async function tryControlCase(runCase: RunCase & { readonly said: Cues }): Promise<void> {
  const { plan, inputs } = loadCase(runCase)
  if (!plan || !runCase.expect) throw new Error('the runbook is refused')
  const played = await stage.play(runCase, plan, inputs, runCase.said)
  expectPlayed(played, runCase.expect)
  expect(played.seen.waits.map(withoutMoment)).toEqual(runCase.expect.waits ?? [])
}

/** A case that ends soon. */
interface ShortCase {
  readonly runCase: RunCase
  readonly plan: Plan
  readonly inputs: JsonObject
}

/** Those that are over soon. */
async function findShort(cases: readonly RunCase[]): Promise<readonly ShortCase[]> {
  const short: ShortCase[] = []
  for (const runCase of cases) {
    const { plan, inputs } = loadCase(runCase)
    if (!plan || !runCase.expect || isTimed(runCase)) continue
    const { seen, tookMs } = await playCase(atOnce(runCase), plan, inputs)
    if (tookMs > mostMs || seen.calls.length > mostCalls) continue
    short.push({ runCase, plan, inputs })
  }
  return short
}

/** What happens to it happens at a time of its own, or it states a time. */
function isTimed({ cancel, temporal = {} }: RunCase): boolean {
  return cancel !== undefined || temporal['not-in-real-time'] !== undefined
}

/** On a server, questions are answered when they are asked, and events come immediately. */
function atOnce(runCase: RunCase): RunCase {
  const hurry = ([path, said]: [string, ScriptedPerson | readonly ScriptedPerson[]]) => [
    path,
    [said].flat().map((person) => ({ ...person, after: '0s' })),
  ]
  const events = (runCase.events ?? []).map((event) => ({ ...event, after: '0s' }))
  return { ...runCase, events, people: Object.fromEntries(Object.entries(runCase.people ?? {}).map(hurry)) }
}

function expectPlayed(played: ServerRun, { takes: _, waits = [], ...expected }: ExpectedRun): void {
  const { seen, report } = played
  expectRun(seen, expected)
  expect(report.status).toBe(seen.status)
  expect(seen.waits.map(withoutMoment)).toEqual(expect.arrayContaining(waits.map(withoutMoment)))
  expectMade(played, expected)
}

function withoutMoment(wait: string): string {
  return wait.split(' ').slice(0, 2).join(' ')
}
