/**
 * Executes a run in a process of its own, so that a test can kill it. Takes a job as JSON; prints every event, every
 * call and at last the report, each as a line of JSON. A call of a note action is also a line in the file of the job.
 */
import { appendFileSync } from 'node:fs'
import { checkInputs, type JsonObject, loadRunbook, type RunScope, resumeRun, startRun } from 'opsbook'
import { composeNotices, startDelivery } from '../../../../src/notifications/index.ts'
import { createNoteActions } from '../../conformance/note-actions.ts'

export interface ChildJob {
  readonly dataDir: string
  /** Where the calls are written. */
  readonly callsFile: string
  /** The runbook to start, or the run to carry on. */
  readonly text?: string
  readonly inputs?: JsonObject
  readonly runId?: string
  /** No person carries it on. */
  readonly isAutomatic?: boolean
  readonly key?: string
  readonly scope?: RunScope
  /** The address for notifications. */
  readonly notifyUrl?: string
  /** Names of notes whose calls never end. */
  readonly hangs?: readonly string[]
}

const job = JSON.parse(process.argv[2] ?? '') as ChildJob
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

const actions = createNoteActions(({ safety, name }) => {
  appendFileSync(job.callsFile, `${safety} ${name}\n`)
  print({ type: 'called', name })
  return job.hangs?.includes(name) ? new Promise(() => setInterval(() => {}, 60_000)) : { name }
})
const target = { on: ['approval_waiting'], reference: 'env:CHAT_URL', format: 'json' } as const
const { notifyUrl } = job
const notices =
  notifyUrl === undefined
    ? {}
    : {
        notices: composeNotices({
          targets: [target],
          place: { facts: { host: 'here', data_dir: '/here' }, text: 'here', flags: '' },
          mask: (text) => text,
        }),
      }
if (notifyUrl !== undefined)
  startDelivery({ dataDir: job.dataDir, references: ['env:CHAT_URL'], resolve: async () => notifyUrl })
const options = {
  dataDir: job.dataDir,
  actions,
  connect: () => Promise.reject(new Error('nothing here has a connection')),
  checkInputs,
  onEvent: print,
  ...(job.key === undefined ? {} : { key: job.key }),
  ...(job.scope === undefined ? {} : { scope: job.scope }),
  ...notices,
}
const begin = () => {
  if (job.runId !== undefined)
    return resumeRun({ ...options, runId: job.runId, isAutomatic: job.isAutomatic ?? false })
  const { plan, diagnostics } = loadRunbook(job.text ?? '', actions)
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return startRun({ ...options, plan, inputs: job.inputs ?? {} })
}
try {
  const handle = await begin()
  print({ type: 'report', ...(await handle.result) })
} catch (error) {
  const { code, message } = error as { code?: string; message: string }
  print({ type: 'refused', code, message })
}
