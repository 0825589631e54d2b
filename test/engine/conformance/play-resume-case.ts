import { readFileSync } from 'node:fs'
import {
  type JsonObject,
  type Plan,
  type ResumeChanges,
  type ResumeComparison,
  RunbookError,
  type RunReport,
} from 'opsbook'
import { expect } from 'vitest'
import { parse } from 'yaml'
import type { MarkedCase } from '../../support/smoke.ts'
import type { NoteCall } from './note-actions.ts'

/** What is changed of a run that has ended, and what any engine must make of it. */
interface ChangedResume {
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
  /** What the preview of a resume without changes says: `fate path: reason` of each step in its order. */
  readonly preview?: readonly string[]
  /** Refused with this in the message. */
  readonly refused?: string
  /** The run ends for want of a word about this step. */
  readonly drift?: string
  readonly calls?: readonly string[]
  /** @default succeeded, or failed with `drift` */
  readonly status?: string
  readonly steps?: Readonly<Record<string, string>>
}

/** A run that ends, and its resumes with changes. */
export interface ResumeCase extends MarkedCase {
  readonly name: string
  readonly children?: Readonly<Record<string, string>>
  readonly before: string
  readonly finally?: string
  readonly inputs?: JsonObject
  /** The names whose calls fail in the first run. */
  readonly fails?: readonly string[]
  /** One after another, each of what the one before has left. */
  readonly resumes: readonly ChangedResume[]
}

/** Where the cases are played. */
export interface ResumeHost {
  /** Every call so far, such as `create made`. */
  readonly calls: string[]
  /** What the actions do from now on. */
  answer: (call: NoteCall) => JsonObject
  plan(text: string, children: Readonly<Record<string, string>>): Plan
  /** Answers with the id of the run, once it has ended. */
  run(plan: Plan, inputs: JsonObject): Promise<string>
  compare(runId: string, changes: ResumeChanges | undefined): Promise<ResumeComparison>
  /** Answers once the run has ended again. */
  resume(
    runId: string,
    changes: ResumeChanges | undefined,
  ): Promise<Pick<RunReport, 'status' | 'error' | 'steps'>>
  /** Everything that a resume could change. */
  contents(runId: string): Promise<unknown>
}

export const resumeCases: readonly (readonly [file: string, cases: readonly ResumeCase[]])[] = [
  'steps',
  'plain',
  'loops',
  'refusals',
  'listen',
  'approvals',
].map((file) => {
  const text = readFileSync(new URL(`../../cases/resume/${file}.yaml`, import.meta.url), 'utf8')
  return [file, parse(text) as readonly ResumeCase[]]
})

/** Plays a case, and compares what comes of it with what it says. */
export async function playResumeCase(host: ResumeHost, resumeCase: ResumeCase): Promise<void> {
  failFor(host, resumeCase.fails)
  const plan = host.plan(document(resumeCase.before, resumeCase), resumeCase.children ?? {})
  const runId = await host.run(plan, resumeCase.inputs ?? {})
  for (const resume of resumeCase.resumes) await playResume(host, resumeCase, runId, resume)
}

async function playResume(
  host: ResumeHost,
  all: ResumeCase,
  runId: string,
  one: ChangedResume,
): Promise<void> {
  failFor(host, one.fails)
  const changes = changesOf(host, all, one)
  if (one.fates) {
    const before = await host.contents(runId)
    const { steps } = await host.compare(runId, changes)
    const saysWhy = (path: string): boolean => one.fates?.[path]?.includes(': ') === true
    const fates = steps.map(({ path, fate, reason }) => [path, saysWhy(path) ? `${fate}: ${reason}` : fate])
    expect(Object.fromEntries(fates)).toMatchObject(one.fates)
    expect(await host.contents(runId)).toEqual(before)
  }
  if (one.preview) {
    const before = await host.contents(runId)
    const { steps } = await host.compare(runId, undefined)
    const lines = steps.map(({ fate, path, reason }) => `${fate} ${path}${reason ? `: ${reason}` : ''}`)
    expect(lines).toEqual(one.preview)
    expect(await host.contents(runId)).toEqual(before)
  }
  if (one.refused !== undefined) {
    const before = await host.contents(runId)
    // What cannot be kept is refused by a preview, too.
    if (one.refused.includes('cannot be kept'))
      await expect(host.compare(runId, changes)).rejects.toThrow(one.refused)
    await expect(host.resume(runId, changes), one.refused).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining(one.refused),
    })
    expect(host.calls).toEqual([])
    expect(await host.contents(runId)).toEqual(before)
    return
  }
  const report = await host.resume(runId, changes)
  if (one.calls) expect(host.calls).toEqual(one.calls)
  expectEnd(report, one)
}

function expectEnd(
  report: Pick<RunReport, 'status' | 'error' | 'steps'>,
  { drift, status, steps }: ChangedResume,
): void {
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

function changesOf(host: ResumeHost, all: ResumeCase, one: ChangedResume): ResumeChanges | undefined {
  const { after, inputs, from, keep, repeat, skip, schema, runbook } = one
  if (!after && !inputs && !from && !keep && !repeat && !skip && !runbook) return undefined
  const isOther = after !== undefined || schema !== undefined || runbook !== undefined
  const text = document(after ?? all.before, all, schema, runbook)
  return {
    ...(isOther ? { plan: host.plan(text, all.children ?? {}) } : {}),
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
  all: ResumeCase,
  schema: JsonObject = { type: 'object', additionalProperties: true },
  name = 'test',
): string {
  const cleanUp = all.finally === undefined ? '' : `finally:\n${indented(all.finally)}\n`
  return `apiVersion: opsbook/v1\nname: ${name}\ninputs: ${JSON.stringify(schema)}\nsteps:\n${indented(steps)}\n${cleanUp}`
}

function failFor(host: ResumeHost, names: readonly string[] = []): void {
  host.calls.splice(0)
  host.answer = ({ name }) => {
    if (names.includes(name)) throw new RunbookError('ResourceNotFound', `${name} is not there`)
    return { name }
  }
}
