import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const runbook = `apiVersion: opsbook/v1
name: test
inputs: { type: object, required: [token], properties: { token: { type: string, writeOnly: true } } }
steps:
  - id: apps
    for-each: { items: [{ name: shop }, { name: pay }], as: app }
    uses: rum/application/create
    with: { application_name: "\${{ app.name }}", type: browser, team_id: 1 }
  - { id: ends, uses: core/assert, with: { that: ["\${{ 1 == 2 }}"] } }
`

/** Runs a runbook in a folder of its own. */
async function ran(text: string, ...more: readonly string[]) {
  const folder = await newFolder({ 'test.yaml': text })
  const words = ['run', 'test.yaml', '--sandbox', '-q', '--data-dir', 'data', ...more]
  return { folder, run: await opsbook(words, { folder }) }
}

test('a run that failed names what each item of a loop created, also where nothing reads it', async () => {
  const { folder, run } = await ran(runbook, '-i', 'token=a-sensitive-input')
  const shown = await opsbook(['show', 'latest', '--data-dir', 'data'], { folder })
  for (const { stdout } of [run, shown]) {
    expect(stdout).toMatch(
      /Created or sent before the end, and not rolled back\n {2}apps\[0\] \(name=shop\):\n/,
    )
    expect(stdout.match(/application_id: \w+/g)).toHaveLength(2)
    expect(stdout).toContain('application_name: pay')
    expect(stdout).not.toMatch(/client_token: (?!\(masked\))/)
  }
})

test('show says that --reveal shows sensitive values only where it does', async () => {
  const { folder } = await ran(runbook, '-i', 'token=a-sensitive-input')
  const show = async (...more: readonly string[]): Promise<string> =>
    (await opsbook(['show', 'latest', '--data-dir', 'data', ...more], { folder })).stdout
  const [masked, revealed] = [await show(), await show('--reveal')]
  const [outputs = '', inputs = ''] = masked.split('Started with')
  expect(outputs).toContain('sensitive values are masked; --reveal shows them\n')
  expect(inputs).toMatch(/sensitive values are masked\n/)
  expect(revealed).toMatch(/client_token: (?!\(masked\))/)
  expect(revealed).not.toContain('--reveal shows')
  expect(masked + revealed).not.toContain('a-sensitive-input')
})

test('a condition that did not come true names the values that it read last', async () => {
  const poll = `apiVersion: opsbook/v1
name: poll
steps:
  - id: look
    uses: monit/tools/invoke
    with: { target_locator: web-01, tools: [{ tool: os.overview }] }
    repeat: { until: "\${{ outputs.succeeded > 5 }}", interval: 1ms, max-wait: 5ms }
`
  const { run } = await ran(poll)
  expect(run.stdout).toContain('did not come true within 5ms; at last outputs.succeeded is 1')
})

test('what a catch may have undone is said to be so, and where to start over', async () => {
  const text = `apiVersion: opsbook/v1
name: test
steps:
  - id: before
    uses: rum/application/create
    with: { application_name: shop, type: browser, team_id: 1 }
  - id: attach
    uses: core/fail
    with: { code: NotReady, message: not yet }
    catch:
      - errors: [all]
        steps: [{ id: undo, uses: rum/issue/preset-severity/rules/disable, with: { application_id: x, rule_id: y } }]
        then: fail
finally:
  - id: told
    uses: rum/application/create
    with: { application_name: told, type: browser, team_id: 1 }
`
  const { folder, run } = await ran(text)
  expect(run.stdout).toContain('steps of catch or finally ran afterwards and may have undone it\n  before:\n')
  const printed =
    /^If catch or finally has undone before, start over .+\n {2}opsbook (resume run_\S+ --from before .+)$/m
  const [, words = ''] = printed.exec(run.stdout) ?? []
  expect(words).toContain(' --repeat before --repeat attach/undo --repeat told')
  const resumed = await opsbook([...words.split(' '), '--yes'], { folder })
  expect(resumed.stderr).toContain('before: started')
  expect(resumed.stdout).toContain('attach: NotReady')
})

test('a write that a catch may have undone is named as where to start over, also inside a block', async () => {
  const rule =
    'uses: rum/issue/preset-severity/rules/disable, with: { application_id: CheckoutWebSandboxApp1, rule_id: sev_crash }'
  const text = `apiVersion: opsbook/v1
name: test
steps:
  - id: change
    steps:
      - { id: put, ${rule} }
      - { id: check, uses: core/fail, with: { code: NotReady, message: not yet } }
    catch:
      - { errors: [all], steps: [{ id: put_back, ${rule} }, { id: say, ${rule} }], then: fail }
`
  const { folder, run } = await ran(text)
  const printed =
    /^If catch or finally has undone change\/put, start over .+\n {2}opsbook (resume run_\S+ --from .+)$/m
  const [, words = ''] = printed.exec(run.stdout) ?? []
  expect(words, run.stdout).toContain(' --repeat change/put --repeat change/put_back --repeat change/say')
  const resumed = await opsbook([...words.split(' '), '--yes'], { folder })
  expect(resumed.stderr).toContain('change/put: started')
  expect(resumed.stdout).toContain('change/check: NotReady')
})

test('what finally creates comes after the end, and is not listed as created before it', async () => {
  const text = `apiVersion: opsbook/v1
name: test
steps:
  - id: made
    uses: rum/application/create
    with: { application_name: shop, type: browser, team_id: 1 }
  - { id: ends, uses: core/fail, with: { code: NotReady, message: not yet } }
finally:
  - id: told
    for-each: { items: [a, b] }
    uses: rum/application/create
    with: { application_name: "\${{ item }}", type: browser, team_id: 1 }
`
  const { folder } = await ran(text)
  const { stdout } = await opsbook(['show', 'latest', '--data-dir', 'data'], { folder })
  const [, listed = ''] = stdout.split('Created or sent before the end')
  expect(listed).toContain('\n  made:\n')
  expect(listed).not.toContain('told[0]:')
  expect(listed).not.toContain('application_name: a')
})
