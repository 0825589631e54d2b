import { randomBytes } from 'node:crypto'
import type { Payload } from '@temporalio/common'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { readHistory } from '../../../../src/engine/temporal/client/read-history.ts'
import { connectClient } from '../../../../src/engine/temporal/index.ts'
import { startCodecServer } from '../../../cli/support/start-codec-server.ts'
import { enginesOfTest } from './open-engines.ts'

const canary = 'canary-4711'
const say = `apiVersion: opsbook/v1
name: say
inputs: { type: object, required: [about], properties: { about: { type: string } } }
steps:
  - { id: keep, uses: core/set, with: { about: "\${{ inputs.about }}" } }
outputs: { about: "\${{ steps.keep.outputs.about }}" }
`

test('the codec server decodes what an encrypted run was started with, and how it ended', async () => {
  const keys = { OPSBOOK_TEMPORAL_KEYS: `ours:${randomBytes(32).toString('base64')}` }
  vi.stubEnv('OPSBOOK_TEMPORAL_KEYS', keys.OPSBOOK_TEMPORAL_KEYS)
  onTestFinished(() => void vi.unstubAllEnvs())
  const engines = await enginesOfTest({ 'say.yaml': say })
  const run = await engines.temporal(['run', 'say.yaml', '-i', `about=${canary}`, '-o', 'json'])
  expect(run).toMatchObject({ code: 0 })
  const address = inject('temporalAddress')
  const client = await connectClient({ address, namespace: 'default', taskQueue: engines.taskQueue })
  onTestFinished(() => client.connection.close())
  const encrypted: Payload[] = []
  for await (const event of readHistory(client, JSON.parse(run.stdout).run_id, undefined)) {
    encrypted.push(...(event.workflowExecutionStartedEventAttributes?.input?.payloads ?? []))
    encrypted.push(...(event.workflowExecutionCompletedEventAttributes?.result?.payloads ?? []))
  }
  const texts = encrypted.map(({ data }) => Buffer.from(data ?? []).toString('latin1'))
  expect(texts.join()).not.toContain(canary)

  const server = await startCodecServer(keys)
  const body = {
    payloads: encrypted.map(({ metadata, data }) => ({ metadata: inBase64(metadata), data: base64(data) })),
  }
  const answer = await fetch(`${server.url}/default/decode`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-namespace': 'default' },
    body: JSON.stringify(body),
  })
  const { payloads } = (await answer.json()) as { payloads: { data: string }[] }
  const [started, ended] = payloads.map(({ data }) => JSON.parse(Buffer.from(data, 'base64').toString()))
  expect(started).toMatchObject({ inputs: { about: canary } })
  expect(ended).toMatchObject({ outputs: { about: canary } })
  expect(await server.stop()).toBe(0)
})

function inBase64(metadata: Payload['metadata']): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]))
}

function base64(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('base64')
}
