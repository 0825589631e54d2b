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
outputs: { id: "\${{ steps.application.outputs.application_id }}" }
`

interface Project {
  readonly service: Service
  run(words: readonly string[], surroundings?: Surroundings): Promise<CommandResult>
}

async function project(): Promise<Project> {
  const service = await startService()
  const folder = await newFolder({ 'three.yaml': runbook })
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
  expect(stopped.stdout).toContain('Interrupted: 2 of 3 steps ended')
  await service.fault()
  const resumed = await run(['resume', id ?? ''])
  expect(resumed.code, resumed.stderr).toBe(0)
  expect((await service.calls()).filter((operation) => operation === 'E2')).toHaveLength(1)
  expect(resumed.stderr).toMatch(new RegExp(`run ${id} of three goes on, 3 steps`))
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
  expect(new Set(events.flatMap(({ path }) => path ?? []))).toEqual(new Set(['query']))
})

test('a resumed run that ends badly names what the first attempt made', async () => {
  const { service, run } = await project()
  await service.fault({ operation: 'E5', error: { code: 'AccessDenied', message: 'no' } })
  await run(['run', 'three.yaml', '-q'])
  const { code, stdout } = await run(['resume', 'latest'])
  expect(code).toBe(1)
  expect(stdout).toMatch(/Made before the end, and still there\n {2}application:\n {4}application_id: \w+/)
})

test('a run whose outcome is unknown is not resumed', async () => {
  const { service, run } = await project()
  await service.fault({ operation: 'E2', close_after: true })
  const { code, stdout } = await run(['run', 'three.yaml'])
  expect(code).toBe(4)
  expect(stdout).toContain('Needs a decision: whether application was carried out.')
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
  expect((await run(['show', 'latest'])).stdout).toMatch(
    /three goes on for .*query .* running.*opsbook watch/s,
  )
  expect(await run(['resume', 'latest'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('RunInUse'),
  })
  const left = await run(['watch', 'latest'], stopAt('query: started'))
  expect(left.code).toBe(130)
  expect(left.stdout).toContain('It goes on. To look on:\n  opsbook watch run_')
  const watched = run(['watch', 'latest', '-o', 'ndjson'], {
    onWrite: (text) => {
      if (text.includes('"path":"query"')) stop()
    },
  })
  const logged = run(['logs', 'latest', '--follow'])
  expect((await running).code).toBe(130)
  expect(await watched).toMatchObject({ code: 130, stdout: expect.stringContaining('"type":"run_finished"') })
  expect(await logged).toMatchObject({ code: 0, stdout: expect.stringContaining('run interrupted') })
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

test('a run that had a sandbox of its own gets a new one, and says so', async () => {
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
  expect(stderr).toContain('the new one knows nothing of what was made there')
})

test.each([
  ['--from', 'query'],
  ['--runbook', 'three.yaml'],
  ['--keep', 'query'],
  ['--repeat', 'query'],
  ['--skip', 'query'],
  ['--input', 'host=web-01'],
])('%s is announced, and refused with what to do instead', async (flag, value) => {
  const { code, stdout, stderr } = await opsbook(['resume', 'latest', flag, value])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(new RegExp(`${flag} is not there yet in this version\\n  \\S`))
})
