/** Two processes decide one run at the same time: one of them is refused, and no decision that was accepted is lost. */
import { Client } from '@temporalio/client'
import { expect, test } from 'vitest'
import { decideRun } from '../../../../src/engine/temporal/client/decide-run.ts'
import { readEnded } from '../../../../src/engine/temporal/client/read-ended.ts'
import { startStandIn } from '../../../api/stand-in.ts'
import { systemUserNamed } from '../../../support/identity.ts'
import { enginesOfFile } from './open-engines.ts'

const runbook = `apiVersion: opsbook/v1
name: unknown
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - { id: make, uses: core/http, with: { method: POST, url: "\${{ inputs.url }}" } }
`

const engines = enginesOfFile({ 'unknown.yaml': runbook })
let client: Client
let runId: string

/** Has a run whose create has lost its answer. */
async function loseAnswer(): Promise<void> {
  client = await engines.client()
  const { baseUrl } = await startStandIn((_, response) => void response.destroy())
  const { stdout } = await engines.temporal(['run', 'unknown.yaml', '-i', `url=${baseUrl}`, '-o', 'json'])
  runId = JSON.parse(stdout).run_id
}

/** A client that does this between its look at the run and its start of the next execution. */
function clientThat(beforeStart: () => Promise<void>): Client {
  const { connection, options } = client
  const { namespace, dataConverter } = options
  return new Client({
    connection,
    namespace,
    dataConverter,
    interceptors: {
      workflow: [
        {
          async start(input, next) {
            if (input.options.workflowId === runId) await beforeStart()
            return next(input)
          },
        },
      ],
    },
  })
}

function decide(as: 'retry' | 'succeeded', through = client): ReturnType<typeof decideRun> {
  const ports = { client: through, taskQueue: engines.taskQueue }
  return decideRun(ports, runId, 'make', { decision: as, by: systemUserNamed(as), replaces: true })
}

async function decisions(): Promise<readonly string[]> {
  const { continued } = await readEnded({ client, taskQueue: engines.taskQueue }, runId, () => {})
  return continued.decisions.map(({ decision }) => decision)
}

test('a rival between the comparison and the start is refused, and the lock is free afterwards', async () => {
  await loseAnswer()
  const accepted: string[] = []
  let refusal: unknown
  const first = clientThat(async () => {
    await decide('succeeded').then(
      () => accepted.push('succeeded'),
      (error: unknown) => {
        refusal = error
      },
    )
  })
  await decide('retry', first)
  accepted.push('retry')
  expect(await decisions()).toEqual(accepted)
  expect(refusal).toMatchObject({ code: 'RunInUse', message: expect.stringContaining('another process') })
  await decide('succeeded')
  expect(await decisions()).toEqual(['retry', 'succeeded'])
})

test('a start with an unknown outcome keeps the lock until the lock expires', async () => {
  await loseAnswer()
  const lost = clientThat(() => Promise.reject(new Error('the connection is lost')))
  await expect(decide('retry', lost)).rejects.toThrow('the connection is lost')
  await expect(decide('succeeded')).rejects.toMatchObject({ code: 'RunInUse' })
  const lock = client.workflow.getHandle(`opsbook-next/${runId}`)
  const { raw } = await lock.describe()
  expect(Number(raw.executionConfig?.workflowExecutionTimeout?.seconds)).toBe(60)
  // As the server does when the lock expires.
  await lock.terminate()
  await decide('succeeded')
  expect(await decisions()).toEqual(['succeeded'])
})
