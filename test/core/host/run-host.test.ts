import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Safety } from '../../../src/core/action.ts'
import { createCancellation } from '../../../src/core/host/cancellation.ts'
import type {
  EnginePorts,
  KnownAttempt,
  MadeAttempt,
  PreparedCall,
  ReusableResultStore,
} from '../../../src/core/host/engine-ports.ts'
import type { Attempted, CallRequest } from '../../../src/core/host/host.ts'
import { createRunHost } from '../../../src/core/host/run-host.ts'
import type { AskedQuestion } from '../../../src/core/people/index.ts'
import { RunbookError } from '../../../src/core/run-error.ts'

interface Case {
  readonly name: string
  readonly safety: Safety
  readonly known?: KnownAttempt
  readonly reusable?: Awaited<ReturnType<ReusableResultStore<PreparedCall>['take']>>
  readonly made?: MadeAttempt
  readonly isCancelled?: boolean
  readonly isStopping?: boolean
  readonly then: {
    readonly ends?: string
    readonly rejects?: string
    readonly mayHaveExecuted?: boolean
    readonly sent: number
    readonly recorded: readonly string[]
  }
}

const file = new URL('../../cases/recover/answer-call.yaml', import.meta.url)
const { cases }: { readonly cases: readonly Case[] } = parse(readFileSync(file, 'utf8'))
const request: CallRequest = { path: 'agent', attempt: 1, action: 'agents/create', input: {} }

test.each(cases)('$name', async ({ then, ...given }) => {
  const { host, sent, recorded } = hostOf(given)
  const cancellation = createCancellation()
  if (given.isCancelled) cancellation.cancel({ code: 'Cancelled', message: 'cancelled' })
  const call = host.call(request, { cancellation, onWaiting() {}, past() {} })
  if (then.rejects) await expect(call).rejects.toMatchObject({ code: then.rejects })
  else expect(endOf(await call)).toEqual({ ends: then.ends, mayHaveExecuted: then.mayHaveExecuted })
  expect({ sent: sent.length, recorded }).toEqual({ sent: then.sent, recorded: then.recorded })
})

test('a place is left whatever the result', async () => {
  const refused = { result: { status: 'failed', error: { code: 'ServerError', message: 'no' } } } as const
  for (const made of [undefined, refused, { ...refused, isInterrupted: true }]) {
    const { host, taken } = hostOf({ safety: 'create', ...(made ? { made } : {}) })
    await host
      .call(request, { cancellation: createCancellation(), onWaiting() {}, past() {} })
      .catch(() => undefined)
    expect(taken()).toBe(0)
  }
})

test('a call that waited for the parallel limit begins only after the pause that began meanwhile', async () => {
  const { ports, taken } = hostOf({ safety: 'create' })
  const steps: string[] = []
  let isPaused = false
  const host = createRunHost({
    ...ports,
    control: {
      ...ports.control,
      isPaused: () => isPaused,
      ready: () => (isPaused ? unpause() : undefined),
    },
    parallelLimit: {
      tryEnter: () => steps.includes('paused') && ports.parallelLimit.tryEnter(),
      async enter() {
        steps.push('paused')
        isPaused = true
        return ports.parallelLimit.tryEnter()
      },
      leave() {
        steps.push('left')
        ports.parallelLimit.leave()
      },
    },
    maker: {
      ...ports.maker,
      make(call, context) {
        steps.push('made')
        return ports.maker.make(call, context)
      },
    },
  })
  const unpause = async (): Promise<void> => {
    steps.push('unpaused')
    isPaused = false
  }
  await host.call(request, { cancellation: createCancellation(), onWaiting() {}, past() {} })
  expect(steps).toEqual(['paused', 'left', 'unpaused', 'made', 'left'])
  expect(taken()).toBe(0)
})

test('a question records who may answer it where it is asked, and again where others ask it after a resume', async () => {
  const { ports } = hostOf({ safety: 'read' })
  const asked: AskedQuestion[] = []
  const ask = async (members: readonly string[]): Promise<unknown> => {
    const host = createRunHost({
      ...ports,
      questions: {
        ...ports.questions,
        people: () => ({ groups: { leads: members, others: ['eve'] }, trust: ['system-user'] }),
        read: () =>
          (asked.length > 0 && { ...asked[0], message: 'Go?', status: 'open', answers: [], shown: '1-a' }) ||
          undefined,
        open: (question) => void asked.push(question),
        settled: async () => {},
      },
      timer: { ...ports.timer, now: () => 0 },
    })
    return host.ask(
      { path: 'ask', message: 'Go?', from: { groups: ['leads', 'none'] } },
      createCancellation(),
    )
  }
  await ask(['ada'])
  const people = { groups: { leads: ['ada'], none: [] }, trust: ['system-user'] }
  expect(asked).toMatchObject([{ people }])
  await ask(['ada'])
  expect(asked).toHaveLength(1)
  await ask(['ada', 'bob'])
  expect(asked).toMatchObject([{ people }, { people: { groups: { leads: ['ada', 'bob'] } }, shown: '1-a' }])
})

test('a question whose time is over is answered by nobody, also not in advance', async () => {
  const { ports } = hostOf({ safety: 'read' })
  let status: 'open' | 'answered' | 'expired' | 'withdrawn' = 'open'
  const given = {
    approved: true,
    by: { name: 'ann', source: 'system-user' as const },
    at: '2026-01-01T00:00:00Z',
  }
  const host = createRunHost({
    ...ports,
    questions: {
      read: () => ({
        message: 'Go?',
        shown: '1-0000000000',
        status,
        answers: status === 'answered' ? [given] : [],
        ...(status === 'answered' ? { answeredAtMs: 1 } : {}),
      }),
      open: () => undefined,
      setAside: () => undefined,
      people: () => ({}),
      async settled() {
        status = 'answered'
      },
      close: (_, closed) => {
        status = closed
      },
    },
  })
  const question = { path: 'ask', message: 'Go?', timeoutMs: 50 }
  expect(await host.ask(question, createCancellation())).toEqual({ isSettled: false, answers: [] })
  expect(status).toBe('expired')
})

function endOf(attempted: Attempted): object {
  if (attempted.status === 'succeeded') return { ends: 'succeeded' }
  return { ends: attempted.error.code, mayHaveExecuted: attempted.error.mayHaveExecuted }
}

/** A host over ports that only write down what it asks of them. */
function hostOf({ safety, known, reusable, made, isStopping = false }: Omit<Case, 'name' | 'then'>) {
  const sent: CallRequest[] = []
  const recorded: string[] = []
  let entered = 0
  let isStopped = isStopping
  const note = (text: string): undefined => void recorded.push(text)
  const stopHere = (): void => {
    if (isStopped) throw new RunbookError('Interrupted', 'asked to stop')
  }
  const [cancellation, abandonment] = [createCancellation(), createCancellation()]
  const ports: EnginePorts<PreparedCall> = {
    attempts: {
      find: () => known,
      begin: () => note('begin'),
      finish: (_, { result }, attempted) => {
        expect(attempted).toMatchObject(result)
        return note(`finish ${result.status === 'failed' ? result.error.code : result.status}`)
      },
      takeOver: (_, { id }) => note(`take over ${id}`),
      withdraw: () => note('withdraw'),
    },
    maker: {
      prepare: (asked) => ({ request: asked, safety, action: undefined }),
      async make({ request: asked }) {
        sent.push(asked)
        if (made?.isInterrupted) isStopped = true
        return made ?? { result: { status: 'succeeded', output: { id: 1 } } }
      },
    },
    reusable: reusable && { take: async () => reusable },
    questions: {
      read: () => undefined,
      open: () => undefined,
      setAside: () => undefined,
      people: () => ({}),
      settled: async () => {},
      close: () => undefined,
    },
    inbox: { next: () => undefined, claim: () => undefined, more: () => Promise.resolve() },
    firstReached: { reached: () => 0, reachedAnew: () => 0 },
    replay: { waitForReplay: async () => {}, consumed() {}, caughtUp: () => undefined },
    control: { cancellation, abandonment, isPaused: () => false, ready: () => undefined },
    brake: { isStopping: () => isStopped, stopHere, check: stopHere },
    parallelLimit: {
      tryEnter: () => ++entered > 0,
      enter: async () => true,
      leave: () => void entered--,
    },
    timer: { now: () => 100, until: async () => {} },
    isResumed: true,
    workingTimes: { countsFrom: () => undefined, workedBefore: () => undefined, keep() {} },
    checkInputs: (_, inputs) => ({ inputs, problems: [] }),
    report() {},
  }
  return { host: createRunHost(ports), ports, sent, recorded, taken: () => entered }
}
