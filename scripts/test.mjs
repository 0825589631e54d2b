// `npm test`: every test but the long ones. `npm run test:full`: the long ones, whose files end in `.long.test.ts`.
// Tests that need no Temporal server run while one is looked for, downloaded or built. Where there is none, the others
// are left out, and the last lines say so; with CI=true that is a failure. The same goes for the tests that need a browser.
//
//     npm test -- PATH…     only these files, the long ones too
//
// Each run ends with the tests that failed and then passed at their second try, or says that there is none.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const words = process.argv.slice(2)
const isLong = words[0] === '--long'
const named = words.slice(isLong ? 1 : 0)
/** The projects that need nothing, a Temporal server, a browser, and both. */
const [without, withServer, inBrowser, inBrowserWithServer] = isLong
  ? [['long'], ['server-long'], ['browser-long'], ['browser-server-long']]
  : [['core', 'service', 'engine'], ['server'], ['browser'], []]

const failures = []
const unstable = []

if (named.length > 0) {
  const status = await vitest(named)
  printUnstable()
  process.exit(status)
}

const search = find('find-server.ts')
const searchBrowser = find('find-browser.ts')
const first = await vitest(without.flatMap((project) => ['--project', project]))
const obstacles = await search
const withoutBrowser = await searchBrowser
const hasServer = obstacles === undefined
const hasBrowser = withoutBrowser === undefined
const found = [
  ...(hasServer ? withServer : []),
  ...(hasBrowser ? inBrowser : []),
  ...(hasServer && hasBrowser ? inBrowserWithServer : []),
]
const second = found.length > 0 ? await vitest(found.flatMap((project) => ['--project', project])) : 0

// The last lines tell what failed: thousands of lines may be between a failure and the end.
for (const failure of failures) console.error(failure)
if (obstacles === undefined && (first || second)) {
  const failed = [first ? 'without' : [], second ? 'with' : []].flat().join(' and ')
  console.error(`Failed: tests ${failed} a Temporal server.`)
}
const isRequired = process.env.CI !== undefined && !['', '0', 'false'].includes(process.env.CI)
if (obstacles !== undefined) {
  const pattern = isLong ? '.server.long.test.ts' : '.server.test.ts'
  console.error(`${first ? 'Tests failed' : 'The other tests passed'} without a Temporal server.`)
  console.error(
    `Left out: the test files that need one (test/**/*${pattern}). None was found, downloaded or built:`,
  )
  for (const obstacle of obstacles) console.error(`  - ${obstacle}`)
  if (isRequired) console.error('This is a failure, because CI is set.')
}
if (withoutBrowser !== undefined) {
  const pattern = isLong ? '.browser*.long.test.ts' : '.browser.test.ts'
  console.error(`Left out: the test files that need a browser (test/**/*${pattern}). None was found:`)
  for (const obstacle of withoutBrowser) console.error(`  - ${obstacle}`)
  if (isRequired) console.error('This is a failure, because CI is set.')
}
printUnstable()
const isLeftOut = obstacles !== undefined || withoutBrowser !== undefined
process.exit(first || second || (isLeftOut && isRequired ? 1 : 0))

/** Why there is none of what a script looks for; nothing where there is one, or a program that starts it. */
async function find(name) {
  const script = fileURLToPath(new URL(name, import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (data) => {
    text += data
  })
  const [status] = await once(child, 'close')
  return status === 0 ? undefined : text.trim().split('\n')
}

async function vitest(args) {
  const program = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-tests-'))
  try {
    const file = join(folder, 'results.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const child = spawn(process.execPath, [program, 'run', ...reporters, ...args], { stdio: 'inherit' })
    const [status] = await once(child, 'close')
    if (existsSync(file)) {
      const report = JSON.parse(readFileSync(file, 'utf8'))
      if (status !== 0) failures.push(...failuresIn(report))
      unstable.push(...unstableIn(report))
    }
    return status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each failed test with its error, and each file that failed as a whole. */
function failuresIn({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    const told = failed.map((test) => [test.fullName, ...test.failureMessages])
    if (failed.length === 0 && status === 'failed') told.push(['the whole file', message])
    return told.map((lines) => `Failed: ${relative('.', name)}: ${lines.join('\n').slice(0, 2000)}`)
  })
}

/** Each test that failed at its first try and passed at its second, with the first line of its first error. */
function unstableIn({ testResults }) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter((test) => test.status === 'passed' && test.failureMessages.length > 0)
      .map(
        (test) =>
          `unstable: ${relative('.', name)} > ${test.fullName}: ${firstLine(test.failureMessages[0])}`,
      ),
  )
}

function firstLine(text) {
  return text.trim().split('\n', 1)[0].slice(0, 300)
}

function printUnstable() {
  console.error(unstable.length > 0 ? unstable.join('\n') : 'no unstable tests')
}
