import { expect, it, onTestFinished } from 'vitest'
import {
  holdsSignal,
  joinLineSignal,
  type LineState,
  leaveLineSignal,
  lineAnswerSignal,
  lineType,
  mayBeginUpdate,
} from '../../../src/engine/temporal/concurrency/line.ts'
import type { Job } from './isolate/create-isolate.ts'
import { decode, encode, encodeFailure } from './isolate/payloads.ts'
import { isolateOfFile } from './support/isolate-of-file.ts'

const isolate = isolateOfFile()

const signal = (signalName: string, input: unknown): Job => ({
  signalWorkflow: { signalName, input: [encode(input)] },
})

/** A line in this state. `tell` answers with the commands of a task that comes `afterMs` later. */
async function open(state: LineState) {
  const workflow = await isolate.create(lineType, 'opsbook-line/x', 0)
  onTestFinished(() => workflow.dispose())
  let timeMs = 0
  const tell = async (jobs: readonly Job[], afterMs = 0, historyLength = 10) => {
    timeMs += afterMs
    return workflow.tell({ jobs: [...jobs], timeMs, historyLength })
  }
  const first = await tell([{ initializeWorkflow: { workflowType: lineType, arguments: [encode(state)] } }])
  return { tell, first }
}

type Commands = Awaited<ReturnType<Awaited<ReturnType<typeof open>>['tell']>>

/** The signals that were sent: to which run, which one and with what. */
function sentIn(commands: Commands) {
  return commands.flatMap(({ signalExternalWorkflowExecution: one }) =>
    one
      ? [
          {
            seq: one.seq ?? 0,
            to: one.workflowExecution?.workflowId,
            signal: one.signalName,
            given: one.args?.[0] && decode(one.args[0]),
          },
        ]
      : [],
  )
}

const resolved = (seq: number, message?: string): Job => ({
  resolveSignalExternalWorkflow: {
    seq,
    ...(message === undefined ? {} : { failure: encodeFailure(new Error(message)) }),
  },
})

const waiting = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ runId: `run_${index}`, limit: 1 }))
const gone = 'Unable to signal external workflow because it was not found'
const tooMany = 'Unable to signal external workflow because The per-workflow signal limit was exceeded'

it('5,000 runs wait, and one more is refused', async () => {
  const { tell } = await open({ holders: [{ runId: 'run_a' }], waiting: waiting(4999) })
  expect(sentIn(await tell([signal(joinLineSignal, { runId: 'last', limit: 1 })]))).toEqual([])
  expect(sentIn(await tell([signal(joinLineSignal, { runId: 'more', limit: 1 })]))).toMatchObject([
    { to: 'more', signal: lineAnswerSignal, given: { runId: 'more', refusedAt: 5000 } },
  ])
  // A run that waits already joins again from time to time.
  expect(sentIn(await tell([signal(joinLineSignal, { runId: 'run_7', limit: 1 })]))).toEqual([])
})

it.each([
  ['was terminated', gone, ['run_0']],
  ['is open', undefined, []],
  ['can take no more signals', tooMany, []],
])('where the run that has the key %s, the line gives it on to %j', async (_, message, next) => {
  const { tell, first } = await open({ holders: [{ runId: 'run_a' }], waiting: waiting(2) })
  const [timer] = first.flatMap(({ startTimer: one }) => one ?? [])
  expect(timer?.startToFireTimeout?.seconds?.toString()).toBe('5')
  const [asked] = sentIn(await tell([{ fireTimer: { seq: timer?.seq ?? 0 } }], 5000))
  expect(asked).toMatchObject({ to: 'run_a', signal: holdsSignal })
  const commands = await tell([resolved(asked?.seq ?? 0, message)])
  expect(sentIn(commands).map(({ to }) => to)).toEqual(next)
  // The next check is later.
  const again = commands.flatMap(({ startTimer: one }) => one ?? [])
  expect(again.map((one) => one.startToFireTimeout?.seconds?.toString())).toEqual(next.length ? [] : ['10'])
})

it('a long history continues as new, and nobody loses a place', async () => {
  const state = { holders: [{ runId: 'run_a' }], waiting: waiting(3) }
  const { tell } = await open(state)
  const join = signal(joinLineSignal, { runId: 'last', limit: 1 })
  const commands = await tell([join], 0, 2001)
  const [next] = commands.flatMap(({ continueAsNewWorkflowExecution: one }) => one ?? [])
  expect(next?.arguments?.[0] && decode(next.arguments[0])).toEqual({
    ...state,
    waiting: [...state.waiting, { runId: 'last', limit: 1 }],
  })
})

it('a run that ended while it was answered makes room for the next one', async () => {
  const { tell } = await open({ holders: [{ runId: 'run_a' }], waiting: waiting(2) })
  const [answered] = sentIn(await tell([signal(leaveLineSignal, 'run_a')]))
  expect(answered).toMatchObject({ to: 'run_0', given: { runId: 'run_0' } })
  const [next] = sentIn(await tell([resolved(answered?.seq ?? 0, gone)]))
  expect(next).toMatchObject({ to: 'run_1', given: { runId: 'run_1' } })
})

/** A run that does not wait asks, through a workflow that would start it. */
const asks = (runId: string) =>
  signal(joinLineSignal, { runId, limit: 1, refuses: true, askedBy: 'opsbook-events/x' })

it('a run that does not wait is refused while another one is open, which the line asks every 5 s at most', async () => {
  const { tell } = await open({ holders: [{ runId: 'run_a' }], waiting: [] })
  const [asked] = sentIn(await tell([asks('run_b')], 6000))
  expect(asked).toMatchObject({ to: 'run_a', signal: holdsSignal })
  expect(sentIn(await tell([resolved(asked?.seq ?? 0)]))).toMatchObject([
    { to: 'opsbook-events/x', signal: lineAnswerSignal, given: { runId: 'run_b', holder: 'run_a' } },
  ])
  expect(sentIn(await tell([asks('run_c')], 5000))).toMatchObject([
    { given: { runId: 'run_c', holder: 'run_a' } },
  ])
  expect(sentIn(await tell([asks('run_d')], 1))).toMatchObject([{ to: 'run_a', signal: holdsSignal }])
})

it('two runs that ask while the line asks the one that was terminated: the first one has the key', async () => {
  const { tell } = await open({ holders: [{ runId: 'run_a' }], waiting: [] })
  const [asked, ...more] = sentIn(await tell([asks('run_b'), asks('run_c')], 6000))
  expect(more).toEqual([])
  expect(sentIn(await tell([resolved(asked?.seq ?? 0, gone)]))).toMatchObject([
    { given: { runId: 'run_b', mineUntilMs: 9000 } },
    { given: { runId: 'run_c', holder: 'run_b' } },
  ])
})

it('a run that may begin keeps its key for 5 s, in which it need not exist', async () => {
  const { tell } = await open({ holders: [], waiting: [] })
  expect(sentIn(await tell([asks('run_a')]))).toMatchObject([{ given: { mineUntilMs: 3000 } }])
  expect(sentIn(await tell([asks('run_a')]))).toMatchObject([{ given: { mineUntilMs: 3000 } }])
  expect(sentIn(await tell([asks('run_b')], 5000))).toMatchObject([{ given: { holder: 'run_a' } }])
  expect(sentIn(await tell([asks('run_b')], 5001))).toMatchObject([{ to: 'run_a', signal: holdsSignal }])
})

it('a line that was cancelled answers, and asks whether runs are open', async () => {
  const { tell } = await open({ holders: [{ runId: 'run_a' }], waiting: [] })
  await tell([{ cancelWorkflow: { reason: 'by mistake' } }])
  const [asked] = sentIn(await tell([asks('run_b')], 6000))
  expect(asked).toMatchObject({ to: 'run_a', signal: holdsSignal })
  expect(sentIn(await tell([resolved(asked?.seq ?? 0, gone)]))).toMatchObject([
    { to: 'opsbook-events/x', given: { runId: 'run_b', mineUntilMs: 9000 } },
  ])
})

it('a run that was terminated and is resumed keeps its key, also where the line has just asked for it', async () => {
  const { tell } = await open({ holders: [{ runId: 'run_a' }], waiting: [] })
  const [asked] = sentIn(await tell([asks('run_b')], 6000))
  expect(asked).toMatchObject({ to: 'run_a', signal: holdsSignal })
  expect(sentIn(await tell([asks('run_a')], 100))).toMatchObject([{ given: { mineUntilMs: 9100 } }])
  expect(sentIn(await tell([resolved(asked?.seq ?? 0, gone)]))).toMatchObject([
    { given: { runId: 'run_b', holder: 'run_a' } },
  ])
  expect(sentIn(await tell([asks('run_c')], 4000))).toMatchObject([{ given: { holder: 'run_a' } }])
})

it('a line that was started to be asked answers before it ends', async () => {
  const { tell, first } = await open({ holders: [], waiting: [] })
  expect(first.some((command) => command.completeWorkflowExecution)).toBe(false)
  const input = [encode({ runId: 'run_a', limit: 1, refuses: true })]
  const commands = await tell([
    { doUpdate: { id: 'one', protocolInstanceId: 'one', name: mayBeginUpdate, input, runValidator: true } },
  ])
  const [answer] = commands.flatMap(({ updateResponse: one }) => one?.completed ?? [])
  expect(answer && decode(answer)).toEqual({ runId: 'run_a', mineUntilMs: 3000 })
  const ended = await tell([signal(leaveLineSignal, 'run_a')])
  expect(ended.some((command) => command.completeWorkflowExecution)).toBe(true)
})

const joins = (runId: string) => signal(joinLineSignal, { runId, limit: 1 })

it('a resumed run that joins while the line asks whether it is open keeps its key', async () => {
  const { tell, first } = await open({
    holders: [{ runId: 'run_a' }],
    waiting: [{ runId: 'run_b', limit: 1 }],
  })
  const [timer] = first.flatMap(({ startTimer: one }) => one ?? [])
  const [asked] = sentIn(await tell([{ fireTimer: { seq: timer?.seq ?? 0 } }], 5000))
  expect(sentIn(await tell([joins('run_a')], 5))).toMatchObject([{ to: 'run_a', given: { runId: 'run_a' } }])
  expect(sentIn(await tell([resolved(asked?.seq ?? 0, gone)], 1))).toEqual([])
})

it('a run that is resumed while the line answers its ended execution keeps its key', async () => {
  const { tell } = await open({ holders: [{ runId: 'run_x' }], waiting: waiting(2) })
  const [answered] = sentIn(await tell([signal(leaveLineSignal, 'run_x')], 10))
  expect(answered).toMatchObject({ to: 'run_0' })
  expect(sentIn(await tell([joins('run_0')], 5))).toMatchObject([{ to: 'run_0', given: { runId: 'run_0' } }])
  expect(sentIn(await tell([resolved(answered?.seq ?? 0, gone)], 1))).toEqual([])
})
