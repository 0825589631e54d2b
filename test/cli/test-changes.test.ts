import { writeFileSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newFolder, opsbook, type RunningCommand } from './support/opsbook.ts'

const runbook = `apiVersion: opsbook/v1
name: tell
inputs: { type: object, properties: { to: { type: string, default: a } } }
steps:
  - { id: tell, uses: core/http, with: { method: POST, url: "https://chat.example.com/\${{ inputs.to }}" } }
outputs: { told: "\${{ inputs.to }}" }
`
const tests = `# all of them
runbook: ./tell.yaml
defaults:
  calls: { tell: { output: {} } }
tests:
  - name: tells # the first
    expect:
      status: failed # no
      outputs: { told: "b", }
      sent: { tell: { method: POST, url: "https://chat.example.com/b" } }
      calls:
        - tell
        - tell
      attempts: { tell: 2 }
  - name: never
    expect: { never: [tell] }
`

describe('opsbook test --update', () => {
  it('writes the values of the run, and leaves the rest of the file as it is', async () => {
    const folder = await newFolder({ 'tell.yaml': runbook, 'tell.test.yaml': tests })
    const { code, stdout, stderr } = await opsbook(['test', '--update'], { folder })
    // What must not happen is no value that could be written.
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('2 tests: 1 passed, 1 failed'),
    })
    expect(stderr).toContain('tell.test.yaml: 5 values updated\n  line 8\n    - failed\n    + succeeded\n')
    expect(await readFile(join(folder, 'tell.test.yaml'), 'utf8')).toBe(
      tests
        .replace('status: failed', 'status: succeeded')
        .replace('told: "b",', 'told: a,')
        .replace('"https://chat.example.com/b"', 'https://chat.example.com/a')
        .replace('- tell\n        - tell', '[ tell ]')
        .replace('tell: 2', 'tell: 1'),
    )
    expect(await opsbook(['test', '--update'], { folder })).toMatchObject({ code: 1, stderr: '' })
  })

  it('renews a recording of another plan once every test passes', async () => {
    const record = (plan_hash: string) =>
      JSON.stringify({
        version: 1,
        plan_hash,
        steps: {},
        actions: {},
        inputs: {},
        calls: [{ path: 'tell', attempt: 1, action: 'core/http', output: { status: 200 }, takes_ms: 0 }],
      })
    const text = `runbook: ./tell.yaml\ntests: [{ name: one, calls: { tell: { recording: past } }, expect: { status: failed } }]\n`
    const folder = await newFolder({ 'tell.yaml': runbook, 'tell.test.yaml': text })
    await mkdir(join(folder, 'recordings'))
    await writeFile(join(folder, 'recordings/past.json'), record('another'))
    expect(await opsbook(['test', '--strict'], { folder })).toMatchObject({ code: 1 })
    const updated = await opsbook(['test', '--strict', '--update'], { folder })
    expect(updated).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('recordings/past.json: renewed'),
    })
    const renewed = JSON.parse(await readFile(join(folder, 'recordings/past.json'), 'utf8'))
    expect(renewed).toMatchObject({ steps: { tell: 'core/http' }, calls: [{ output: { status: 200 } }] })
  })
})

/** `opsbook test --watch` in a folder, until the test ends it. */
function watchIn(folder: string, onWrite: (text: string) => void = () => {}) {
  let seen = ''
  let running: RunningCommand | undefined
  const ended = opsbook(['test', '--watch'], {
    folder,
    onStart: (command) => {
      running = command
    },
    onWrite: (text) => {
      seen += text
      onWrite(text)
    },
  })
  return {
    async shows(text: string): Promise<void> {
      await expect.poll(() => seen).toMatch(new RegExp(`${text}[\\s\\S]*waiting for changes`))
      seen = ''
    },
    async end(): Promise<void> {
      running?.signal('SIGINT')
      expect(await ended).toMatchObject({ code: 0, exited: undefined })
    },
  }
}

describe('opsbook test --watch', () => {
  it('runs the tests again whose file, runbook or recording changes, and ends at Ctrl-C', async () => {
    const good =
      'runbook: ./tell.yaml\ndefaults: { calls: { tell: { output: {} } } }\ntests: [{ name: one, expect: { outputs: { told: a } } }]\n'
    const folder = await newFolder({ 'tell.yaml': runbook, 'tell.test.yaml': good })
    const write = async (name: string, text: string): Promise<void> => {
      // As editors do it.
      await writeFile(join(folder, `${name}~`), text)
      await rename(join(folder, `${name}~`), join(folder, name))
    }
    const { shows, end } = watchIn(folder)
    await shows('1 test: 1 passed')
    await write('tell.yaml', runbook.replace('told: "${{ inputs.to }}"', 'told: x'))
    await shows('outputs.told is "x", expected "a"')
    await write('tell.test.yaml', good.replace('told: a', 'told: x'))
    await shows('1 test: 1 passed')
    await write('new.test.yaml', good.replace('name: one', 'name: another').replace('told: a', 'told: x'))
    await shows('✔ another')
    await write('tell.yaml', 'name: [')
    await shows('2 files not run')
    await end()
  })

  it('misses no change that is made while tests run, in whichever folder', async () => {
    const folder = await newFolder({ 'opsbook.yaml': '{}\n' })
    for (const name of ['one', 'two', 'runbooks']) await mkdir(join(folder, name))
    await writeFile(join(folder, 'runbooks/tell.yaml'), runbook)
    const defaults = 'runbook: ../runbooks/tell.yaml\ndefaults: { calls: { tell: { output: {} } } }\n'
    for (const name of ['one', 'two'])
      await writeFile(
        join(folder, name, 'tell.test.yaml'),
        `${defaults}tests: [{ name: ${name}, expect: { outputs: { told: a } } }]\n`,
      )
    let isChanged = false
    const { shows, end } = watchIn(folder, (text) => {
      if (isChanged || !text.includes('✔ one')) return
      // The tests of the other file have not run yet.
      isChanged = true
      writeFileSync(
        join(folder, 'runbooks/tell.yaml'),
        runbook.replace('told: "${{ inputs.to }}"', 'told: x'),
      )
    })
    await shows('✖ one')
    await end()
  })

  it('prints text alone', async () => {
    const folder = await newFolder({ 'tell.yaml': runbook, 'tell.test.yaml': tests })
    const { code, stderr } = await opsbook(['test', '--watch', '--output', 'junit'], { folder })
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--watch prints text'),
    })
  })
})
