import { fileURLToPath } from 'node:url'
import { identityText } from '../../../src/core/people/identity.ts'
import { settlingAnswer } from '../../../src/core/people/index.ts'
import { gatherEvidence, judge } from '../judge.ts'
import type { Ended, OpsbookProcess } from '../opsbook-process.ts'
import { settle } from '../settle.ts'
import { chance, noteStop, type Stage, until } from '../stage.ts'

const runbook = fileURLToPath(new URL('../runbooks/asks.yaml', import.meta.url))
const questions = [0, 1, 2]

/** What somebody said, and what they were told. */
interface Said {
  readonly path: string
  readonly approved: boolean
  readonly by: string
  readonly ended: Ended
}

/** Other processes answer while the one that asks is killed. What was acknowledged counts, and nothing else does. */
export async function playAnswers(stage: Stage): Promise<void> {
  const { random, tag } = stage
  await stage.sandbox.reset([{ operation: 'E2', delay_ms: random.below(40) }])
  let owner = stage.start(['run', runbook, '--input', `tag=${tag}`])
  const isAsked = await until(() => openQuestions(stage).length === questions.length)
  if (!isAsked) stage.complaints.push('the run does not ask')
  const runId = stage.journal()?.run.run_id ?? ''
  const said: Said[] = []
  for (const n of shuffled(stage, questions)) {
    const path = `asks[${n}]/ok`
    const before = said.length
    const answers = createAnswers(stage, runId, path)
    const blow = chance(random, 0.75) ? stage.strikeLater(owner, random.below(600)) : undefined
    for (const { process, ...answer } of answers) said.push({ path, ...answer, ended: await process.ended })
    await blow
    if (blow) await noteStop(stage)
    checkTold(stage, said.slice(before))
    // The next one is answered while nobody carries the run out, or while somebody does again.
    if (blow && chance(random, 0.5)) owner = stage.start(['resume', runId])
  }
  if (chance(random, 0.5)) await stage.strikeLater(owner, random.below(500))
  // Whoever was to answer may have been killed before, and the run would wait for ever.
  await answerRest(stage, runId)
  await owner.ended
  await noteStop(stage)
  await settle(stage, tag, () => answerRest(stage, runId))
  await judge(stage)
  await checkCounted(stage, said)
}

function openQuestions(stage: Stage): readonly string[] {
  const questions = stage.journal()?.run.questions ?? []
  return questions.filter(({ status }) => status === 'open').map(({ path }) => path)
}

function createAnswers(
  stage: Stage,
  runId: string,
  path: string,
): readonly (Pick<Said, 'approved' | 'by'> & { readonly process: OpsbookProcess })[] {
  const { random } = stage
  return Array.from({ length: 1 + random.below(4) }, (_, index) => {
    const approved = chance(random, 0.5)
    const by = `p${index}`
    const process = stage.start([approved ? 'approve' : 'reject', runId, path, '--by', by])
    if (chance(random, 0.15)) void stage.strikeLater(process, random.below(500))
    return { approved, by, process }
  })
}

/** One of them is told that it counts, the others that it does not. */
function checkTold(stage: Stage, said: readonly Said[]): void {
  for (const { ended } of said) stage.expectCode(ended, [0, 2])
  const counted = said.filter(({ ended }) => ended.code === 0)
  const path = said[0]?.path ?? ''
  if (counted.length > 1)
    stage.complaints.push(`${path}: ${counted.length} were told that their answer counts`)
  const isSure = said.every(({ ended }) => ended.signal === null)
  const isLate = stage.journal()?.run.questions.some((one) => one.path === path && one.status === 'expired')
  if (isSure && counted.length === 0 && !isLate) stage.complaints.push(`${path}: nobody's answer counts`)
}

async function answerRest(stage: Stage, runId: string): Promise<void> {
  for (const path of openQuestions(stage)) {
    stage.expectCode(await stage.command('approve', runId, path, '--by', 'late'), [0, 2])
  }
}

/** The answers that were acknowledged are in the journal, and the run went on with what is in the journal. */
async function checkCounted(stage: Stage, said: readonly Said[]): Promise<void> {
  const evidence = await gatherEvidence(stage)
  if (!evidence) return
  const { run } = evidence.journal
  for (const n of questions) {
    const path = `asks[${n}]/ok`
    const kept = run.questions.filter((one) => one.path === path).at(-1)
    const counted = said.find((one) => one.path === path && one.ended.code === 0)
    const answer = kept && settlingAnswer(kept)
    if (counted && (answer?.by.name !== counted.by || answer.approved !== counted.approved)) {
      const what = `${counted.approved ? 'yes' : 'no'} of ${counted.by}`
      stage.complaints.push(`${path}: the ${what} was acknowledged and is lost: ${JSON.stringify(kept)}`)
    }
    const { approved, by } = answer ?? {
      approved: false,
      by: { name: 'timeout', source: 'timeout' } as const,
    }
    const wanted = `${stage.tag}:asks[${n}]/made:${approved}:${identityText(by)}`
    const made = evidence.requests.filter(({ operation }) => operation === 'E2').map(({ body }) => body)
    const names = made.map((body) => String(body['application_name']))
    const others = names.filter((name) => name.includes(`asks[${n}]/`) && name !== wanted)
    if (others.length > 0)
      stage.complaints.push(`${path}: the run went on with ${others.join()}, not ${wanted}`)
    if (run.status === 'succeeded' && !names.includes(wanted))
      stage.complaints.push(`${wanted} was never made`)
  }
}

function shuffled<T>({ random }: Stage, items: readonly T[]): readonly T[] {
  const rest = [...items]
  return items.map(() => rest.splice(random.below(rest.length), 1)[0] as T)
}
