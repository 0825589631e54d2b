import { expect, test } from 'vitest'
import { startStandIn } from '../../../api/stand-in.ts'
import { named } from '../../../cli/support/named.ts'
import { type Engines, enginesOfFile } from './open-engines.ts'

const head = 'apiVersion: opsbook/v1\n'
const files = {
  'fails.yaml': `${head}name: fails
steps:
  - { id: first, uses: core/set, with: { a: 1 } }
  - { id: ask, uses: core/approve, with: { message: "go on?" } }
`,
  'doubt.yaml': `${head}name: doubt
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - { id: create, uses: core/http, with: { method: POST, url: "\${{ inputs.url }}" } }
  - { id: after, uses: core/log, with: { message: "made \${{ steps.create.outputs.body.id }}" } }
`,
  'follows.yaml': `${head}name: follows
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - { id: create, uses: core/http, with: { method: POST, url: "\${{ inputs.url }}" } }
  - { id: look, uses: core/http, with: { url: "\${{ steps.create.outputs.body.url }}" } }
`,
}

/** Takes requests, and answers none of them. */
const startDeaf = () => startStandIn((_, response) => void response.destroy())

const engines = enginesOfFile(files)

test('a run that was rejected asks again once it is resumed', async () => {
  const rejected = await engines.temporal(['run', 'fails.yaml', '-o', 'json'], {
    onWrite(text) {
      const [, id] = /waits for \\?"opsbook approve (\S+) ask/.exec(text) ?? []
      if (id) void engines.temporal(['reject', id, 'ask'])
    },
  })
  expect(rejected.code).toBe(3)
  const { run_id: id } = JSON.parse(rejected.stdout)
  const resumed = await engines.temporal(['resume', id], {
    onWrite(text) {
      if (text.includes(`waits for "opsbook approve ${id} ask`)) void engines.temporal(['approve', id, 'ask'])
    },
  })
  expect(resumed.stderr).not.toContain('first: started')
  expect(resumed, resumed.stderr).toMatchObject({ code: 0 })
  expect(resumed.stdout).toMatch(/✔ fails succeeded/)
  const { resumes, status } = JSON.parse((await engines.temporal(['show', id, '-o', 'json'])).stdout)
  expect({ status, resumes: resumes.length }).toEqual({ status: 'succeeded', resumes: 1 })
})

test('a run that needs a decision resumes after it', async () => {
  const { baseUrl: url, received } = await startDeaf()
  const doubtful = await engines.temporal(['run', 'doubt.yaml', '-i', `url=${url}`, '-o', 'json'])
  expect({ code: doubtful.code, stderr: doubtful.stderr }).toMatchObject({ code: 4 })
  const { run_id: id } = JSON.parse(doubtful.stdout)
  // The list of the server lags behind.
  const listed = async () => (await engines.temporal(['runs', '--status', 'unknown', '-o', 'json'])).stdout
  await expect.poll(listed).toContain(id)
  expect((await engines.temporal(['show', id])).stdout).toContain('Needs a decision: whether create')
  expect((await engines.temporal(['resume', id])).stderr).toContain('needs a decision first')
  const typo = await engines.temporal(['decide', id, 'creat', '--as', 'failed'])
  expect(typo.stderr).toContain('did you mean create?')
  const succeeded = (outputs: string) =>
    engines.temporal(['decide', id, 'create', '--as', 'succeeded', '--outputs', outputs, '--by', 'somebody'])
  const mistyped = await succeeded('{"status": "ok", "body": {"id": "x1"}}')
  expect(mistyped).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('status must be an integer, not a string'),
  })
  const decided = await succeeded('{"body": {"id": "x1"}}')
  expect(decided.stderr).toContain(`create of ${id}: resolved as succeeded by somebody`)
  expect(decided.stderr).toContain('after: made x1')
  expect(decided.code).toBe(0)
  expect(received).toHaveLength(1)
  await expect.poll(listed).not.toContain(id)
})

test('outputs that the next call refused before it sent anything are corrected, on both engines', async () => {
  const { baseUrl: url, received } = await startDeaf()
  const { baseUrl: there } = await startStandIn((_, response) => void response.end('{}'))
  for (const on of [engines.temporal, engines.embedded]) {
    const { run_id: id } = JSON.parse(
      (await on(['run', 'follows.yaml', '-i', `url=${url}`, '-o', 'json'])).stdout,
    )
    const decide = (found: string, ...more: readonly string[]) =>
      on(['decide', id, 'create', '--as', 'succeeded', '--outputs', `{"body": {"url": "${found}"}}`, ...more])
    const wrong = await decide('nowhere')
    expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining('InvalidInput')])
    const right = await decide(there, '--replace')
    expect(right.code, right.stderr + right.stdout).toBe(0)
    const { decisions, status } = JSON.parse((await on(['show', id, '-o', 'json'])).stdout)
    expect([status, decisions.length]).toEqual(['succeeded', 2])
  }
  expect(received).toHaveLength(2)
})

test('the log shows a decision and a resume like that of the embedded engine', async () => {
  const { baseUrl: url } = await startDeaf()
  const logOf = async (on: Engines['temporal'], ...means: readonly string[]): Promise<string> => {
    const { stdout } = await on(['run', 'doubt.yaml', '-i', `url=${url}`, '-o', 'json'])
    const { run_id: id } = JSON.parse(stdout)
    const words = [
      'decide',
      id,
      'create',
      '--as',
      'failed',
      '--by',
      'ann',
      '--comment',
      'not there',
      '--no-resume',
    ]
    expect((await on(words)).code).toBe(0)
    expect((await on(['resume', id, ...means])).code).toBe(1)
    const log = await on(['logs', id])
    return log.stdout
      .replaceAll(id, 'RUN')
      .replace(/^\S+ \S+ /gm, '')
      .replace(/after [\d.]+s/g, 'after a while')
  }
  const told = await logOf(engines.temporal)
  expect(told).toContain('run RUN of doubt resumed')
  expect(told).toContain(
    `DecidedFailed: ${named('ann')} found out that core/http was not executed: not there`,
  )
  expect(told).toBe(await logOf(engines.embedded, '--sandbox'))
})
