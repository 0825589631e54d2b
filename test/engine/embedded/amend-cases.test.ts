import { readFileSync } from 'node:fs'
import { compareResume, type JsonObject, RunbookError, type RunReport } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createStage, type Stage } from './support/stage.ts'

interface ResumeCase {
  /** The steps as they are now. */
  readonly after?: string
  readonly inputs?: JsonObject
  readonly from?: string
  readonly keep?: readonly string[]
  readonly repeat?: readonly string[]
  readonly skip?: readonly string[]
  readonly fails?: readonly string[]
  /** The schema of the inputs, and the name, of the runbook as it is now. */
  readonly schema?: JsonObject
  readonly runbook?: string
  /** By path: what becomes of steps, as it is said before. */
  readonly fates?: Readonly<Record<string, string>>
  /** Refused with this in the message. */
  readonly refused?: string
  /** The run ends for want of a word about this step. */
  readonly drift?: string
  readonly calls?: readonly string[]
  /** @default succeeded, or failed with `drift` */
  readonly status?: string
  readonly steps?: Readonly<Record<string, string>>
}

interface AmendCase {
  readonly name: string
  readonly children?: Readonly<Record<string, string>>
  readonly before: string
  readonly finally?: string
  readonly inputs?: JsonObject
  /** The names whose calls fail in the first run. */
  readonly fails?: readonly string[]
  /** One after another, each of what the one before has left. */
  readonly resumes: readonly ResumeCase[]
}

const files = ['steps', 'loops', 'refusals']

describe.each(files)('%s', (file) => {
  const text = readFileSync(new URL(`../../cases/amend/${file}.yaml`, import.meta.url), 'utf8')
  it.each(parse(text) as readonly AmendCase[])('$name', async (amendCase) => {
    const stage = createStage()
    Object.assign(stage.children, amendCase.children)
    failFor(stage, amendCase.fails)
    const plan = stage.plan(document(amendCase.before, amendCase))
    const handle = await stage.start('', { plan, inputs: amendCase.inputs ?? {} })
    const { run_id } = await handle.result
    for (const resume of amendCase.resumes) await playResume(stage, amendCase, run_id, resume)
  })
})

async function playResume(stage: Stage, all: AmendCase, runId: string, one: ResumeCase): Promise<void> {
  failFor(stage, one.fails)
  const amendment = amendmentOf(stage, all, one)
  if (one.fates && amendment) {
    const before = contents(stage)
    const { steps } = compareResume({ ...stage.common, runId, amendment })
    expect(Object.fromEntries(steps.map(({ path, fate }) => [path, fate]))).toMatchObject(one.fates)
    expect(contents(stage)).toEqual(before)
  }
  if (one.refused !== undefined) {
    const before = contents(stage)
    await expect(stage.resume(runId, amendment ? { amendment } : {}), one.refused).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining(one.refused),
    })
    expect(stage.calls).toEqual([])
    expect(contents(stage)).toEqual(before)
    return
  }
  const report = await stage.resume(runId, amendment ? { amendment } : {})
  if (one.calls) expect(stage.calls).toEqual(one.calls)
  expectEnd(report, one)
  expect(
    stage.rows('SELECT 1 FROM attempts WHERE superseded = 0 AND reused IS NOT NULL AND output IS NULL'),
  ).toEqual([])
}

function expectEnd(report: RunReport, { drift, status, steps }: ResumeCase): void {
  expect(report.status, JSON.stringify(report.error)).toBe(
    status ?? (drift === undefined ? 'succeeded' : 'failed'),
  )
  if (drift !== undefined) {
    expect(report.error).toMatchObject({ code: 'PlanDrift', notSent: true, details: { step: drift } })
  }
  if (steps) {
    const statuses = Object.fromEntries(report.steps.map((step) => [step.path, step.status]))
    expect(statuses).toMatchObject(steps)
  }
}

function amendmentOf(stage: Stage, all: AmendCase, one: ResumeCase) {
  const { after, inputs, from, keep, repeat, skip, schema, runbook } = one
  if (!after && !inputs && !from && !keep && !repeat && !skip && !runbook) return undefined
  const isOther = after !== undefined || schema !== undefined || runbook !== undefined
  return {
    ...(isOther ? { plan: stage.plan(document(after ?? all.before, all, schema, runbook)) } : {}),
    ...(inputs ? { inputs } : {}),
    ...(from ? { from } : {}),
    ...(keep ? { keep } : {}),
    ...(repeat ? { repeat } : {}),
    ...(skip ? { skip } : {}),
  }
}

const indented = (steps: string): string => steps.replace(/^/gm, '  ').trimEnd()

function document(
  steps: string,
  all: AmendCase,
  schema: JsonObject = { type: 'object' },
  name = 'test',
): string {
  const cleanUp = all.finally === undefined ? '' : `finally:\n${indented(all.finally)}\n`
  return `apiVersion: opsbook/v1\nname: ${name}\ninputs: ${JSON.stringify(schema)}\nsteps:\n${indented(steps)}\n${cleanUp}`
}

function failFor(stage: Stage, names: readonly string[] = []): void {
  stage.calls.splice(0)
  stage.answer = ({ name }) => {
    if (names.includes(name)) throw new RunbookError('ResourceNotFound', `${name} is not there`)
    return { name }
  }
}

/** Everything that a resume could change. */
function contents(stage: Stage): readonly unknown[] {
  return ['runs', 'attempts', 'steps', 'marks', 'questions', 'artifacts', 'resumes', 'plans'].map((table) =>
    stage.rows(`SELECT * FROM ${table}`),
  )
}
