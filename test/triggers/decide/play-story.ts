/** A story of `test/cases/triggers/decide.yaml`, played on whatever decides. */
import { loadRunbook } from 'opsbook'
import { parseDuration } from '../../../src/core/duration.ts'
import type { Plan } from '../../../src/core/plan.ts'
import type { Candidate, EventEvaluation } from '../../../src/core/triggers/event-evaluation.ts'
import type { EventDecision } from '../../../src/core/triggers/event-record.ts'

export interface Story {
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

/** Something that decides of events and remembers what it has started. */
export interface Decider {
  evaluation(evaluation: EventEvaluation, nowMs: number): Promise<readonly EventDecision[]>
  setPause(by: string | undefined): Promise<void>
  endRun(runId: string): Promise<void>
  /** The runbooks for which people were notified of a start limit. */
  startLimits(): Promise<readonly string[]>
}

/** What was decided of each event, in the words of the story. */
export async function playStory(
  { story }: Story,
  decider: Decider,
): Promise<{ readonly so: readonly (readonly string[])[]; readonly startLimits: readonly string[] }> {
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
  return { so, startLimits: await decider.startLimits() }
}

/** What the story expects. */
export function expected({ story, startLimits = [] }: Story): Awaited<ReturnType<typeof playStory>> {
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
