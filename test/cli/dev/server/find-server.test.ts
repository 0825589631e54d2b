import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RunbookError } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { findServer } from '../../../../src/cli/dev/server/find-server.ts'
import * as tests from '../../../support/temporal-server.ts'
import { cache, fillIn, newHome } from './new-home.ts'

interface FindCase {
  readonly name: string
  readonly environment?: Readonly<Record<string, string>>
  readonly programs: Readonly<Record<string, string>>
  readonly finds?: string
  readonly told?: string
  /** What the message says, in this order. */
  readonly tried?: readonly string[]
}

const casesOf = async (file: string): Promise<readonly FindCase[]> =>
  parse(await readFile(new URL(`../../../cases/temporal/${file}`, import.meta.url), 'utf8'))
const noArchive = { archive: { url: 'http://127.0.0.1:1/', sha256: '' } }

const finders = [
  ['find-server.yaml', async (options: Parameters<typeof findServer>[0]) => await findServer(options)],
  [
    'build-server.yaml',
    async (options: Parameters<typeof findServer>[0]) => {
      const found = await tests.findServer(options)
      return found.kind === 'program' ? found.path : found.address
    },
  ],
] as const

describe.each(finders)('%s', async (file, find) => {
  it.each(await casesOf(file))('$name', async (one) => {
    const home = await newHome(one.programs)
    const set = Object.entries(one.environment ?? {}).map(([name, value]) => [name, fillIn(value, home)])
    const told: string[] = []
    const search = find({
      environment: { HOME: home, PATH: join(home, 'bin'), ...Object.fromEntries(set) },
      tell: (line) => told.push(line),
      ...noArchive,
    })
    if (one.finds !== undefined) {
      expect(await search).toBe(join(home, fillIn(one.finds, home)))
    } else {
      const error = await search.catch((thrown: unknown) => thrown)
      expect(error).toSatisfy(RunbookError.is)
      expect(error).toMatchObject({ code: 'TemporalUnavailable' })
      const { message } = error as Error
      const places = (one.tried ?? []).map((text) => message.indexOf(fillIn(text, home)))
      expect(places, message).not.toContain(-1)
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      expect(message).not.toContain('the-key')
    }
    if (one.told !== undefined) expect(told.join('\n')).toContain(one.told)
    const left = await readdir(join(home, cache)).catch(() => [])
    expect(left.filter((name) => name.startsWith('.unfinished'))).toEqual([])
  })
})

it('says how to install a server where there is none', async () => {
  const home = await newHome({})
  const search = findServer({ environment: { HOME: home, PATH: '' }, tell: () => {}, ...noArchive })
  const { next = '' } = await search.then(
    () => ({}) as RunbookError,
    (error: RunbookError) => error,
  )
  for (const way of ['https://docs.temporal.io/cli', 'go install ', 'TEMPORAL_ADDRESS'])
    expect(next).toContain(way)
})

it('builds once for two that ask at the same time', async () => {
  const home = await newHome({
    'bin/go': `
echo built >> "$HOME"/builds
while [ ! -e "$HOME"/go-on ]; do sleep 0.05; done
mkdir -p "$GOBIN"; echo '#!/bin/sh' > "$GOBIN/temporal"; echo 'echo "GOOD"' >> "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`,
  })
  const environment = { HOME: home, PATH: join(home, 'bin') }
  // The build continues when the second process waits for it.
  const tell = (line: string): void => {
    if (line.startsWith('waiting')) void writeFile(join(home, 'go-on'), '')
  }
  const program = { kind: 'program', path: join(home, cache, 'temporal') }
  const both = [1, 2].map(() => tests.findServer({ environment, tell, ...noArchive }))
  expect(await Promise.all(both)).toEqual([program, program])
  expect(await readFile(join(home, 'builds'), 'utf8')).toBe('built\n')
})
