import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

/** Who may not look into a data directory is not told that nothing waits there. Root may read all: a loop of links stands for it. */
const lines: readonly string[] = [
  'runs',
  'inbox',
  'show latest',
  'cancel latest',
  'events',
  'prune --older-than 1d',
  'tokens',
  'tokens revoke 9f2c41d07ab3',
  'audit',
  'console --read-only',
]

test.each(lines)('%s does not take a data directory that cannot be read for an empty one', async (line) => {
  const folder = await newFolder()
  writeFileSync(join(folder, 'file'), '')
  symlinkSync('loop', join(folder, 'loop'))
  for (const dataDir of ['file', 'loop']) {
    const { code, stderr } = await opsbook([...line.split(' '), '--data-dir', dataDir], { folder })
    expect(stderr).toMatch(/^error: DataDirUnusable: cannot use .+: a part of the path is a (file|link)/m)
    expect(code).toBe(5)
  }
})

test('a token is revoked where it is, and a wrong folder stays as it was', async () => {
  const folder = await newFolder()
  const { code, stderr } = await opsbook(['tokens', 'revoke', '9f2c41d07ab3', '--data-dir', 'none'], {
    folder,
  })
  expect(code).toBe(2)
  expect(stderr).toContain('there is no token "9f2c41d07ab3" in ')
  expect(stderr).toContain('name the data directory of its console with --data-dir')
  expect(existsSync(join(folder, 'none'))).toBe(false)
})
