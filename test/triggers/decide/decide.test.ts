/** The stories of `test/cases/triggers/decide.yaml`, played on the embedded engine. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadRunbook } from 'opsbook'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import type { Plan } from '../../../src/core/plan/plan.ts'
import { parseDuration } from '../../../src/core/times/duration.ts'
import type { Candidate, EventEvaluation } from '../../../src/core/triggers/event-evaluation.ts'
import type { EventDecision } from '../../../src/core/triggers/event-record.ts'
import { closeRun } from '../../../src/engine/embedded/index.ts'
import { openEventStore } from '../../../src/engine/embedded/received-events/event-store.ts'
import { systemUserNamed } from '../../support/identity.ts'

interface Story {
  readonly about: string
  readonly 'keep-keys'?: string
  readonly story: readonly Chapter[]
  readonly startLimits?: readonly string[]
}

type Chapter =
  | { readonly at: string; readonly wants: readonly Want[]; readonly so: readonly string[] }
  | { readonly pause: string }
  | { readonly unpause: string }
  | { readonly end: string }

interface Want {
  readonly runbook?: string
  readonly trigger?: number
  readonly because?: 'where_false'
  readonly key?: string
  readonly cooldown?: string
  readonly 'cooldown-key'?: string
  readonly max?: number
  readonly per?: string
  readonly concurrency?: 'skip' | 'reject' | 'replace'
}

const file = new URL('../../cases/triggers/decide.yaml', import.meta.url)
const stories = parse(readFileSync(file, 'utf8')) as readonly Story[]

it.each(stories)('$about', async (story) => {
  expect(await playStory(story)).toEqual(expected(story))
})

/** What was decided of each event, in the words of the story. */
async function playStory(told: Story) {
  const { story } = told
  const decider = decideInDatabase(told)
  const names = new Map<string, string>()
  const so: string[][] = []
  let count = 0
  for (const chapter of story) {
    if ('pause' in chapter) await decider.setPause(chapter.pause)
    else if ('unpause' in chapter) await decider.setPause(undefined)
    else if ('end' in chapter) {
      const [runId = ''] = [...names].find(([, name]) => name === chapter.end) ?? []
      await decider.endRun(runId)
    } else {
      const nowMs = Date.parse(`2026-11-21T${chapter.at}Z`)
      const event = { hook: 'h', id: `e${++count}`, type: 'incident', receivedAtMs: nowMs, body: {} }
      const decisions = await decider.evaluation({ event, candidates: chapter.wants.map(candidateOf) }, nowMs)
      so.push(
        decisions.map(({ run_id: id, because }) => {
          if (because === undefined && id !== undefined) names.set(id, `r${names.size + 1}`)
          return [because, id && names.get(id)].filter((part) => part !== undefined).join(' ')
        }),
      )
    }
  }
  return { so, startLimits: decider.startLimits }
}

/** What the story expects. */
function expected({ story, startLimits = [] }: Story) {
  return { so: story.flatMap((chapter) => ('so' in chapter ? [chapter.so] : [])), startLimits }
}

function candidateOf(want: Want): Candidate {
  const { runbook = 'a', trigger = 0, because, key, cooldown, max = 100, per = '10m' } = want
  const who = { runbook, trigger }
  if (because) return { ...who, because, message: 'no' }
  const cooldownKey = want['cooldown-key']
  return {
    ...who,
    plan: planOf(runbook, want.concurrency),
    inputs: {},
    maxStarts: { count: max, perMs: ms(per) },
    ...(key === undefined ? {} : { dedupeKey: key }),
    ...(cooldown === undefined
      ? {}
      : { cooldown: { forMs: ms(cooldown), ...(cooldownKey === undefined ? {} : { key: cooldownKey }) } }),
  }
}

function ms(duration: string): number {
  return parseDuration(duration) ?? Number.NaN
}

function planOf(name: string, onConflict: Want['concurrency']): Plan {
  const concurrency = onConflict === undefined ? '' : `concurrency: { key: one, on-conflict: ${onConflict} }`
  const text = `
apiVersion: opsbook/v1
name: ${name}
${concurrency}
steps:
  - id: hello
    uses: core/log
    with: { message: hello }
`
  const { plan, diagnostics } = loadRunbook(text, [])
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}

/** The embedded engine, with a clock that the story sets. */
function decideInDatabase(story: Story) {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-decide-'))
  let clock = 0
  const startLimits: string[] = []
  const book = openEventStore({
    dataDir,
    keepKeysMs: ms(story['keep-keys'] ?? '7d'),
    now: () => clock,
    notices(notice) {
      startLimits.push(notice.runbook)
      return []
    },
  })
  onTestFinished(async () => {
    await book.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return {
    async evaluation(evaluation: EventEvaluation, nowMs: number): Promise<readonly EventDecision[]> {
      clock = nowMs
      const { starts } = await book.evaluation(evaluation)
      // Recorded by runbook and trigger, whatever the order of the offer.
      return evaluation.candidates.map(({ runbook, trigger }) => {
        const found = starts.find((one) => one.runbook === runbook && one.trigger === trigger)
        if (!found) throw new Error('nothing was decided')
        return found
      })
    },
    async setPause(by: string | undefined) {
      await book.setPause(
        by === undefined ? undefined : { by: systemUserNamed(by), since: '2026-11-21T08:00:00Z' },
      )
    },
    endRun: (runId: string) => closeRun({ dataDir, runId, by: systemUserNamed('alex') }),
    startLimits,
  }
}
