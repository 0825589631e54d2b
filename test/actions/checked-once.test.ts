import { type Action, type ActionAnswer, defineAction, type JsonObject } from 'opsbook'
import { createClient } from 'opsbook/api'
import { startSandbox } from 'opsbook/sandbox'
import { expect, it, vi } from 'vitest'
import { createActions, createRunSecrets, noSecrets, runWithSecrets } from '../../src/actions/index.ts'
import { operations } from '../../src/api/operations/index.ts'
import { contextWith } from './context-with.ts'

const actionNamed = (name: string): Action => {
  const action = createActions().find((one) => one.name === name)
  if (!action) throw new Error(`there is no action ${name}`)
  return action
}
const attempt = (action: Action, input: JsonObject, context = contextWith()): Promise<ActionAnswer> =>
  runWithSecrets(action, input, [], createRunSecrets(noSecrets, []), context)

it('an attempt of an operation checks its input once, in the client', async () => {
  const sandbox = await startSandbox({ limits: false })
  const client = createClient({ baseUrl: sandbox.url, appKey: 'sandbox-owner', proxy: 'none', limits: 'off' })
  const check = vi.spyOn(operations.listTools, 'check')
  try {
    const context = contextWith({ connect: async () => client })
    const input = { account_id: 1, target_locator: 'no-such-target' }
    await attempt(actionNamed('monit/tools/catalog'), input, context).catch(() => {})
    expect(check).toHaveBeenCalledTimes(1)
  } finally {
    check.mockRestore()
    await client.close()
    await sandbox.close()
  }
})

it('an attempt of an action of a project checks its input once, before anything is done', async () => {
  let checks = 0
  const run = vi.fn(async () => ({}))
  const action = defineAction({
    name: 'own/count',
    summary: 'Count',
    safety: 'idempotent',
    input: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
    output: { type: 'object' },
    check: () => {
      checks++
      return []
    },
    run,
  })
  await attempt(action, { size: 1 })
  expect(checks).toBe(1)
  await expect(attempt(action, { size: 'x' })).rejects.toMatchObject({ code: 'InvalidInput', notSent: true })
  expect(run).toHaveBeenCalledTimes(1)
})
