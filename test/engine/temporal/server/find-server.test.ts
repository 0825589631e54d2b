import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RunbookError } from 'opsbook'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { findServer } from '../../../../src/engine/temporal/server/index.ts'
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

const cases: readonly FindCase[] = parse(
  await readFile(new URL('../../../cases/temporal/find-server.yaml', import.meta.url), 'utf8'),
)
const noArchive = { archive: { urls: [], sha256: '' } }

it.each(cases)('$name', async (one) => {
  const home = await newHome(one.programs)
  const set = Object.entries(one.environment ?? {}).map(([name, value]) => [name, fillIn(value, home)])
  const told: string[] = []
  const search = findServer({
    environment: { HOME: home, PATH: join(home, 'bin'), ...Object.fromEntries(set) },
    tell: (line) => told.push(line),
    ...noArchive,
  })
  if (one.finds !== undefined) {
    expect(await search).toEqual({ kind: 'program', path: join(home, fillIn(one.finds, home)) })
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

it('builds once for two that ask at the same time', async () => {
  const home = await newHome({
    'bin/go': `
echo built >> "$HOME"/builds
while [ ! -e "$HOME"/go-on ]; do sleep 0.05; done
echo '#!/bin/sh' > "$GOBIN/temporal"; echo 'echo "GOOD"' >> "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`,
  })
  const environment = { HOME: home, PATH: join(home, 'bin') }
  // The build continues when the second process waits for it.
  const tell = (line: string): void => {
    if (line.startsWith('waiting')) void writeFile(join(home, 'go-on'), '')
  }
  const path = join(home, cache, 'temporal')
  const both = [
    findServer({ environment, tell, ...noArchive }),
    findServer({ environment, tell, ...noArchive }),
  ]
  expect(await Promise.all(both)).toEqual([
    { kind: 'program', path },
    { kind: 'program', path },
  ])
  expect(await readFile(join(home, 'builds'), 'utf8')).toBe('built\n')
})

it('is stopped in the middle of a build', async () => {
  const home = await newHome({ 'bin/go': 'sleep 60' })
  const stop = new AbortController()
  const environment = { HOME: home, PATH: join(home, 'bin') }
  const search = findServer({ environment, tell: () => stop.abort(), signal: stop.signal, ...noArchive })
  await expect(search).rejects.toThrow('aborted')
  expect(await readdir(join(home, cache))).toEqual(['.lock'])
})
