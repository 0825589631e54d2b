import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { toolsFor } from '../../src/sandbox/tools/index.ts'

/** The tools that the pages of the service call. The other tools of the sandbox exist nowhere else. */
const published: ReadonlySet<string> = new Set([
  'os.overview',
  'os.top_processes',
  'net.tcp_ping',
  'http.get',
  'mysql.overview',
  'mysql.lock_contention',
  'mysql.query',
])

const root = new URL('../../', import.meta.url)
const shown = ['docs/', 'runbooks/', 'src/cli/init/', 'src/api/operations/'].flatMap((folder) =>
  readdirSync(new URL(folder, root))
    .filter((name) => /\.(md|yaml|ts)$/.test(name))
    .map((name) => `${folder}${name}`),
)

describe('tools that a reader copies', () => {
  it.each(['README.md', ...shown])('are those of real hosts: %s', (file) => {
    const text = readFileSync(new URL(file, root), 'utf8')
    const named: readonly string[] = text.match(/\b[a-z]+\.[a-z_]+\b/g) ?? []
    const invented = toolsFor('host').filter(({ name }) => !published.has(name) && named.includes(name))
    expect(invented.map(({ name }) => name)).toEqual([])
  })

  it('are all in the sandbox', () => {
    expect(toolsFor('host').map(({ name }) => name)).toEqual(expect.arrayContaining([...published]))
  })
})
