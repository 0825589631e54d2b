/** Ids that end in half an emoji are stored as one and the same character: a second event would be taken for the first. */
import { loadRunbook } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { RunbookError } from '../../src/core/run-error.ts'
import { checkFileName } from '../../src/engine/attempt/artifact-files.ts'
import { preflightCheck } from '../../src/engine/attempt/preflight-check.ts'
import { evaluateEvent } from '../../src/triggers/evaluate/evaluate-event.ts'
import { serveHooks } from '../triggers/server/serve-hooks.ts'
import { compileHook } from './support/compile-hook.ts'

const halves = ['\\ud800', '\\ud801', '\\udc00', 'host-\\ud83d']
const whole = ['\\ud83d\\ude00', '\\uffff', 'ü']

describe('the id of an event', () => {
  it.each([
    ...halves.map((text) => ({ text, status: 400 })),
    ...whole.map((text) => ({ text, status: 200 })),
  ])('$text: $status', async ({ text, status }) => {
    const hooks = await serveHooks([await compileHook('open', '${{ body.id }}')])
    const answer = await fetch(`${hooks.url}/hooks/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"id":"${text}"}`,
    })
    expect(answer.status).toBe(status)
    expect(hooks.evaluations).toHaveLength(status === 200 ? 1 : 0)
  })
})

describe('a key of a trigger', () => {
  const text = `apiVersion: opsbook/v1
name: look
inputs: { properties: { host: { type: string, default: a } } }
concurrency: { key: "\${{ inputs.host }}" }
triggers:
  - { type: incident, dedupe-key: "\${{ event.key }}", with: { host: a } }
  - { type: incident, cooldown: { key: "\${{ event.key }}", for: 1m }, with: { host: a } }
  - { type: incident, with: { host: "\${{ event.key }}" } }
steps: [{ id: say, uses: core/log, with: { message: hello } }]
`
  const { plan, diagnostics } = loadRunbook(text, [])
  const evaluationOf = (key: string) => {
    const body = { key: JSON.parse(`"${key}"`) as string }
    const event = { hook: 'here', id: 'e', type: 'incident', receivedAtMs: 0, body }
    if (!plan) throw new Error(JSON.stringify(diagnostics))
    return evaluateEvent(event, { runbooks: [{ plan, text, file: 'look.yaml' }], actions: [] }).candidates
  }

  it.each(halves)('%s starts nothing, whichever key it is', (key) => {
    expect(evaluationOf(key)).toMatchObject(
      ['triggers', 'triggers', 'concurrency'].map(() => ({
        because: 'mapping_failed',
        message: expect.stringMatching(/not well-formed Unicode/),
      })),
    )
  })

  it.each(whole)('%s is a key', (key) => {
    expect(evaluationOf(key).filter((candidate) => 'because' in candidate)).toEqual([])
  })
})

it('the key of a run', () => {
  const { plan } = loadRunbook(
    'apiVersion: opsbook/v1\nname: a\nsteps: [{ id: b, uses: core/log, with: { message: c } }]',
    [],
  )
  if (!plan) throw new Error('the runbook is not valid')
  const start = (key: string) => () => preflightCheck({ plan, inputs: {}, actions: [], key })
  expect(start('ticket-1 😀')).not.toThrow()
  expect(start('ticket-\ud83d')).toThrow(RunbookError)
})

it.each(['\ud800', 'a/\udc00.json', 'COM¹.txt', 'CONIN$'])('the name of a file: %j', (name) => {
  expect(() => checkFileName(name)).toThrow(/file systems refuse/)
})
