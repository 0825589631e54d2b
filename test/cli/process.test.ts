import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { newFolder } from './support/opsbook.ts'
import { main, requireBuild, root, start } from './support/process.ts'
import { type Service, startService } from './support/service.ts'

/** What only a process of its own can show: signals, pipes that close, what is loaded. It runs the build. */
beforeAll(requireBuild)

const runbook = `apiVersion: opsbook/v1
name: slow
steps:
  - id: catalog
    uses: monit/tools/catalog
    with: { target_locator: web-01 }
  - id: application
    uses: rum/application/create
    with: { application_name: shop, type: browser, team_id: 1 }
  - id: after
    uses: monit/tools/catalog
    with: { target_locator: web-01 }
`

test('the command can be run by its file', () => {
  expect(statSync(main).mode & 0o111).toBe(0o111)
})

/** Hands requests on to a service, and holds the answers to creates back until it is told to let them go. */
async function holdCreates(service: Service) {
  let letGo = (): void => {}
  const released = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const server = createServer(async (request, response) => {
    const { url = '', method = 'GET' } = request
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    const answer = await fetch(service.url + url, { method, headers, body: await text(request) })
    const body = await answer.text()
    if (url.includes('application/create')) await released
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, letGo }
}

test('Ctrl-C once: a write in flight is awaited, the report says how things stand, the code is 130', async () => {
  const service = await startService()
  const { url, letGo } = await holdCreates(service)
  const folder = await newFolder({ 'slow.yaml': runbook })
  const env = { ...service.env(), OPSBOOK_BASE_URL: url }
  const running = start(['run', 'slow.yaml', '--data-dir', 'data'], env, folder)
  await expect.poll(service.calls).toContain('E2')
  running.child.kill('SIGINT')
  await running.until('stderr', 'stopping at the next safe point')
  letGo()
  const { code, signal, stdout, stderr } = await running.ended
  expect({ code, signal }, stdout + stderr).toEqual({ code: 130, signal: null })
  expect(stdout).toContain('Interrupted: 2 of 3 steps ended')
  expect(stdout).toMatch(
    /Created or sent before the end, and not rolled back\n {2}application:\n {4}application_id: \w+/,
  )
  expect(stderr).not.toMatch(/^\s+at /m)
})

test('Ctrl-C twice leaves at once', async () => {
  const service = await startService()
  await service.fault({ operation: 'E2', delay_ms: 600_000 })
  const folder = await newFolder({ 'slow.yaml': runbook })
  const running = start(['run', 'slow.yaml', '--data-dir', 'data'], service.env(), folder)
  await expect.poll(service.calls).toContain('E2')
  running.child.kill('SIGINT')
  await running.until('stderr', 'stopping at the next safe point')
  // A press within a quarter of a second counts as the first: the next ones end it.
  const presses = setInterval(() => running.child.kill('SIGINT'), 100)
  const { code, signal } = await running.ended
  clearInterval(presses)
  expect({ code, signal }).toEqual({ code: 130, signal: null })
})

test.each(['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)('%s stops a run like one Ctrl-C', async (stop) => {
  const service = await startService()
  await service.fault({ operation: 'catalog', delay_ms: 600_000 })
  const folder = await newFolder({ 'slow.yaml': runbook })
  const running = start(['run', 'slow.yaml', '--data-dir', 'data', '-o', 'json', '-q'], service.env(), folder)
  await expect.poll(service.calls).toContain('catalog')
  running.child.kill(stop)
  const { code, stdout } = await running.ended
  expect(code).toBe(130)
  expect(JSON.parse(stdout)).toMatchObject({ status: 'interrupted' })
})

test('a sandbox ends well on SIGINT, its first line is its address', async () => {
  const running = start(['sandbox', '--port', '0'], {}, await newFolder())
  await running.until('stderr', 'Try it')
  running.child.kill('SIGINT')
  const { code, stdout } = await running.ended
  expect(code).toBe(0)
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/)
})

test('a reader that goes away is no error, and does not stop a run', async () => {
  const folder = await newFolder({ 'slow.yaml': runbook })
  const running = start(
    ['run', 'slow.yaml', '--sandbox', '--output', 'ndjson', '--data-dir', 'data'],
    {},
    folder,
  )
  running.child.stdout?.destroy()
  const { code, stderr } = await running.ended
  expect(code, stderr).toBe(0)
  expect(stderr).not.toContain('EPIPE')
})

test('the exit code of the process is that of the command', async () => {
  const folder = await newFolder()
  const { code, stdout, stderr } = await start(['validate', 'none.yaml'], {}, folder).ended
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
  expect(stdout).toContain('FILE_NOT_FOUND')
})

/** The modules that a command loads, by their addresses. */
function modulesOf(words: readonly string[], folder: string): readonly string[] {
  const hook = new URL('./support/list-imports.mjs', import.meta.url).href
  const register = `import { register } from 'node:module'; register(${JSON.stringify(hook)})`
  const file = join(folder, 'imports')
  rmSync(file, { force: true })
  const options = ['--import', `data:text/javascript,${encodeURIComponent(register)}`]
  const env = { PATH: process.env['PATH'], HOME: folder, IMPORTS_FILE: file }
  const { status, stderr } = spawnSync(process.execPath, [...options, main, ...words], { cwd: folder, env })
  expect(status, String(stderr)).toBe(0)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
}

/** The packages that a command loads. */
async function packagesOf(words: readonly string[], folder: string): Promise<readonly string[]> {
  const names = modulesOf(words, folder).flatMap(
    (url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [],
  )
  return [...new Set(names)].toSorted()
}

test('each command loads what it needs and nothing else', async () => {
  const folder = await newFolder({ 'slow.yaml': runbook })
  expect(await packagesOf(['--version'], folder)).toEqual([])
  expect(await packagesOf(['--help'], folder)).toEqual(['commander'])
  const validating = await packagesOf(['validate', 'slow.yaml'], folder)
  expect(validating).toContain('yaml')
  for (const name of ['undici', 'fastify', 'pino', '@photostructure/sqlite', 'log-update']) {
    expect(validating).not.toContain(name)
  }
  const looking = await packagesOf(['runs', '--data-dir', 'data'], folder)
  for (const name of ['undici', 'fastify', 'pino', '@marcbachmann/cel-js', 'log-update']) {
    expect(looking).not.toContain(name)
  }
  const configured = await newFolder({ 'opsbook.yaml': 'data-dir: ./data\n' })
  expect(await packagesOf(['runs'], configured)).not.toContain('@marcbachmann/cel-js')
  // The SDK of Temporal takes its time to load: only those wait for it who use it.
  const running = await packagesOf(['run', 'slow.yaml', '--sandbox', '-q', '--data-dir', 'data'], folder)
  const all = [...validating, ...looking, ...running]
  expect(all.filter((name) => name.startsWith('@temporalio/'))).toEqual([])
})

test('a run that sends nothing loads nothing that sends', async () => {
  const folder = await newFolder({
    'quiet.yaml': 'apiVersion: opsbook/v1\nname: quiet\nsteps: [{ id: a, uses: core/set, with: { a: 1 } }]\n',
    'opsbook.yaml': `connections: { shop: { type: http, base-url: "http://127.0.0.1:9", limits: { per-second: 1 } } }
commands: { local: true }
data-dir: ./data
`,
  })
  const loaded = modulesOf(['run', 'quiet.yaml', '-q'], folder)
  expect(loaded.some((url) => url.includes('/chunks/actions'))).toBe(true)
  expect(
    loaded.filter((url) =>
      /node_modules\/undici|chunks\/(send-request|connect-to|run-command|create-api-actions)/.test(url),
    ),
  ).toEqual([])
  // Their names in the build.
  for (const name of ['send-request', 'connect-to', 'run-command', 'create-api-actions'])
    expect(existsSync(join(root, 'dist/chunks', `${name}.js`)), name).toBe(true)
})

test('the version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(await start(['--version'], {}, await newFolder()).ended).toMatchObject({
    code: 0,
    stdout: `${version}\n`,
  })
})
