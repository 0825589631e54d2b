import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

/** What a reader of the guide does next, in the order of the page. */
type Deed =
  | { readonly kind: 'write'; readonly file: string; readonly text: string }
  | { readonly kind: 'change'; readonly from: string; readonly to: string; readonly file: string }
  | { readonly kind: 'run'; readonly command: string; readonly output: readonly string[] }

describe.each(['first-runbook.md', 'runs.md'])('the guide %s', (file) => {
  const page = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8')

  it('does what it says, command by command', async () => {
    let folder = await newFolder()
    for (const deed of deedsOf(page)) {
      if (deed.kind === 'write') {
        mkdirSync(dirname(join(folder, deed.file)), { recursive: true })
        writeFileSync(join(folder, deed.file), deed.text)
      } else if (deed.kind === 'change') {
        const before = readFileSync(join(folder, deed.file), 'utf8')
        expect(before).toContain(deed.from)
        writeFileSync(join(folder, deed.file), before.replace(deed.from, deed.to))
      } else if (deed.command.startsWith('cd ')) folder = join(folder, deed.command.slice(3))
      else {
        const said = normal(await outputOf(deed.command, folder))
        expect(said, deed.command).toMatch(patternOf(deed.output))
      }
    }
  }, 120_000)

  it('leaves nothing out', () => {
    const commands = deedsOf(page).filter(({ kind }) => kind === 'run')
    expect(commands).toHaveLength(page.match(/^\$ /gm)?.length ?? 0)
    expect(commands.length).toBeGreaterThan(0)
  })
})

/** A guide with two terminals: the run asks in the first one, and the commands answer it. */
it('the guide people.md does what it says, from an empty folder', async () => {
  const page = readFileSync(new URL('../../docs/people.md', import.meta.url), 'utf8')
  const [, section = ''] = /^## From an empty folder\n(.*?)^## /ms.exec(page) ?? []
  const mine = (text: string): string => text.replaceAll(/\bada\b/g, userInfo().username)
  const folder = await newFolder()
  const deeds = deedsOf(section)
  for (const deed of deeds) if (deed.kind === 'write') writeFileSync(join(folder, deed.file), mine(deed.text))
  const run = opsbook(['run', 'onboard.yaml', '--sandbox'], { folder })
  for (const deed of deeds) {
    if (deed.kind !== 'run') continue
    const wanted = mine(normal(deed.output.join('\n'))).split('\n')
    await expect
      .poll(async () => {
        const { stdout, stderr } = await opsbook(wordsOf(deed.command).slice(1), { folder })
        return normal(stdout + stderr)
      })
      .toMatch(patternOf(wanted))
  }
  expect(deeds.filter(({ kind }) => kind === 'run')).toHaveLength(8)
  expect(await run).toMatchObject({ code: 0, stdout: expect.stringContaining('approved_by: ') })
}, 120_000)

function deedsOf(page: string): readonly Deed[] {
  const pattern =
    /Write `([^`]+)`(?:, with [^:]*)?:\n\n```yaml\n(.*?)```|Change `([^`]+)` to `([^`]+)` in `([^`]+)`|```console\n(.*?)```/gs
  return [...page.matchAll(pattern)].flatMap(
    ([, written, text = '', from, to = '', changed = '', session = '']): Deed[] => {
      if (written !== undefined) return [{ kind: 'write', file: written, text }]
      if (from !== undefined) return [{ kind: 'change', from, to, file: changed }]
      return session
        .split(/^\$ /m)
        .slice(1)
        .map((part) => {
          const [command = '', ...output] = part.trimEnd().split('\n')
          return { kind: 'run', command, output }
        })
    },
  )
}

async function outputOf(command: string, folder: string): Promise<string> {
  const [program, ...words] = wordsOf(command)
  if (program === 'opsbook') return (await opsbook(words, { folder })).stdout
  if (program !== 'cat') throw new Error(`the guide runs "${command}"`)
  const [start = '', end = ''] = (words[0] ?? '').split('*/')
  const files = readdirSync(join(folder, start)).map((run) => join(folder, start, run, end))
  return files
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('')
}

/** Words of a command line; single quotes hold one together. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
}

const startedBy = new RegExp(`(?<=started.*)by ${userInfo().username}\\b`, 'g')

/** Run ids, times and the place of the folder differ from run to run, and with the times the space after them. */
function normal(text: string): string {
  return text
    .replaceAll(/run_\d{8}_\d{6}_[a-z0-9]{6}/g, 'run_ID')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)/g, 'DAY TIME')
    .replaceAll(/\b(at|until) \d\d:\d\d:\d\d/g, '$1 TIME')
    .replaceAll(/^ {2}\d\d:\d\d:\d\d/gm, '  TIME')
    .replaceAll(/^ {2}\d{4}-\d\d-\d\d \(\S+\)$/gm, '  DAY')
    .replaceAll(/\b\d+(\.\d)?s\b/g, '0.0s')
    .replaceAll(/(?<=\S) {2,}/g, '  ')
    .replaceAll(/(?<=plan {2})[0-9a-f]{12}/g, 'HASH')
    .replaceAll(/\b1-[0-9a-f]{10}\b/g, '1-SHOWN')
    .replaceAll(/\d+m 0\.0s left/g, 'TIME left')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\/\S*\/ops\//g, '/ops/')
    .replaceAll(startedBy, 'by ann')
    .trimEnd()
}

/** The output as it stands, `…` alone on a line standing for any number of lines. */
function patternOf(output: readonly string[]): RegExp {
  const lines = normal(output.join('\n'))
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\\n)*?.*' : line.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')))
  return new RegExp(`^${lines.join('\\n')}$`)
}
