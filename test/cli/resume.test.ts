import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CommandResult, newFolder, opsbook, type Surroundings } from './support/opsbook.ts'
import { type Service, startService } from './support/service.ts'

const runbook = `apiVersion: opsbook/v1
name: three
steps:
  - id: application
    uses: rum/application/create
    with: { application_name: shop, type: browser, team_id: 1 }
  - id: hosts
    for-each: { items: [web-01, disk-01], as: host }
    steps:
      - { id: catalog, uses: monit/tools/catalog, with: { target_locator: "\${{ host }}" } }
  - id: query
    uses: monit/preview/sync
    with: { ds_type: prometheus, ds_name: prom-main, expr: up }
finally: [{ id: bye, uses: core/log, with: { message: the end } }]
outputs: { id: "\${{ steps.application.outputs.application_id }}" }
`

interface Project {
  readonly service: Service
  run(words: readonly string[], surroundings?: Surroundings): Promise<CommandResult>
}

async function project(files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const service = await startService()
  const folder = await newFolder({ 'three.yaml': runbook, ...files })
  return {
    service,
    run: (words, surroundings = {}) =>
      opsbook([...words, '--data-dir', 'data'], { folder, env: service.env(), ...surroundings }),
  }
}

/** Stops the run as soon as this has been written. */
function stopAt(text: string): Surroundings {
  return {
    onWrite: (written, command) => {
      if (written.includes(text)) command.signal('SIGINT')
    },
  }
}

test('a run that was interrupted goes on: what is done is not done and not told again', async () => {
  const { service, run } = await project()
  await service.fault({ operation: 'E5', delay_ms: 600_000 })
  const stopped = await run(['run', 'three.yaml'], stopAt('query: started'))
  expect(stopped.code).toBe(130)
  const id = /opsbook resume (run_\S+) --data-dir data$/m.exec(stopped.stdout)?.[1]
  expect(stopped.stdout).toContain('Interrupted: 2 of 4 steps ended')
  expect(stopped.stdout).toMatch(/\n {2}· bye +core\/log +not started\n/)
  await service.fault()
  const resumed = await run(['resume', id ?? ''])
  expect(resumed.code, resumed.stderr).toBe(0)
  expect((await service.calls()).filter((operation) => operation === 'E2')).toHaveLength(1)
  expect(resumed.stderr).toMatch(new RegExp(`run ${id} of three resumed, 4 steps`))
  expect(resumed.stderr).toContain('query: succeeded')
  expect(resumed.stderr).not.toMatch(/application|hosts/)
  expect(resumed.stdout).toMatch(
    /✔ application .*succeeded .*\n.*✔ hosts .*succeeded .*\n.*✔ query .*succeeded/,
  )
})

test('a run that failed is tried again where it failed', async () => {
  const { service, run } = await project()
  await service.fault({ operation: 'E5', error: { code: 'AccessDenied', message: 'no' } })
  const failed = await run(['run', 'three.yaml', '--output', 'json', '-q'])
  expect(JSON.parse(failed.stdout)).toMatchObject({ status: 'failed', error: { path: 'query' } })
  await service.fault()
  const { code, stdout } = await run(['resume', 'latest', '--output', 'ndjson', '-q'])
  expect(code).toBe(0)
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const first = JSON.parse(failed.stdout)
  expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'succeeded', run_id: first.run_id })
  expect(new Set(events.flatMap(({ path }) => path ?? []))).toEqual(new Set(['query', 'bye']))
})

test('a resumed run that ends badly names what the first attempt made', async () => {
  const { service, run } = await project()
  await service.fault({ operation: 'E5', error: { code: 'AccessDenied', message: 'no' } })
  await run(['run', 'three.yaml', '-q'])
  const { code, stdout } = await run(['resume', 'latest'])
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /Created or sent before the end, and not rolled back\n {2}application:\n {4}application_id: \w+/,
  )
})

test('a run whose outcome is unknown is not resumed', async () => {
  const { service, run } = await project()
  await service.fault({ operation: 'E2', close_after: true })
  const { code, stdout } = await run(['run', 'three.yaml'])
  expect(code).toBe(4)
  expect(stdout).toContain('Needs a decision: whether application was executed.')
  const resumed = await run(['resume', 'latest'])
  expect({ code: resumed.code, stdout: resumed.stdout }).toEqual({ code: 4, stdout: '' })
  expect(resumed.stderr).toContain('needs a decision first')
})

test('while a run goes on others look on, and cannot take it over', async () => {
  const { service, run } = await project()
  await service.fault({ operation: 'E5', delay_ms: 600_000 })
  let stop = (): void => {}
  let begun = (): void => {}
  const isAtWork = new Promise<void>((resolve) => {
    begun = resolve
  })
  const running = run(['run', 'three.yaml'], {
    onWrite(text, command) {
      if (!text.includes('query: started')) return
      stop = () => command.signal('SIGINT')
      begun()
    },
  })
  await isAtWork
  expect(JSON.parse((await run(['runs', '-o', 'json'])).stdout).runs).toMatchObject([{ status: 'running' }])
  // Views of a run are recorded in batches.
  const shown = async (): Promise<string> => (await run(['show', 'latest'])).stdout
  await expect.poll(shown).toMatch(/three running for .*query .* running.*opsbook watch/s)
  expect(await run(['resume', 'latest'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('RunInUse'),
  })
  const left = await run(['watch', 'latest'], stopAt('query: started'))
  expect(left.code).toBe(130)
  expect(left.stdout).toContain('The run continues. To follow it:\n  opsbook watch run_')
  const watched = run(['watch', 'latest', '-o', 'ndjson'], {
    onWrite: (text) => {
      if (text.includes('"path":"query"')) stop()
    },
  })
  const logged = run(['logs', 'latest', '--follow'])
  expect((await running).code).toBe(130)
  expect(await watched).toMatchObject({ code: 130, stdout: expect.stringContaining('"type":"run_finished"') })
  expect(await logged).toMatchObject({
    code: 130,
    stdout: expect.stringContaining('run interrupted'),
    stderr: expect.stringMatching(
      /^Interrupted: 2 of 4 steps ended.*\n.*\n {2}opsbook resume run_\S+ --data-dir data\n$/,
    ),
  })
})

test('the connection is the one the run was started with, unless another is named', async () => {
  const { service, run } = await project()
  await service.fault({ operation: 'E5', error: { code: 'AccessDenied', message: 'no' } })
  await run(['run', 'three.yaml', '-q'])
  await service.fault()
  const other = await run(['resume', 'latest', '--connection', 'staging'])
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no connection "staging"'),
  })
  const none = await run(['resume', 'latest'], { env: {} })
  expect(none).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('no connection to the service is configured'),
  })
})

test('a run that ends before its next safe point says nothing of how to continue it', async () => {
  const [head = ''] = runbook.split('  - id: hosts')
  const { service, run } = await project({ 'one.yaml': head })
  await service.fault({ operation: 'E2', delay_ms: 1500 })
  let signal = (): void => {}
  const running = run(['run', 'one.yaml'], {
    onStart: (command) => {
      signal = () => command.signal('SIGINT')
    },
  })
  await expect.poll(service.calls).toContain('E2')
  signal()
  const { code, stderr } = await running
  expect(code).toBe(0)
  expect(stderr).not.toContain('does neither')
})

test('a run that had its own sandbox gets a new one, and says so', async () => {
  const folder = await newFolder()
  const text = `apiVersion: opsbook/v1
name: late
steps:
  - { id: query, uses: monit/tools/catalog, with: { target_locator: nowhere } }
`
  await writeFile(join(folder, 'late.yaml'), text)
  const words = ['--data-dir', 'data', '-q']
  expect((await opsbook(['run', 'late.yaml', '--sandbox', ...words], { folder })).code).toBe(1)
  const { code, stderr } = await opsbook(['resume', 'latest', ...words], { folder })
  expect(code).toBe(1)
  expect(stderr).toContain('the new one holds nothing that the run created')
})

test('the sandbox of a run that another process still executes has not ended', async () => {
  const text = `apiVersion: opsbook/v1
name: asks
steps: [{ id: ask, uses: core/approve, with: { message: Go on? } }]
`
  const folder = await newFolder({ 'asks.yaml': text })
  const words = ['--data-dir', 'data']
  let stop = (): void => {}
  let ended: Promise<CommandResult> | undefined
  await new Promise<void>((resolve) => {
    ended = opsbook(['run', 'asks.yaml', '--sandbox', ...words], {
      folder,
      onWrite(written, command) {
        if (!written.includes('no terminal to ask on')) return
        stop = () => command.signal('SIGINT')
        resolve()
      },
    })
  })
  const { code, stderr } = await opsbook(['resume', 'latest', ...words], { folder })
  stop()
  await ended
  expect(code).toBe(5)
  expect(stderr).toContain('RunInUse')
  expect(stderr).not.toContain('the sandbox of this run has ended')
})

const changed = {
  'mended.yaml': runbook.replace('prom-main', 'prom-other'),
  'renamed.yaml': runbook.replace('name: three', 'name: four'),
  'other.yaml': runbook.replace('application_name: shop', 'application_name: market'),
}

async function failedProject(): Promise<Project> {
  const { service, run } = await project(changed)
  await service.fault({ operation: 'E5', error: { code: 'AccessDenied', message: 'no' } })
  expect((await run(['run', 'three.yaml', '-q'])).code).toBe(1)
  await service.fault()
  return { service, run }
}

async function creates({ service }: Project): Promise<number> {
  return (await service.calls()).filter((operation) => operation === 'E2').length
}

test('an edited runbook goes on: the difference is shown first, what is done counts', async () => {
  const project = await failedProject()
  const { code, stderr, stdout } = await project.run(['resume', 'latest', '--runbook', 'mended.yaml'])
  expect(stderr).toMatch(/three resumes with another runbook:/)
  expect(stderr).toMatch(/reused {2}application {4}rum\/application\/create\n/)
  expect(stderr).toMatch(/reused {2}hosts\/catalog {2}monit\/tools\/catalog {5}2 calls\n {2}to do {3}query/)
  expect(stderr.indexOf('reused')).toBeLessThan(stderr.indexOf('run run_'))
  expect(code, stdout).toBe(1)
  expect(stdout).toContain('query: ResourceNotFound')
  expect(await creates(project)).toBe(1)
})

test('a write with other arguments is sent again only with --repeat', async () => {
  const project = await failedProject()
  const words = ['resume', 'latest', '--runbook', 'other.yaml']
  const refused = await project.run(words)
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('choose  application')
  expect(refused.stderr).toContain('nothing was changed')
  expect(refused.stderr).toContain(
    '--repeat application executes it again, --keep application keeps its result',
  )
  expect(await creates(project)).toBe(1)
  const { code, stdout } = await project.run([...words, '--repeat', 'application', '-q', '--output', 'json'])
  expect(code, stdout).toBe(0)
  expect(await creates(project)).toBe(2)
})

test('--dry-run only shows what would become of each step', async () => {
  const project = await failedProject()
  const words = [
    'resume',
    'latest',
    '--runbook',
    'other.yaml',
    '--keep',
    'application',
    '--skip',
    'query',
    '--dry-run',
  ]
  const text = await project.run(words)
  expect(text).toMatchObject({ code: 0, stderr: '' })
  expect(text.stdout).toMatch(/kept {5}application.*\n {2}reused {3}hosts\/catalog.*\n {2}skipped {2}query/)
  const json = await project.run([...words, '--output', 'json'])
  expect(JSON.parse(json.stdout)).toMatchObject({
    runbook: 'three',
    changed_inputs: [],
    steps: [
      { path: 'application', fate: 'kept', is_write: true },
      { fate: 'reused', done: 2 },
      { fate: 'skipped' },
      { path: 'bye' },
    ],
  })
  expect(await creates(project)).toBe(1)
  expect(JSON.parse((await project.run(['show', 'latest', '-o', 'json'])).stdout)).toMatchObject({
    status: 'failed',
  })
})

test('the preview of --repeat says how much of a loop counts', async () => {
  const text = `apiVersion: opsbook/v1
name: many
steps:
  - id: make
    for-each: { items: [a, b, c], tolerate: all }
    uses: rum/application/create
    with: { application_name: "\${{ item }}", type: browser, team_id: 1 }
  - { id: all, uses: core/assert, with: { that: ["\${{ steps.make.outputs.failed == 0 }}"] } }
`
  const { service, run } = await project({ 'many.yaml': text })
  const command = (...words: readonly string[]) => run(words)
  await service.fault({ operation: 'E2', times: 1, error: { code: 'AccessDenied', message: 'no' } })
  const failed = await command('run', 'many.yaml', '-q')
  expect(failed.code).toBe(1)
  expect(failed.stdout).toMatch(
    /tolerated items again, too:\n {2}opsbook resume run_\w+ --repeat make --data-dir data\n/,
  )
  const all = await command('resume', 'latest', '--repeat', 'make', '--dry-run')
  expect(all.stdout).toMatch(/again +make .*what was done with the same arguments counts \(2 calls\)/)
  const one = await command('resume', 'latest', '--repeat', 'make[0]', '--dry-run')
  expect(one.stdout).toMatch(/again +make .*--repeat of make\[0\] alone: the other items count/)
  expect((await command('resume', 'latest', '--repeat', 'make', '-q')).code).toBe(0)
  expect((await service.calls()).filter((operation) => operation === 'E2')).toHaveLength(4)
})

test('--dry-run lists the steps, too, that only work something out', async () => {
  const text = (more: string): string =>
    `apiVersion: opsbook/v1\nname: sums\nsteps:
  - { id: first, uses: core/set, with: { a: 1 } }
  - { id: each, for-each: { items: [1, 2] }, steps: [{ id: say, uses: core/log, with: { message: hi } }] }
  - { id: holds, uses: core/assert, with: { that: ["\${{ 1 == 2 }}"] } }
  - { id: later, uses: core/set, with: { a: 2 } }
${more}`
  const folder = await newFolder({
    'sums.yaml': text(''),
    'more.yaml': text('  - { id: more, uses: core/set, with: { a: 3 } }\n'),
  })
  const command = (...words: readonly string[]) => opsbook([...words, '--data-dir', 'data'], { folder })
  expect((await command('run', 'sums.yaml', '--sandbox', '-q')).code).toBe(1)
  const { stdout } = await command('resume', 'latest', '--runbook', 'more.yaml', '--dry-run')
  expect(stdout.match(/^ {2}(to do|again|new) +\S+ +core\/\w+ +nothing is sent$/gm)).toHaveLength(5)
  expect(stdout).toMatch(
    /again +first .*\n {2}again +each\/say .*\n {2}to do +holds .*\n {2}to do +later .*\n {2}new +more /,
  )
})

test('what a run was started with stays apart from what it went on with', async () => {
  const text = `apiVersion: opsbook/v1\nname: sums
inputs: { type: object, required: [n], properties: { n: { type: number } } }
steps:
  - { id: holds, uses: core/assert, with: { that: ["\${{ inputs.n == 3 }}"] } }
`
  const folder = await newFolder({ 'sums.yaml': text, 'next.yaml': text.replace('holds', 'is_three') })
  const command = (...words: readonly string[]) => opsbook([...words, '--data-dir', 'data'], { folder })
  expect((await command('run', 'sums.yaml', '--sandbox', '-q', '-i', 'n=1')).code).toBe(1)
  expect((await command('resume', 'latest', '-q', '-i', 'n=2')).code).toBe(1)
  expect((await command('resume', 'latest', '-q')).code).toBe(1)
  expect((await command('resume', 'latest', '-q', '-i', 'n=3', '--runbook', 'next.yaml')).code).toBe(0)
  const { stdout } = await command('show', 'latest')
  const [, first = '', second = '', third = '', ...others] = stdout.split(/^(?=Started with|Resumed with)/m)
  expect(others).toEqual([])
  expect(first).toMatch(/^Started with\n[\s\S]*started +\S+ \S+ by \S+\n {2}inputs\n {4}n: 1\n/)
  expect(second).toMatch(/^Resumed with\n {2}resumed +\S+ \S+ by \S+, resume 1\n {2}inputs\n {4}n: 2\n/)
  expect(third).toMatch(/^Resumed with\n {2}plan +\w{12}\n {2}resumed .*, resume 3\n {2}inputs\n {4}n: 3\n/)
  const planOf = (part: string): string | undefined => /plan +(\w+)/.exec(part)?.[1]
  expect(planOf(third)).not.toBe(planOf(first))
})

test.each([
  [['--repeat', 'aplication'], 'there is no step "aplication"; did you mean "application"?'],
  [['--keep', 'query'], 'query cannot be kept'],
  [['--runbook', 'renamed.yaml'], 'is a run of the runbook three, and not of four'],
  [['--input', 'host=web-01'], 'the inputs do not fit three'],
  [['--from', 'application'], 'choose  application'],
])('%j changes nothing, and says why', async (flags, expected) => {
  const { run } = await failedProject()
  const { code, stdout, stderr } = await run(['resume', 'latest', ...flags])
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(expected)
  expect((await run(['resume', 'latest', '-q'])).code).toBe(0)
})

test('a run that stops before a write with other arguments says which words to choose from', async () => {
  const service = await startService()
  const text = (host: string): string => `apiVersion: opsbook/v1
name: found
steps:
  - { id: look, uses: core/write, with: { content: ${host} }, save-as: host.txt }
  - id: make
    uses: rum/application/create
    with: { application_name: "app \${{ steps.look.outputs.bytes }}", type: browser, team_id: 1 }
  - { id: query, uses: monit/preview/sync, with: { ds_type: prometheus, ds_name: prom-none, expr: up } }
`
  const folder = await newFolder({ 'a.yaml': text('web-01'), 'b.yaml': text('a-long-name') })
  const run = (words: readonly string[]): Promise<CommandResult> =>
    opsbook([...words, '--data-dir', 'data', '-q'], { folder, env: service.env() })
  expect((await run(['run', 'a.yaml'])).code).toBe(1)
  const { code, stdout } = await run(['resume', 'latest', '--runbook', 'b.yaml'])
  expect(code).toBe(1)
  expect(stdout).toContain('make was executed before with other arguments: nothing was sent')
  expect(stdout).toMatch(
    /opsbook resume run_\w+ --repeat make --data-dir data\n.*opsbook resume run_\w+ --keep make/,
  )
})

test('a run that has succeeded is refused before anything else is said', async () => {
  const folder = await newFolder({
    'one.yaml':
      'apiVersion: opsbook/v1\nname: one\nsteps:\n  - { id: say, uses: core/log, with: { message: hi } }\n',
  })
  const command = (...words: readonly string[]) => opsbook([...words, '--data-dir', 'data'], { folder })
  expect((await command('run', 'one.yaml', '--sandbox')).code).toBe(0)
  for (const more of [[], ['--repeat', 'say'], ['--dry-run']]) {
    const { code, stderr } = await command('resume', 'latest', ...more)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^error: InvalidInput: run_\w+ has succeeded: nothing is left to do\n/),
    })
  }
})

test('a resume with --repeat is told as one that continues', async () => {
  const { service, run } = await project()
  await service.fault({ operation: 'E5', error: { code: 'AccessDenied', message: 'no' } })
  expect((await run(['run', 'three.yaml'])).code).toBe(1)
  const { stderr } = await run(['resume', 'latest', '--repeat', 'hosts'])
  expect(stderr).toMatch(/run run_\w+ of three resumed, 4 steps/)
})

const cleansUp = `apiVersion: opsbook/v1
name: ends
steps:
  - { id: cmd, uses: core/command, with: { script: "exit 2" } }
finally:
  - id: made
    uses: rum/application/create
    with: { application_name: "shop \${{ run.outcome }}", type: browser, team_id: 1 }
`

test('a create of a clean-up is announced, by the report and the preview, and --keep keeps it', async () => {
  const { service, run } = await project({
    'ends.yaml': cleansUp,
    'opsbook.yaml': 'commands: { local: true }\n',
  })
  const creates = async () => (await service.calls()).filter((operation) => operation === 'E2').length
  const failed = await run(['run', 'ends.yaml', '-q'])
  expect(failed.stdout).toMatch(
    /Completed steps are not repeated.*\n.*\nThe clean-up runs at each ending, and makes made again unless you keep what it made:\n {2}opsbook resume run_\S+ --keep made --data-dir data\n/,
  )
  const preview = await run(['resume', 'latest', '--dry-run'])
  expect(preview).toMatchObject({ code: 0, stderr: '' })
  expect(preview.stdout).toMatch(
    /to do +cmd +core\/command +tried again: CommandFailed\n {2}again +made +rum\/application\/create +the clean-up runs at each ending; --keep made keeps its result\n/,
  )
  const kept = await run(['resume', 'latest', '--keep', 'made', '-q'])
  expect([kept.code, await creates()]).toEqual([1, 1])
  // What finally creates comes after the end, also where it is kept.
  expect(kept.stdout).not.toContain('before the end')
  expect((await run(['resume', 'latest', '--dry-run'])).stdout).toMatch(/\n {2}kept +made /)
  expect((await run(['resume', 'latest', '-q'])).code).toBe(1)
  expect(await creates()).toBe(1)
  expect((await run(['resume', 'latest', '--repeat', 'made', '-q'])).code).toBe(1)
  expect(await creates()).toBe(2)
})

test('the preview lists the writes of a block that a question holds back, in the order of the plan', async () => {
  const rule = 'with: { application_id: CheckoutWebSandboxApp1, rule_id: sev_crash }'
  const { run } = await project({
    'asks.yaml': `apiVersion: opsbook/v1
name: asks
steps:
  - { id: export, uses: core/log, with: { message: hi } }
  - id: trouble
    steps:
      - { id: ask, uses: core/approve, with: { message: Go on? } }
      - { id: quiet, uses: rum/issue/preset-severity/rules/disable, ${rule} }
  - { id: publish, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }
`,
  })
  expect((await run(['run', 'asks.yaml'], stopAt('trouble/ask: awaiting approval'))).code).toBe(130)
  const { stdout } = await run(['resume', 'latest', '--dry-run'])
  expect(stdout).toMatch(
    /reused +export .*\n {2}to do +trouble\/ask .*\n {2}to do +trouble\/quiet .*\n {2}to do +publish /,
  )
})
