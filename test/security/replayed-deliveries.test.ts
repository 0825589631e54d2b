/** A delivery is captured, body and signature, and sent again under new ids. */
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { HookAuth } from '../../src/triggers/webhooks/read-delivery.ts'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { serveHooks } from '../triggers/server/serve-hooks.ts'
import { startServing } from './support/serve-in-process.ts'

const key = 'a secret of both sides'
const body = '{"host":"web-01"}'
const proofs: readonly { readonly auth: HookAuth; readonly headers: Readonly<Record<string, string>> }[] = [
  {
    auth: { type: 'hmac', header: 'X-Sig', prefix: 'v1=', secrets: [key] },
    headers: { 'x-sig': `v1=${createHmac('sha256', key).update(body).digest('hex')}` },
  },
  { auth: { type: 'token', header: 'X-Token', secrets: [key] }, headers: { 'x-token': key } },
]

describe.each(proofs)('$auth.type', ({ auth, headers }) => {
  it('without an id of its own the hook takes the body for it', async () => {
    const hooks = await serveHooks([{ name: 'one', event: 'incident', auth }])
    for (const id of ['orig', 'replay-1', 'replay-2'])
      await fetch(`${hooks.url}/hooks/one`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'webhook-id': id, ...headers },
        body,
      })
    const ids = hooks.evaluations.map(({ event }) => event.id)
    expect(ids).toHaveLength(3)
    expect(new Set(ids)).toEqual(new Set([expect.stringMatching(/^sha256-[0-9a-f]{64}$/)]))
  })
})

it('a captured delivery starts one run, however often it is sent', async () => {
  const folder = await newFolder({
    'opsbook.yaml':
      'hooks:\n  signed: { auth: { type: hmac, header: X-Sig, prefix: "v1=", secret: env:MAC } }\n',
    'look.yaml': `apiVersion: opsbook/v1
name: look
triggers: [{ type: incident }]
steps: [{ id: say, uses: core/log, with: { message: hello } }]
`,
  })
  const { url } = await startServing(['--sandbox', '--data-dir', 'data', 'look.yaml'], {
    folder,
    env: { MAC: key },
  })
  const answers: (readonly [number, unknown])[] = []
  for (const id of ['orig', 'replay-1', 'replay-2', 'replay-3']) {
    const given = { 'content-type': 'application/json', 'webhook-id': id, ...proofs[0]?.headers }
    const answer = await fetch(`${url}/hooks/signed`, { method: 'POST', headers: given, body })
    answers.push([answer.status, await answer.json()])
  }
  expect(answers).toEqual(answers.map(() => answers[0]))
  expect(answers[0]?.[0]).toBe(200)
  const { stdout } = await opsbook(['runs', '--output', 'json', '--data-dir', `${folder}/data`], { folder })
  expect(JSON.parse(stdout).runs).toHaveLength(1)
})
