/** What `npm test` does with and without a Temporal server, on a project with one small test of each kind. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newHome } from '../cli/dev/server/new-home.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const long = ['long', 'server-long', 'browser-long', 'browser-server-long']
const projects = ['core', 'service', 'engine', 'browser', 'server', ...long]
const nowhere = { TEMPORAL_ADDRESS: '127.0.0.1:9' }

interface Ended {
  readonly code: number
  readonly stderr: string
  /** The projects whose test has run, in the order in which they were run. */
  readonly ran: readonly string[]
}

/** Runs the command in a new project, whose tests note that they have run. `fails`: the project whose test fails. */
async function run(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  { fails = '', programs = {} }: { fails?: string; programs?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  const home = await newHome(programs)
  const folder = join(home, 'project')
  await mkdir(folder)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const listed = projects.map((name) => ({ test: { name, include: [`${name}.test.mjs`] } }))
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { test: { projects: ${JSON.stringify(listed)} } }\n`,
  )
  const ran = join(home, 'ran')
  for (const name of projects)
    writeFileSync(
      join(folder, `${name}.test.mjs`),
      `import { appendFileSync } from 'node:fs'
import { expect, it } from 'vitest'
it('runs', () => {
  appendFileSync(${JSON.stringify(ran)}, '${name}\\n')
  expect('${name}').not.toBe('${fails}')
})
`,
    )
  const env = { HOME: home, PATH: join(home, 'bin'), HTTPS_PROXY: 'http://127.0.0.1:9', ...environment }
  const args = [join(root, 'scripts/test.mjs'), ...words]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env }, (error, _, stderr) => {
      const lines = existsSync(ran) ? readFileSync(ran, 'utf8').trim().split('\n') : []
      resolve({ code: error ? Number(error.code) : 0, stderr, ran: lines })
    })
  })
}

const lastLines =
  /Left out: the test files that need one \(test\/\*\*\/\*\.server\.test\.ts\).*\n {2}- .*127\.0\.0\.1:9 does not answer/

test('without a server the other tests run, and the last lines say what was left out and why', async () => {
  const { code, stderr, ran } = await run([], nowhere)
  expect(stderr).toMatch(lastLines)
  expect(stderr.trim().split('\n').slice(-2)).toEqual([expect.stringMatching(/^ {2}- /), 'no unstable tests'])
  expect(ran.toSorted()).toEqual(['core', 'engine', 'service'])
  expect(code).toBe(0)
})

test('without a browser the last lines say so; with one its tests run after the others', async () => {
  const without = await run([], nowhere)
  expect(without.stderr).toMatch(
    /Left out: the test files that need a browser \(test\/\*\*\/\*\.browser\.test\.ts\).*\n {2}- the system has none/,
  )
  const { stderr, ran } = await run([], nowhere, { programs: { 'bin/chromium': '' } })
  expect(stderr).not.toContain('need a browser')
  expect(ran.slice(3)).toEqual(['browser'])
})

test('with CI set, a server that is not there is a failure', async () => {
  const { code, stderr, ran } = await run([], { ...nowhere, CI: 'true' })
  expect(stderr).toMatch(lastLines)
  expect(stderr).toContain('This is a failure, because CI is set.')
  expect(ran.toSorted()).toEqual(['core', 'engine', 'service'])
  expect(code).toBe(1)
})

test('a test that fails without a server is a failure', async () => {
  const { code, stderr } = await run([], nowhere, { fails: 'engine' })
  expect(stderr).toMatch(lastLines)
  expect(code).toBe(1)
})

// Go stands for the build: it ends once a test that needs no server has run, and makes a program that is good enough.
const programs = {
  'bin/go': `
while [ ! -s "$HOME"/ran ]; do sleep 0.05; done
mkdir -p "$GOBIN"; echo '#!/bin/sh' > "$GOBIN/temporal"; echo 'echo "GOOD"' >> "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`,
}

test('while the server is built the other tests run, and those that need it run after them', async () => {
  const { code, ran } = await run([], {}, { programs })
  expect(ran.slice(0, 3).toSorted()).toEqual(['core', 'engine', 'service'])
  expect(ran.slice(3)).toEqual(['server'])
  expect(code).toBe(0)
})

test('a test that fails with a server is a failure', async () => {
  const { code, stderr } = await run([], {}, { programs, fails: 'server' })
  expect(stderr).toContain('Failed: tests with a Temporal server.')
  expect(code).toBe(1)
})

test('the long tests run by a command of their own, and nothing else does', async () => {
  const { code, ran } = await run(['--long'], {}, { programs })
  expect(ran).toEqual(['long', 'server-long'])
  expect(code).toBe(0)
})

test('the long tests that need a browser run where there is one; else the last lines say so, and CI fails', async () => {
  const without = await run(['--long'], { CI: 'true' }, { programs })
  expect(without.stderr).toMatch(
    /Left out: the test files that need a browser \(test\/\*\*\/\*\.browser\*\.long\.test\.ts\).*\n {2}- the system has none/,
  )
  expect(without.ran).toEqual(['long', 'server-long'])
  expect(without.code).toBe(1)
  const browser = { 'bin/chromium': '' }
  const both = await run(['--long'], { CI: 'true' }, { programs: { ...programs, ...browser } })
  expect(both.stderr).not.toContain('Left out')
  expect(both.ran[0]).toBe('long')
  expect(both.ran.toSorted()).toEqual(long.toSorted())
  expect(both.code).toBe(0)
  const noServer = await run(['--long'], nowhere, { programs: browser })
  expect(noServer.ran).toEqual(['long', 'browser-long'])
})

test('a named file runs alone, whatever it is called', async () => {
  const { code, ran } = await run(['browser-server-long.test.mjs'], nowhere)
  expect(ran).toEqual(['browser-server-long'])
  expect(code).toBe(0)
})
