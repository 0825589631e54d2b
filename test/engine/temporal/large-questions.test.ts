import { randomBytes } from 'node:crypto'
import { createActions, loadRunbook } from 'opsbook'
import { expect, it } from 'vitest'
import type { RunStart } from '../../../src/engine/temporal/messages.ts'
import { runTypeOf } from '../../../src/engine/temporal/run-listing.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { createEngineClock } from '../conformance/engine-clock.ts'
import { encode } from './isolate/payloads.ts'
import { playWorkflow } from './isolate/play-workflow.ts'
import { isolateOfFile } from './support/isolate-of-file.ts'

const isolate = isolateOfFile()

const startMs = Date.parse('2026-11-22T09:00:00Z')

/** No other text is like it, so that it cannot be packed. */
const noise = (bytes: number): string => randomBytes((bytes * 3) / 4).toString('base64')

/** Plays a loop of 100 items in many executions, whose questions are answered in advance. */
async function play(step: object): Promise<{ readonly outcome: unknown; readonly executions: number }> {
  const texts = Array.from({ length: 20 }, () => noise(30_000))
  const runbook = {
    apiVersion: 'opsbook/v1',
    name: 'asks',
    inputs: {
      type: 'object',
      required: ['texts'],
      properties: { texts: { type: 'array', items: { type: 'string' } } },
    },
    steps: [
      {
        id: 'each',
        'for-each': { items: '${{ range(100) }}', as: 'n' },
        steps: [
          step,
          {
            id: 'sent',
            uses: 'core/http',
            with: {
              method: 'POST',
              url: 'https://a.example',
              body: { n: '${{ n }}', text: '${{ inputs.texts[n % 20] + string(n) }}' },
            },
          },
        ],
      },
    ],
  }
  const { plan, diagnostics } = loadRunbook(JSON.stringify(runbook), createActions())
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  const by = systemUserNamed('somebody')
  const start: RunStart = {
    plan,
    inputs: { texts },
    runId: 'run_1',
    startedAtMs: startMs,
    startedBy: by,
    approvedBy: by,
    actionQueue: 'actions',
    mostEvents: 200,
  }
  const clock = createEngineClock(startMs)
  const work = async () => {
    const workflow = await playWorkflow({
      isolate,
      clock,
      workflowType: runTypeOf(plan.name),
      workflowId: 'run_1',
      input: start,
      runActivity: async () => ({ completed: { result: encode({ output: { status: 200, headers: {} } }) } }),
      runLocalActivity: async () => ({ completed: { result: encode('key') } }),
    })
    const outcome = await workflow.result.catch((error) => error)
    await workflow.dispose()
    return { outcome, executions: workflow.executions.length }
  }
  return clock.run(work())
}

it.each([
  ['approvals, whose calls are large', { id: 'ok', uses: 'core/approve', with: { message: 'Go on?' } }],
  [
    'questions, whose choices are large',
    {
      id: 'ok',
      uses: 'core/ask',
      with: {
        message: 'Which?',
        answer: { type: 'object', properties: { text: { type: 'string' } } },
        choices: { text: "${{ [inputs.texts[n % 20] + string(n), 'x'] }}" },
        default: { text: 'x' },
      },
    },
  ],
  [
    'questions, whose answers are large',
    {
      id: 'ok',
      uses: 'core/ask',
      with: {
        message: 'Which?',
        answer: { type: 'object', properties: { text: { type: 'string' } } },
        default: { text: '${{ inputs.texts[n % 20] + string(n) }}' },
      },
    },
  ],
])('100 settled %s do not make the state of a run too large', async (_, step) => {
  const { outcome, executions } = await play(step)
  expect(outcome).toMatchObject({ status: 'succeeded' })
  expect(executions).toBeGreaterThan(2)
})
