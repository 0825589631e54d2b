/**
 * Executes runs of one concurrency key in a process of its own, so that a test can kill it. Takes a job as JSON; prints
 * a line of JSON for each run that is recorded, that is inside of its call, and that has ended.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkInputs, loadRunbook, resumeRun, startRun } from 'opsbook'
import { createNoteActions } from '../../conformance/note-actions.ts'

export interface LineJob {
  readonly dataDir: string
  /** Holds a file for each call that is being made. */
  readonly inside: string
  readonly text: string
  /** The runs to start, by the names of their notes. */
  readonly names: readonly string[]
  /** The runs to resume. */
  readonly runIds: readonly string[]
  readonly callMs: number
  /** No call ends before so many have been made at the same time, which leaves this file. */
  readonly together: { readonly count: number; readonly file: string }
}

const job = JSON.parse(process.argv[2] ?? '') as LineJob
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

/** Whether a process that wrote a file is there; one that was killed may not be reaped yet. */
function isAlive(file: string): boolean {
  try {
    const [, state] = /^\d+ \(.*\) (\S)/.exec(readFileSync(`/proc/${file.split('-')[0]}/stat`, 'utf8')) ?? []
    return state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}

const actions = createNoteActions(async ({ name }) => {
  const file = join(job.inside, `${process.pid}-${name}`)
  writeFileSync(file, '')
  const count = readdirSync(job.inside).filter(isAlive).length
  print({ type: 'inside', name, count })
  if (count >= job.together.count) writeFileSync(job.together.file, '')
  do await new Promise((resolve) => setTimeout(resolve, job.callMs))
  while (!existsSync(job.together.file))
  rmSync(file)
  return { name }
})
const { plan, diagnostics } = loadRunbook(job.text, actions)
if (!plan) throw new Error(JSON.stringify(diagnostics))
const options = {
  dataDir: job.dataDir,
  actions,
  connect: () => Promise.reject(new Error('nothing here has a connection')),
  checkInputs,
}
await Promise.all([
  ...job.names.map(async (name) => {
    const { result } = await startRun({ ...options, plan, inputs: { name } })
    print({ type: 'ended', ...(await result) })
  }),
  ...job.runIds.map(async (runId) => {
    try {
      const { result } = await resumeRun({ ...options, runId })
      print({ type: 'ended', ...(await result) })
    } catch (error) {
      // Another process resumes it already, or has ended it.
      if (!['RunInUse', 'InvalidInput'].includes(String((error as { code?: unknown }).code))) throw error
    }
  }),
])
